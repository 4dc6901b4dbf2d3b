import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import { millisecondsOf, type Release } from '../../shared/packages/releases/gate-of.ts';
import type { ComposerVersion } from './index-entries.ts';

/** What is new at an upstream: a version that was tagged again, or a branch that moved, is another release of the same name. */
const idOf = ({ version, dist }: ComposerVersion): string =>
  dist ? `${version} ${dist.reference || dist.file}` : version;

/** The versions of a package. Their times are those of commits, as authors wrote them; that of a branch is of its last one. */
export const releasesOf = (versions: readonly ComposerVersion[]): readonly Release[] =>
  versions.map((each) => ({
    id: idOf(each),
    version: each.version,
    publishedAt: millisecondsOf(each.fields.time),
    isAuthorsTime: true,
  }));

/** How the document of a package loses what a gate holds back. */
export const versionsGate: IndexGate<readonly ComposerVersion[]> = {
  releases: releasesOf,
  without: (versions, held) => versions.filter((each) => !held.has(idOf(each))),
};
