import { type GrantShard, levelsIn } from '../../shared/table/identity/grant-shards.ts';
import type { Item } from '../../shared/table/keys.ts';

/** What the table holds of what records tell, by kind and ID. */
export interface State {
  readonly users: Record<string, unknown>;
  readonly tokens: Record<string, unknown>;
  readonly workspaces: Record<string, unknown>;
  /** By workspace and user. */
  readonly members: Record<string, unknown>;
  /** The level by workspace, user and repository. */
  readonly grants: Record<string, unknown>;
  readonly repositories: Record<string, unknown>;
  readonly trusts: Record<string, unknown>;
}

const empty = (): State => ({
  users: {},
  tokens: {},
  workspaces: {},
  members: {},
  grants: {},
  repositories: {},
  trusts: {},
});

type Fields = Readonly<Record<string, unknown>>;

/** Absent and null mean the same. */
const without = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== null && !names.includes(name)));

interface Recorded {
  readonly action: string;
  readonly workspaceId: string;
  readonly target: { readonly id: string };
  readonly before: string;
  readonly after: string;
}

const forget = (entries: Record<string, unknown>, isGone: (key: string, value: Fields) => boolean): void => {
  for (const [key, value] of Object.entries(entries)) if (isGone(key, value as Fields)) delete entries[key];
};

const apply = (state: State, { action, workspaceId, target: { id }, before, after }: Recorded): void => {
  const fields = JSON.parse(after) as Fields | null;
  const [kind = '', verb = ''] = action.split('.');
  const kinds: Readonly<Record<string, Record<string, unknown>>> = {
    user: state.users,
    token: state.tokens,
    workspace: state.workspaces,
    member: state.members,
    repository: state.repositories,
    trust: state.trusts,
  };
  const key = kind === 'member' || kind === 'grants' ? `${workspaceId} ${id}` : id;
  if (kind === 'grants') {
    for (const repositoryId of Object.keys(JSON.parse(before) as object)) delete state.grants[`${key} ${repositoryId}`];
    for (const [repositoryId, level] of Object.entries(fields ?? {})) state.grants[`${key} ${repositoryId}`] = level;
    return;
  }
  if (verb === 'rotated') {
    const { id: replacedBy, replacedUntil, ...differing } = fields ?? {};
    const old = state.tokens[id] as Fields;
    if (replacedUntil === null) delete state.tokens[id];
    else state.tokens[id] = { ...old, expirationDate: replacedUntil, replacedBy };
    state.tokens[String(replacedBy)] = without({ ...old, ...differing });
    return;
  }
  const entries = kinds[kind];
  if (!entries || verb === 'emptied') return;
  const { passwordChanged: _, tokensRevoked, ...changed } = fields ?? {};
  if (verb === 'deleted' || verb === 'removed') delete entries[key];
  else entries[key] = without({ ...(entries[key] as Fields | undefined), ...changed });
  if (tokensRevoked) forget(state.tokens, (_key, { userId }) => userId === id);
  // An admin has no grants, and a new member has none.
  if (kind === 'member') forget(state.grants, (grant) => grant.startsWith(`${key} `));
  if (kind === 'repository' && verb === 'deleted') forget(state.grants, (grant) => grant.endsWith(` ${id}`));
  if (kind === 'workspace' && verb === 'deleted') {
    forget(state.members, (member) => member.startsWith(`${id} `));
    forget(state.grants, (grant) => grant.startsWith(`${id} `));
    forget(state.tokens, (_key, token) => token.workspaceId === id);
    forget(state.trusts, (_key, trust) => trust.workspaceId === id);
  }
  if ((kind === 'token' || kind === 'trust') && entries[key] !== undefined && workspaceId !== '')
    entries[key] = { ...(entries[key] as Fields), workspaceId };
};

/** The state that the records alone give. */
export const replayed = (items: readonly Item[]): State => {
  const state = empty();
  const records = items
    .filter(({ pk }) => pk.startsWith('AUDIT#'))
    .toSorted((one, other) => (one.sk < other.sk ? 1 : -1));
  for (const record of records) apply(state, record as Item & Recorded);
  return state;
};

/** What a table holds that records do not tell: keys, secrets and what only counts. */
const unrecorded = [
  'pk',
  'sk',
  'writeId',
  'passwordHash',
  'accessVersion',
  'passwordVersion',
  'tokenGeneration',
  'sessionGeneration',
  'tokenHash',
  'lastUsedAt',
  'countShares',
  'countShare',
  'listedBy',
  'contentId',
  'earlierContents',
  'passwordCiphertext',
  'children',
  'kind',
  'actorId',
  'expiresAt',
  'revision',
];

/** The state that the table has. */
export const stored = (items: readonly Item[]): State => {
  const state = empty();
  const of = (pattern: RegExp, sk?: RegExp): Item[] =>
    items.filter((item) => pattern.test(item.pk) && (sk?.test(item.sk) ?? true));
  const generations = new Map<unknown, unknown>();
  for (const user of of(/^USER#/)) {
    generations.set(user.userId, user.tokenGeneration);
    state.users[String(user.userId)] = without(user, ...unrecorded, 'userId');
  }
  for (const workspace of of(/^WORKSPACE#/, /^WORKSPACE$/))
    state.workspaces[String(workspace.workspaceId)] = without(workspace, ...unrecorded, 'workspaceId');
  const workspaceOf = ({ pk }: Item): string => pk.replace('WORKSPACE#', '');
  const live = of(/^WORKSPACE#/).filter((item) => workspaceOf(item) in state.workspaces);
  const among = (sk: RegExp): Item[] => live.filter((item) => sk.test(item.sk));
  for (const item of among(/^REPOSITORY#/)) {
    const { passwordCiphertext, children } = item;
    const told = {
      ...item,
      ...(passwordCiphertext !== undefined && { hasRemoteRepositoryPassword: passwordCiphertext !== null }),
      ...(children !== undefined && {
        childRepositories: (children as { id: string; name: string }[]).map(({ id, name }) => ({ id, name })),
      }),
    };
    state.repositories[String(item.repositoryId)] = without(told, ...unrecorded, 'workspaceId', 'repositoryId');
  }
  const holdsGrants = (item: Item, userId: string, levels: Iterable<readonly [string, unknown]>): void => {
    for (const [repositoryId, level] of levels)
      if (repositoryId in state.repositories) state.grants[`${workspaceOf(item)} ${userId} ${repositoryId}`] = level;
  };
  for (const item of among(/^GRANTS#/)) {
    const [, userId = ''] = item.sk.split('#');
    holdsGrants(item, userId, levelsIn(item as Item & GrantShard));
  }
  for (const member of among(/^MEMBER#/)) {
    state.members[`${workspaceOf(member)} ${String(member.userId)}`] = { role: member.role };
    holdsGrants(member, String(member.userId), Object.entries(member.grants ?? {}));
  }
  for (const trust of among(/^TRUST#/)) state.trusts[String(trust.trustId)] = without(trust, ...unrecorded, 'trustId');
  for (const token of of(/^TOKEN#/)) {
    const isCurrent =
      token.kind === undefined
        ? generations.get(token.userId) === token.tokenGeneration
        : String(token.workspaceId) in state.workspaces;
    if (isCurrent) state.tokens[String(token.tokenId)] = without(token, ...unrecorded, 'tokenId');
  }
  return state;
};
