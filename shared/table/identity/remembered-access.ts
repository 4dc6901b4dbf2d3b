import { BoundedCache } from '../../bounded-cache.ts';
import type { IdentityMap } from '../identity-map.ts';
import { type Item, type Key, keyText } from '../keys.ts';

/** Items that change only together with the version of another one. */
export interface Versioned {
  /** The key of the item with the version. */
  readonly by: Key;
  /** Undefined if there is no such item, or if it was not read. */
  readonly versionIn: (loaded: IdentityMap) => number | undefined;
  readonly covers: (key: Key) => boolean;
}

/** A version that this process has seen, and what it has read of what the version covers in reads that began afterwards. */
interface Sighting {
  readonly version: number;
  readonly items: Map<string, Item | undefined>;
}

/** A sighting weighs one, and each item in it another: mostly some hundred bytes, and 12 kB where they are the most grants of a shard. */
const sightings = new BoundedCache<Sighting>(5_000);

/**
 * Names the keys to read for a request, without those whose items this process knows. What a version covers changes only in transactions
 * that count the version. An item is kept if it was read after a read had shown a version, and used if a later read shows the same
 * version: then nothing has changed the item in between. A read of several keys is none of one moment. So an item that was read together
 * with the version may be older than a change which the version counts already, and is not kept.
 */
export const remembering = (
  { by, versionIn, covers }: Versioned,
  wanted: (loaded: IdentityMap) => readonly Key[],
): ((loaded: IdentityMap) => readonly Key[]) => {
  const text = keyText(by);
  let sighting = sightings.get(text);
  let reading: readonly Key[] = [];
  return (loaded) => {
    if (sighting) keep(text, sighting, reading, loaded);
    const version = versionIn(loaded);
    if (version !== undefined) {
      if (sighting?.version !== version) {
        sighting = { version, items: new Map() };
        sightings.set(text, sighting);
      }
      loaded.trust(sighting.items);
    }
    const unknown = wanted(loaded).filter((key) => !sighting?.items.has(keyText(key)));
    reading = unknown.filter((key) => covers(key) && !loaded.hasRead(key));
    return unknown;
  };
};

/** Keeps what a read has found that began after the sighting. */
const keep = (text: string, sighting: Sighting, keys: readonly Key[], loaded: IdentityMap): void => {
  for (const key of keys) sighting.items.set(keyText(key), loaded.find<Item>(key as Key<Item>));
  if (keys.length > 0 && sightings.get(text) === sighting) sightings.set(text, sighting, 1 + sighting.items.size);
};
