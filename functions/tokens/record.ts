import { config } from '../../shared/config.ts';
import { limitsRecord } from '../../shared/http/limits-record.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { sortedEntries } from '../../shared/sorted-entries.ts';
import {
  isUnused,
  type MachineGrants,
  type PersonalToken,
  type Token,
  type WorkspaceToken,
} from '../../shared/table/identity/tokens.ts';
import type { personalAccessTokenSchema, workspaceTokenSchema } from './schemas.ts';

const commonFields = (token: Token, createdBy: string) => ({
  id: token.tokenId,
  name: token.name,
  expirationDate: token.expirationDate,
  createdAt: token.createdAt,
  createdBy,
  lastUsedAt: token.lastUsedAt ?? null,
  unused: isUnused(token, config.unusedTokenDays),
  replacedBy: token.replacedBy ?? null,
});

/** The wire record of a personal access token, without the token itself. Only its user can make one. */
export const personalAccessTokenRecord = (token: PersonalToken): Infer<typeof personalAccessTokenSchema> => ({
  ...commonFields(token, token.userId),
  limits: limitsRecord(token.limits),
});

const grantFields = (grants: MachineGrants) => ({
  repositoryPermissionLevel: 'level' in grants ? grants.level : null,
  repositories: sortedEntries('level' in grants ? {} : grants.repositories).map(([repositoryId, level]) => ({
    repositoryId,
    repositoryPermissionLevel: level,
  })),
});

/** The wire record of a workspace token, without the token itself. */
export const workspaceTokenRecord = (token: WorkspaceToken): Infer<typeof workspaceTokenSchema> => ({
  ...commonFields(token, token.createdBy),
  workspaceId: token.workspaceId,
  ...grantFields(token.grants),
});

/** What the answer that creates a token tells. */
const newTokenRecord = ({ tokenId: id, name, expirationDate, createdAt }: Token, secret: string) => ({
  id,
  name,
  token: secret,
  expirationDate,
  createdAt,
});

/** The same for a personal access token. */
export const newPersonalAccessTokenRecord = (token: PersonalToken, secret: string) => ({
  ...newTokenRecord(token, secret),
  limits: limitsRecord(token.limits),
});

/** The same for a workspace token. */
export const newWorkspaceTokenRecord = (token: WorkspaceToken, secret: string) => ({
  ...newTokenRecord(token, secret),
  workspaceId: token.workspaceId,
  ...grantFields(token.grants),
});
