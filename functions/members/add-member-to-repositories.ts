import { config } from '../../shared/config.ts';
import { invalid, type Violation } from '../../shared/errors.ts';
import type { Rule } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, repositoryKey, repositoryNameKey } from '../../shared/table/keys.ts';
import { grant } from '../../shared/table/memberships.ts';
import { parseReference } from '../../shared/table/references.ts';
import { repositoryOf } from '../../shared/table/repositories.ts';
import { addMemberToRepositories } from './contracts.ts';
import { granteeKeys, granteeOf, grantRefused, grantViolations } from './grantee.ts';

/** The operator's bound, where it is lower than the contract's. */
const boundRule: Rule<typeof addMemberToRepositories> = ({ repositories }) => {
  const max = config.maxBatchRepositories;
  if (!repositories || repositories.length <= max) return [];
  const message = `repositories must be an array of 1 to ${max} items here: send the rest in further requests.`;
  return [{ pointer: '/repositories', rule: 'maxItems', message }];
};

/** One item of a name tells its ID; one of an ID tells that it exists, and its name. */
const referenceKey = (workspaceId: string, text: string): Key | undefined => {
  const reference = parseReference(text);
  if (!reference) return undefined;
  return 'id' in reference ? repositoryKey(workspaceId, reference.id) : repositoryNameKey(workspaceId, reference.name);
};

const resolve = (workspaceId: string, text: string, loaded: IdentityMap): { id: string; name: string } | undefined => {
  const key = referenceKey(workspaceId, text);
  const item = key && loaded.find(key);
  if (!item) return undefined;
  const repository = 'repositoryId' in item ? repositoryOf(item) : undefined;
  return repository ? { id: repository.repositoryId, name: repository.name } : { id: String(item.id), name: text };
};

type Asked = readonly { readonly repositoryReference: string }[];
type Resolved = readonly ({ readonly id: string; readonly name: string } | undefined)[];

const sentReference = (asked: Asked, index: number): string =>
  `repositories[${index}].repositoryReference '${asked[index]?.repositoryReference}'`;

const referenceViolations = (asked: Asked, resolved: Resolved): Violation[] =>
  resolved.flatMap((repository, index) => {
    const pointer = `/repositories/${index}/repositoryReference`;
    const first = resolved.findIndex((other, at) =>
      repository ? other?.id === repository.id : asked[at]?.repositoryReference === asked[index]?.repositoryReference,
    );
    if (!repository && first === index)
      return [
        { pointer, rule: 'exists', message: `${sentReference(asked, index)} is no repository of this workspace.` },
      ];
    if (first === index) return [];
    const message = `${sentReference(asked, index)} and ${sentReference(asked, first)} are the same repository; list it once.`;
    return [{ pointer, rule: 'distinct', message }];
  });

export const handler = endpoint(
  addMemberToRepositories,
  async ({ body, workspace: { workspaceId }, loaded, table }) => {
    const { userId, membership } = granteeOf(workspaceId, body.userId, loaded);
    const resolved = body.repositories.map((item) => resolve(workspaceId, item.repositoryReference, loaded));
    const violations = [
      ...grantViolations(membership, resolved.length),
      ...referenceViolations(body.repositories, resolved),
    ];
    if (violations.length > 0) throw invalid(violations);

    const repositories = resolved.flatMap((repository, index) => {
      const level = body.repositories[index]?.repositoryPermissionLevel;
      if (!repository || !level) return [];
      return [{ repositoryId: repository.id, repositoryName: repository.name, repositoryPermissionLevel: level }];
    });
    const grants = repositories.map(({ repositoryId, repositoryPermissionLevel: level }) => ({ repositoryId, level }));
    const before = await grant(table, workspaceId, userId, grants, membership);
    if (typeof before === 'string') throw grantRefused(before);
    return { userId, repositories };
  },
  {
    rules: [boundRule],
    alsoRead: ({ body, workspaceId }) => [
      ...granteeKeys(workspaceId, body.userId),
      ...(body.repositories ?? [])
        .map(({ repositoryReference }) => referenceKey(workspaceId, repositoryReference))
        .filter((key) => key !== undefined),
    ],
  },
);
