import { hash } from 'node:crypto';
import { countGated } from '../../observability/metrics.ts';
import type { LoadedDocument } from '../fetch/remote-documents.ts';
import type { Release } from '../releases/gate-of.ts';
import {
  type HeldRelease,
  hasRulings,
  heldBy,
  isEnforced,
  type OpenGate,
  observedHeaders,
} from '../releases/open-gate.ts';
import { addedReleases, allPass, withSeen } from '../releases/release-times.ts';
import { isAboutName, observedOn } from '../releases/rulings.ts';

/** How the index of a package type says what it lists, and how it looks without some of that. */
export interface IndexGate<I> {
  /** What it lists; of a list that is too long to look at each, only what was added to it while it was known. */
  readonly releases: ((index: I) => Iterable<Release>) | 'additions';
  /** What a list that is too long to look at each has of some names. */
  readonly ofNames?: (index: I, isNamed: (name: string) => boolean) => Iterable<Release>;
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
  `${revision}-${hash('sha256', JSON.stringify(ids.toSorted()), 'base64url')}`;

/** What the indexes of this process list: those of large repositories are parsed once. */
const known = new WeakMap<object, readonly Release[]>();

const releasesOf = <I>(index: I, releases: (index: I) => Iterable<Release>): readonly Release[] => {
  if (typeof index !== 'object' || index === null) return [...releases(index)];
  const found = known.get(index) ?? [...releases(index)];
  known.set(index, found);
  return found;
};

/** The gate, where its own rules can hold back something of a document; otherwise only what verdicts and advisories leave of it. */
const needed = (
  open: OpenGate | undefined,
  { times, releases }: Pick<LoadedDocument<unknown>, 'times' | 'releases'>,
): OpenGate | undefined => {
  if (!open || releases || !allPass(open, times)) return open;
  return hasRulings(open) ? { ...open, gate: undefined } : undefined;
};

/** What an index lists that may be held back, each once. */
const listedIn = async <I>(
  { gate, verdicts }: OpenGate,
  { read, times, releases: dated }: LoadedDocument<I>,
  { releases, ofNames }: IndexGate<I>,
): Promise<readonly Release[]> => {
  if (dated) return dated;
  if (releases !== 'additions') return withSeen(releasesOf(await read(), releases), times);
  const isNamed = (name: string): boolean => verdicts.some((verdict) => isAboutName(verdict, name));
  const named = ofNames && verdicts.length > 0 ? ofNames(await read(), isNamed) : [];
  const all = [...named, ...(gate ? addedReleases(times) : [])];
  return [...new Map(all.map((release) => [release.id, release])).values()];
};

/** The index of an upstream without what may not leave. It is read only if something in it may be held back. */
export const gatedIndex = async <I>(
  open: OpenGate | undefined,
  name: string,
  found: LoadedDocument<I>,
  index: IndexGate<I>,
): Promise<GatedIndex<I>> => {
  const gate = needed(open, found);
  if (!gate) return openIndex(found);
  const listed = await listedIn(gate, found, index);
  const all = listed.flatMap((release) => heldBy(gate, release.name ?? name, release) ?? []);
  const held = all.filter((each) => isEnforced(gate, each.held));
  const isObserved =
    held.length < all.length || listed.some((each) => observedOn(gate, each.name ?? name, each.version));
  const headers = isObserved ? observedHeaders : {};
  if (isObserved) countGated('wouldHold');
  if (held.length === 0) return { ...openIndex(found), headers };
  countGated('answersWithout');
  const ids = held.map(({ release }) => release.id);
  return {
    held,
    headers: { 'Cache-Control': 'no-store', ...headers },
    revision: revisionWithout(found.revision, ids),
    read: async () => index.without(await found.read(), new Set(ids)),
  };
};
