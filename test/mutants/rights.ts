import { bugsIn, type Mutant } from './mutant.ts';

const stale = 'shared/table/stale-records';

/** Bugs in the grants, and in what the table layer does with a record that has changed since it was read. */
export const rightsMutants: readonly Mutant[] = [
  ...bugsIn('functions/members/grantee.ts', 'functions/members/add-workspace-member#USER_NOT_FOUND', {
    'a username in place of an ID is a user who is not there': [
      "if (id === undefined) throw new ApiError('USER_NOT_FOUND', noId);",
      "if (id === undefined) throw new ApiError('USER_NOT_FOUND');",
    ],
    'an ID of nobody is no ID': [
      "if (!entry) throw new ApiError('USER_NOT_FOUND');",
      "if (!entry) throw new ApiError('USER_NOT_FOUND', noId);",
      'functions/members/add-repository-member#USER_NOT_FOUND',
    ],
  }),
  ...bugsIn('functions/repositories/list-member-repositories.ts', 'functions/repositories/list-member-repositories', {
    'members see what others may do': ['!caller.isWorkspaceAdmin && ', "params.user === '' && "],
    'who is no member has an empty list': [
      "if (!item) throw new ApiError('MEMBER_NOT_FOUND', 'This user is not a member of this workspace.');",
      "if (!item) return { userId: '', username: '', role: 'admin', grants: {} };",
    ],
  }),
  ...bugsIn('shared/table/identity/grants.ts', stale, {
    'a member holds one grant less in the membership': [
      'after.length > inlineGrantsMax',
      'after.length >= inlineGrantsMax',
    ],
    'the grants that a member has do not count': [
      'grantCount + added > grantsMax',
      'added > grantsMax',
      'functions/members/add-member-to-repositories',
    ],
    'two requests together grant too many': ['grantsMax - Math.max(added, 0)', 'grantsMax * 2'],
    'a shard grows beyond three read units': ['levels.size > Math.max(size, shardGrantsMax)', 'false'],
    'a removed grant still counts': ["':added': added,", "':added': Math.max(added, 0),"],
  }),
  ...bugsIn('shared/http/listed-repositories.ts', 'functions/members/add-member-to-repositories', {
    'a repository may be listed by its ID and its name': ['items[index]?.repositoryId ?? ', ''],
    'a token may be made for a repository that is not there': [
      'requireValid(violations);',
      '',
      'functions/tokens/create-workspace-token',
    ],
  }),
  ...bugsIn('shared/table/identity/levels.ts', 'scale/document-reads#A member who reads', {
    'a process forgets whose grants are in shards': ['shardedMembers.set(text, isSharded(membership));', '{}'],
    'a level in a shard counts for nothing': ['grantCount > 0;', 'grantCount > 1_000;'],
  }),
  ...bugsIn('shared/table/identity/grants.ts#inlineGrants', stale, {
    'an admin gets a grant': ['#role = :member AND (', '(#role = :member OR attribute_exists(#role)) AND ('],
    'a grant in the membership takes the place of others': [' AND #grants = :grants', ''],
    'a grant stands in the membership beside others in shards': ['OR #grantCount = :none', 'OR #grantCount >= :none'],
  }),
  ...bugsIn('shared/table/identity/grants.ts#countGrants', stale, {
    'an admin gets a grant beyond many': [
      '#role = :member AND (',
      '(#role = :member OR attribute_exists(#role)) AND (',
    ],
    'grants that move to shards lose one that came meanwhile': [" AND #grants = :grants'", "'"],
  }),
  ...bugsIn('shared/http/authorization.ts', 'functions/workspaces/update-workspace', {
    'a stranger is told by the role which workspaces exist': ['if (contract.refusal) requireThat', 'requireThat'],
  }),
  ...bugsIn('shared/http/authorization.ts', 'scale/document-reads#A document of the type', {
    'who reads a repository reads its workspace, too': [
      "method === 'GET' && at !== undefined",
      "method === 'HEAD' && at !== undefined",
    ],
    'a repository that is not there proves its workspace': [
      'at !== undefined && (item !== undefined || next.length > 0)',
      'at !== undefined',
      'functions/repositories/get-repository',
      'functions/npm/get-npm-document',
    ],
  }),
  ...bugsIn(
    'shared/packages/sources/resolution.ts',
    ['functions/go/get-go-file', 'functions/go/get-go-file-from-upstream'],
    {
      'nobody looks who holds the name of a file': ['sources.all.length > 1 ?', 'sources.all.length > 9 ?'],
    },
  ),
  ...bugsIn('shared/packages/sources/resolution.ts', 'sweeps/emptied-names', {
    'an emptied repository has no names until the sweeper comes': [', ...(source.earlierContents ?? [])]', ']'],
  }),
  ...bugsIn('shared/packages/serve/repository-index.ts#namesBefore', 'sweeps/emptied-indexes', {
    'an emptied repository has no names in the index of all packages until the sweeper comes': [
      '...(source.earlierContents ?? []), ',
      '',
    ],
    'an emptied repository has no names in the index of all packages once the sweeper came': [
      ', contentIdOf(source)]',
      ']',
    ],
  }),
  ...bugsIn('shared/table/repositories/swept-content.ts', 'sweeps/emptied-names', {
    'the names of an emptied repository go with its content': [
      'named && wasPublished(head) && !(await keepName(table, sweep, named))',
      'named && wasPublished(head) && false',
    ],
    'an earlier content is looked at for ever': ['...(await namesKept(table, sweep)),', ''],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', 'scale/document-reads#A document of the type', {
    'the package of a file of two repositories is read by a call of its own': [
      'contents.length === 1 ?',
      'contents.length < 9 ?',
    ],
    'the package of a file is read where one repository answers': [
      'contents.length === 1 ?',
      'contents.length === 0 ?',
    ],
  }),
  ...bugsIn('shared/table/identity/grant-shards.ts', [stale, 'functions/members/add-workspace-member'], {
    'an admin keeps grants': ['shardNames.map((shard) => ({ remove', 'shardNames.slice(1, 9).map((shard) => ({ remove'],
    'parts of two grants are one': [
      'while (at % grantBytes > 0) at = packed.indexOf(id, at + 1);',
      '',
      'shared/table/identity/grant-shards',
    ],
    'a request reads all grants of its caller': [
      '[...new Set(repositoryIds.map(shardOf))].map(',
      '(repositoryIds.length > 0 ? shardNames : []).map(',
      'scale/table-capacity#Read units',
    ],
  }),
  ...bugsIn('shared/table/writes.ts', stale, {
    'a replacement loses what others wrote': ["'#writeId = :seen'", "'#writeId = :seen OR attribute_exists(pk)'"],
  }),
  ...bugsIn('shared/table/identity/users.ts', stale, {
    'a change of a stale user miscounts the admins': [
      "[...new Set([...fields, 'disabled' as const, 'userRole' as const])]",
      '[...new Set(fields)]',
    ],
  }),
  ...bugsIn('shared/table/identity/memberships.ts', stale, {
    'a deleted workspace gets a new member': [
      "if: 'attribute_exists(pk)' },\n    insertion(",
      "if: 'attribute_exists(pk) OR attribute_not_exists(pk)' },\n    insertion(",
    ],
  }),
  ...bugsIn('shared/table/identity/memberships.ts#memberChanged', stale, {
    'a member of a deleted workspace gets another role': [
      "if: 'attribute_exists(pk)' }",
      "if: 'attribute_exists(pk) OR attribute_not_exists(pk)' }",
    ],
  }),
  ...bugsIn('shared/table/repositories/repositories.ts', stale, {
    'a child is in use by nothing after a deletion': [
      "{ if: `${unlisted} AND #children = :children`, values: { ':children': repository.children } }",
      '{ if: unlisted }',
    ],
    'a deleted child is listed': [
      'if: `#packageType = :packageType${',
      'if: `(attribute_not_exists(pk) OR #packageType = :packageType)${',
    ],
    'the grants on a deleted repository stay': [
      '    leaveGrants(workspaceId, repositoryId),\n',
      '',
      'sweeps/sweeper#on deleted',
    ],
  }),
  ...bugsIn('shared/table/repositories/repository-changes.ts', 'functions/audit/list-workspace-records', {
    'a virtual repository that stays leaves a record': [
      'if (isDeepStrictEqual(now, repository)) return repository;',
      '',
    ],
  }),
  ...bugsIn('shared/table/identity/grants.ts', 'functions/audit/list-workspace-records', {
    'a level that stays leaves a record': [
      'before.get(id) === level',
      'before.get(id) === level && level === undefined',
    ],
  }),
  ...bugsIn('shared/table/repositories/repository-changes.ts', stale, {
    'a child is in use by nothing after a change': [
      '{ children, uploadLocalRepositoryId, upstreamNames }),',
      '{ upstreamNames }),',
    ],
    'a password goes to a URL that it was not sent for': [
      ', remoteRepositoryUrl, passwordCiphertext }),',
      ', remoteRepositoryUrl }),',
    ],
  }),
  ...bugsIn('shared/table/identity/grant-sweeps.ts', 'sweeps/sweeper#deleted', {
    'grants are swept while a request can add one': ['deletedAt <= settledAt', "deletedAt !== ''"],
  }),
  ...bugsIn('shared/table/queues/sweeps.ts', 'sweeps/sweeper#deleted', {
    'a deleted workspace leaves grants behind': ['const done = shards.length < shardsPerWrite && ', 'const done = '],
    'a deleted workspace leaves tokens behind': [' && tokens < pairsPerWrite', ''],
    'a deleted workspace leaves trusts behind': [' && trusts < pairsPerWrite', ''],
  }),
  ...bugsIn('shared/table/lists.ts', 'scale/table-capacity#Read units', {
    'a list that is too long is read to its end': [
      'after !== undefined && stored.length <= listEntriesMax',
      'after !== undefined',
    ],
    'a page looks without end': ['let left = page.reach + 1;', 'let left = Number.MAX_SAFE_INTEGER;'],
    'a short page is the last': [
      'isTooLarge(entries)) return { entries, next };',
      'isTooLarge(entries)) return { entries, next: undefined };',
      'scale/lists#short pages',
    ],
    'large entries are read without end': [
      'length - 1 && isTooLarge(entries)',
      'length - 1 && false',
      'shared/table/lists',
    ],
  }),
  ...bugsIn('functions/repositories/visible-repositories.ts', 'scale/table-capacity#Read units', {
    'a page reads all that the member was granted': ['grantCountOf(membership) <= readMax', 'readMax > 0'],
  }),
];
