import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what rebuilds an index whose snapshot the store has lost. */
export const lostIndexMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/index/index-rebuild.ts', 'faults/lost-indexes', {
    'a part of an index passes for the whole': ['if (isLive(item)) throw lostIndex();', 'if (isLive(item)) continue;'],
  }),
  ...bugsIn('shared/packages/index/compaction.ts', 'faults/lost-indexes', {
    'changes are lost with their snapshot': [
      'newest.has(each) ? [mergedChangeKept(ref, each.change), removal] : [removal]',
      '[removal]',
    ],
    'one refused change keeps all others from their place': [
      'writes.filter((_, position) => !refusal[position])',
      '[]',
    ],
  }),
  ...bugsIn('shared/packages/index/package-index.ts', 'faults/lost-indexes', {
    'an old change replaces a later one beside the index': [
      '?.change.revision ?? -1) < revision',
      '?.change.revision ?? 1e9) > revision',
    ],
  }),
  ...bugsIn('shared/table/packages/head-writes.ts', 'faults/lost-indexes', {
    'what a compaction left behind replaces a later change': [
      "...anyOf(isAbsent, isAtMost('revision', change.revision)),",
      '',
    ],
  }),
  ...bugsIn('shared/table/packages/package-keys.ts', 'faults/lost-indexes', {
    'merged changes of a version pile up': [
      "hash('sha256', version, 'base64url')",
      "hash('sha256', `${version} ${Math.random()}`, 'base64url')",
    ],
  }),
];
