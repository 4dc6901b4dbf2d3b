import { createHash } from 'node:crypto';
import type { LoadedDocument } from '../fetch/remote-documents.ts';
import type { Release } from '../releases/gate-of.ts';
import { type HeldRelease, heldBy, type OpenGate, observedHeaders } from '../releases/open-gate.ts';
import { addedReleases, allPass, withSeen } from '../releases/release-times.ts';

/** How the index of a package type says what it lists, and how it looks without some of that. */
export interface IndexGate<I> {
  /** What it lists; of a list that is too long to look at each, only what was added to it while it was known. */
  readonly releases: ((index: I) => Iterable<Release>) | 'additions';
  readonly without: (index: I, held: ReadonlySet<string>) => I;
}

/** An index behind a gate. */
export interface GatedIndex<I> extends Pick<LoadedDocument<I>, 'revision' | 'read'> {
  readonly held: readonly HeldRelease[];
  readonly headers: Readonly<Record<string, string>>;
}

/** An index that shows all that it has. */
export const openIndex = <I>({ revision, read }: Pick<LoadedDocument<I>, 'revision' | 'read'>): GatedIndex<I> => ({
  revision,
  read,
  held: [],
  headers: {},
});

/** The revision of an index without some releases: it changes exactly with what is left out. */
const revisionWithout = (revision: string, ids: readonly string[]): string =>
  `${revision}-${createHash('sha256').update(JSON.stringify(ids.toSorted())).digest('base64url')}`;

/** What the indexes of this process list: those of large repositories are parsed once. */
const known = new WeakMap<object, readonly Release[]>();

const releasesOf = <I>(index: I, releases: (index: I) => Iterable<Release>): readonly Release[] => {
  if (typeof index !== 'object' || index === null) return [...releases(index)];
  const found = known.get(index) ?? [...releases(index)];
  known.set(index, found);
  return found;
};

/** The index of an upstream without what its gate holds back. It is read only if something in it may be held back. */
export const gatedIndex = async <I>(
  gate: OpenGate | undefined,
  name: string,
  found: LoadedDocument<I>,
  { releases, without }: IndexGate<I>,
): Promise<GatedIndex<I>> => {
  if (!gate || allPass(gate, found.times)) return openIndex(found);
  const listed =
    releases === 'additions'
      ? addedReleases(found.times)
      : withSeen(releasesOf(await found.read(), releases), found.times);
  const held = listed.flatMap((release) => heldBy(gate, release.name ?? name, release) ?? []);
  if (held.length === 0) return openIndex(found);
  if (gate.gate.mode === 'observe') return { ...openIndex(found), headers: observedHeaders };
  const ids = held.map(({ release }) => release.id);
  return {
    held,
    headers: { 'Cache-Control': 'no-store' },
    revision: revisionWithout(found.revision, ids),
    read: async () => without(await found.read(), new Set(ids)),
  };
};
