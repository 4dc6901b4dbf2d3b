import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import { millisecondsOf, type Release } from '../../shared/packages/releases/gate-of.ts';
import type { ComposerVersion } from './index-entries.ts';

/** The versions of a package. The time of a branch is that of its last commit. */
export const releasesOf = (versions: readonly ComposerVersion[]): readonly Release[] =>
  versions.map(({ version, fields }) => ({ id: version, version, publishedAt: millisecondsOf(fields.time) }));

/** How the document of a package loses what a gate holds back. */
export const versionsGate: IndexGate<readonly ComposerVersion[]> = {
  releases: releasesOf,
  without: (versions, held) => versions.filter(({ version }) => !held.has(version)),
};
