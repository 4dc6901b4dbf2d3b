import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the answers, the events and the expiry of a local start, which would differ from those of AWS. */
export const localAnswerMutants: readonly Mutant[] = [
  ...bugsIn('infra/local/response.ts', 'infra/local/gateway', {
    'a function tells the time': ["'content-length', 'date', 'server'", "'content-length', 'server'"],
    'a function says who serves it': ["'date', 'server', 'www-authenticate'", "'date', 'www-authenticate'"],
    'a function ends the connection': ["['connection', 'content-length',", "['content-length',"],
    'only one spelling of a header is renamed': ['remapped.has(name.toLowerCase())', 'remapped.has(name)'],
    'headers with several values are lost': ['{ ...headers, ...multiValueHeaders }', '{ ...headers }'],
    'headers with one value are lost beside the others': [
      'Object.entries({ ...headers, ...multiValueHeaders })',
      'Object.entries(Object.keys(multiValueHeaders).length > 0 ? multiValueHeaders : headers)',
    ],
    'several values are one': ['Array.isArray(value) ? value.map(String) : String(value)', 'String(value)'],
  }),
  ...bugsIn('infra/local/events.ts', 'infra/local/events#transactions took a while', {
    'a change that took a while has no event': ['Math.max(0, from - settledMilliseconds)', 'from'],
    'a change that took some seconds has no event': ['settledMilliseconds = 60_000', 'settledMilliseconds = 6_000'],
  }),
  ...bugsIn('infra/local/event-files.ts', 'infra/local/events#too large to be read', {
    'a large file of events is read whole': ['Math.max(0, size - tailBytes)', '0'],
    'a line without its end takes others with it': ['truncateSync(file, start + end)', 'truncateSync(file, end)'],
  }),
  ...bugsIn('infra/local/services.ts', 'infra/local/expiry#starts before', {
    'what has expired stays for ever': [
      'if (options.dynamodbEndpoint === undefined) onStop(keepExpiry(table, engine.url, complain));',
      '',
    ],
  }),
  ...bugsIn('infra/local/expiry.ts', '~infra/local/expiry', {
    'what is renewed expires': [
      'ConditionExpression: condition }',
      'ConditionExpression: `${condition} OR attribute_exists(#expiresAt)` }',
    ],
    'what has no number at its end expires': [
      "condition = '#expiresAt < :now'",
      "condition = 'NOT #expiresAt >= :now'",
    ],
  }),
];
