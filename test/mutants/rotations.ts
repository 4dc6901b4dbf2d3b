import { bugsIn, type Mutant } from './mutant.ts';

// The suite calls the table layer itself: what serves it needs no bug.
const table = '~shared/table/stale-tokens';

/** Bugs in what a rotation of tokens checks and leaves behind. */
export const rotationMutants: readonly Mutant[] = [
  ...bugsIn('shared/table/identity/token-rotation.ts', table, {
    'a token is rotated in a workspace that is gone': [
      ": { check: workspaceKey(old.workspaceId), if: 'attribute_exists(pk)' }",
      ": { check: tokenKey('none'), if: 'attribute_not_exists(pk)' }",
    ],
    'the list keeps the place of the old token': ['  { remove: tokenEntryKey(old) },\n', ''],
    'the place of the old token stays after its overlap': [
      '{ put: { ...tokenEntryKey(old), id: old.tokenId, expiresAt } }',
      '{ put: { ...tokenEntryKey(old), id: old.tokenId } }',
    ],
    'the old token stays after its overlap': [
      "'SET #expirationDate = :until, #replacedBy = :replacedBy, #expiresAt = :expiresAt'",
      "'SET #expirationDate = :until, #replacedBy = :replacedBy, #ended = :expiresAt'",
    ],
    'a token has two successors': [
      "'attribute_exists(pk) AND attribute_not_exists(#replacedBy)'",
      "'attribute_exists(pk)'",
    ],
    'a token that was deleted has a successor': [
      "'attribute_exists(pk) AND attribute_not_exists(#replacedBy)'",
      "'attribute_not_exists(#replacedBy)'",
    ],
  }),
  ...bugsIn('shared/table/identity/workspace-tokens.ts', table, {
    'a token is made in a workspace that is gone': [
      "      { check: workspaceKey(fields.workspaceId), if: 'attribute_exists(pk)' },\n",
      '',
    ],
  }),
];
