import { actions } from '../../shared/change-actions.ts';
import { contract } from '../../shared/http/contract.ts';
import { id, moment, nullable, pageParameters, timestamp } from '../../shared/http/fields.ts';
import { anyFields, object, schema } from '../../shared/http/schema.ts';

const text = (description: string, example: string) => schema({ type: 'string', description, examples: [example] });

const action = schema({ type: 'string', enum: actions, examples: ['package.published'] });

const fields = (description: string, example: Readonly<Record<string, unknown>>) =>
  anyFields({ description, examples: [example] });

/** The wire record of a change. */
export const changeRecordSchema = {
  ...object({
    id,
    recordedAt: timestamp,
    action,
    actor: object({
      kind: schema({
        type: 'string',
        enum: ['user', 'workspace-token', 'trust', 'service'],
        description: '`service`: the service itself, such as the creation of the first System Admin.',
        examples: ['user'],
      }),
      id: text('The ID of the user, of the token or of the trust.', id.examples[0]),
      name: text('The username, or the name of the token or of the trust.', 'build-bot'),
      tokenId: nullable(schema({ ...id, description: 'The token of the request; null if it came with a password.' })),
    }),
    sourceAddress: nullable(text('The address that the request came from.', '203.0.113.9')),
    requestId: nullable(text('The `X-Request-Id` of the request.', '5f0c2f5e-8a0e-4c43-9d0e-3f4c1b2a7d61')),
    operation: nullable(text('The `operationId` of the request.', 'packages/publish-package')),
    workspaceId: nullable(schema({ ...id, description: 'Null for a change that concerns no workspace.' })),
    repository: {
      ...object({ id, name: text('Its name.', 'tools') }),
      type: ['object', 'null'],
      description: 'The repository that the change concerns, if it is one.',
    } as const,
    target: object({
      id: nullable(schema({ ...id, description: 'Null for a package, which has no ID.' })),
      name: text('The name of what changed.', 'formatter'),
    }),
    before: fields(
      'The fields that changed, as they were; null if there was nothing, or if the service did not read it. For permissions: the levels by repository ID.',
      { version: '1.0.0' },
    ),
    after: fields('The same fields as they are; null after a deletion. Never a secret.', { version: '1.0.1' }),
  }),
  title: 'ChangeRecord',
} as const;

const reference = (description: string, example: string) =>
  schema({ type: 'string', minLength: 1, maxLength: 200, description, examples: [example] });

const filters = {
  actor: reference('Who made the change: the ID or the name of a user, a token or a trust.', 'build-bot'),
  repository: reference(
    'The repository that the change concerns, by its ID or its name at that time. Grants, tokens and trusts concern IDs alone: in one workspace, a name finds those of the repository that has it now. Only its ID finds those of a deleted one.',
    'tools',
  ),
  action,
  from: moment('The changes since then.'),
  to: moment('The changes until then.'),
  ...pageParameters,
  limit: schema({ ...pageParameters.limit, description: `${pageParameters.limit.description} The default is 100.` }),
} as const;

const optional = ['actor', 'repository', 'action', 'from', 'to', 'limit', 'cursor'] as const;

const answer = { kind: 'list', items: changeRecordSchema, pageSize: 100, isAlsoLines: true } as const;

const words =
  'Newest first. With `Accept: application/x-ndjson`, the answer has a line of JSON for each record. A filter goes through some records for each page, so a page can be empty before the end.';

export const listWorkspaceRecords = contract({
  id: 'audit/list-workspace-records',
  method: 'GET',
  path: '/1/workspaces/{workspace}/audit',
  summary: 'List the changes in a workspace',
  description: words,
  access: 'workspace-admin',
  query: object(filters, optional),
  answer,
  errors: [],
  table: ['Query'],
});

export const listRecords = contract({
  id: 'audit/list-records',
  method: 'GET',
  path: '/1/audit',
  summary: 'List all changes',
  description: `${words} These are the changes of users, of tokens and in every workspace, also in deleted ones. A change of the last second may be missing, unless the query names a workspace.`,
  access: 'system-admin',
  query: object(
    {
      workspace: schema({
        type: 'string',
        pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
        allowed: 'the ID of a workspace',
        description: 'Only the changes in this workspace, which may be deleted.',
        examples: id.examples,
      }),
      ...filters,
    },
    ['workspace', ...optional],
  ),
  answer,
  errors: [],
  table: ['Query', 'Query records'],
});
