import { permissionLevels } from '../access.ts';
import { sortedEntries } from '../sorted-entries.ts';
import type { TokenLimits } from '../table/identity/tokens.ts';
import { id, nullable } from './fields.ts';
import { array, type Infer, object, schema } from './schema.ts';

/** The limits of a personal access token, in answers. */
export const limitsSchema = schema({
  ...object({
    workspaces: schema({
      ...array(
        object({
          workspaceId: id,
          repositoryIds: schema({ ...array(id), description: 'Only these repositories; empty: all of the workspace.' }),
        }),
      ),
      description: 'Only these workspaces; empty: all.',
    }),
    repositoryPermissionLevel: nullable(
      schema({
        type: 'string',
        enum: permissionLevels,
        description: 'The highest level on a repository; null: no limit.',
        examples: ['canView'],
      }),
    ),
    readOnly: schema({ type: 'boolean', description: 'Whether the token may only read.', examples: [true] }),
  }),
  type: ['object', 'null'],
  description: 'What the token may do at most; null: all that its user may.',
});

export const limitsRecord = (limits: TokenLimits | undefined): Infer<typeof limitsSchema> =>
  limits
    ? {
        workspaces: sortedEntries(limits.workspaces ?? {}).map(([workspaceId, repositoryIds]) => ({
          workspaceId,
          repositoryIds: [...(repositoryIds ?? [])],
        })),
        repositoryPermissionLevel: limits.level ?? null,
        readOnly: limits.readOnly ?? false,
      }
    : null;
