import { object, schema } from '../../shared/http/schema.ts';

/** A text of a query that is searched for or ignored. */
// API Gateway takes 10 kB of request line and headers, and a character may need twelve bytes.
export const search = (maxLength: number, example: string) =>
  schema({ type: 'string', maxLength, examples: [example] });

/** What npm adds to its requests about access and teams, all of which are refused. */
export const cliFormat = schema({ type: 'string', enum: ['cli'] });

/** What `npm stage list` adds to its request, which is refused. */
export const stagePage = { page: search(20, '0'), perPage: search(20, '100'), package: search(300, '@acme/tool') };

/** A text of an answer. */
export const text = (example: string) => schema({ type: 'string', examples: [example] });

/** What npm reads of a change. */
export const done = object({ ok: schema({ type: 'boolean', examples: [true] }) });

/** The answer to a login. */
export const npmToken = object({
  ok: schema({ type: 'boolean', examples: [true] }),
  id: text('org.couchdb.user:build-bot'),
  token: schema({
    type: 'string',
    pattern: '^str_pat_[0-9A-Za-z]{49}$',
    description: 'The token. No later answer contains it.',
    examples: [`str_pat_${'0'.repeat(49)}`],
  }),
});
