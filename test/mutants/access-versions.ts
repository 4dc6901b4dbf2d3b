import { bugsIn, type Mutant } from './mutant.ts';

const orders = '~races/access-versions';
const next = 'front/next-request';

/** Bugs in what a process remembers of callers, and in what counts their access versions. */
export const accessVersionMutants: readonly Mutant[] = [
  ...bugsIn('shared/table/identity/remembered-access.ts', orders, {
    'what was read together with a version is kept': [
      'sighting = { version, items: new Map() };',
      'sighting = { version, items: new Map(reading.map((key) => [keyText(key), loaded.find(key as Key<Item>)])) };',
    ],
    'what is known is used whatever the version': ['sighting?.version !== version', '!sighting'],
    'the front uses what it knows whatever the version': ['sighting?.version !== version', '!sighting', next],
    'what another version has shown is kept with the first': [
      'if (sighting) keep(text, sighting, reading, loaded);',
      'if (sighting) keep(text, sightings.get(text) ?? sighting, reading, loaded);',
    ],
    'nothing is known to another request': [
      'let sighting = sightings.get(text);',
      'let sighting: Sighting | undefined;',
    ],
  }),
  ...bugsIn('shared/table/identity/workspaces-of-user.ts', 'functions/users/get-current-user', {
    'the workspaces of a user are known whatever the version': ['known?.version === accessVersionOf(user)', 'known'],
    'the first read has no workspaces that are known': ['listings.get(userId)?.entries ?? []', '[]'],
    'however many workspaces are known': ['!config.remembersAccess || entries.length > rememberedMax', 'false'],
  }),
  ...bugsIn('shared/table/identity/workspaces-of-user.ts', 'shared/table/identity/workspaces-of-user', {
    'workspaces are known where the stage does not say so': ['!config.remembersAccess || ', ''],
  }),
  ...bugsIn('shared/table/identity/tokens.ts', [orders, next], {
    'the end of a token is not counted': ['...(isPersonal(token) ? [accessChanged(token.username)] : []),', ''],
  }),
  ...bugsIn('shared/table/identity/token-rotation.ts', orders, {
    'the rotation of a token is not counted': [
      'accessChanged(old.username)',
      "{ check: tokenKey('none'), if: 'attribute_not_exists(pk)' }",
    ],
  }),
  ...bugsIn('shared/table/identity/memberships.ts#memberAdded', orders, {
    'a new membership is not counted': ['accessChanged(username),', ''],
  }),
  ...bugsIn('shared/table/identity/memberships.ts#memberChanged', orders, {
    'another role is not counted': ['accessChanged(username),', ''],
  }),
  ...bugsIn('shared/table/identity/memberships.ts#removeMember', orders, {
    'the end of a membership is not counted': ['accessChanged(username),', ''],
  }),
  ...bugsIn('shared/table/identity/grants.ts', orders, {
    'a change of grants is not counted': ['[...plan.writes, accessChanged(membership.username)]', 'plan.writes'],
  }),
  ...bugsIn('shared/table/identity/access-version.ts', orders, {
    'changes set the version in place of counting it': ["'ADD #accessVersion :one'", "'SET #accessVersion = :one'"],
  }),
  ...bugsIn('shared/http/caller.ts', orders, {
    'a token that is remembered never expires': ['!(token && isCurrent(token))', '!token'],
  }),
  ...bugsIn('infra/access-memory.ts', '~infra/settings', {
    'access is remembered beside a release that does not count its versions': ['before.every(', 'before.some('],
  }),
  ...bugsIn('infra/api/function.ts', 'infra/settings', {
    'access is remembered where the stage does not say so': [
      "defaults.remembersAccess && { [environment.remembersAccess]: 'true' }",
      "true && { [environment.remembersAccess]: 'true' }",
    ],
  }),
];
