import { BoundedCache } from '../bounded-cache.ts';
import { type Key, keyText } from './keys.ts';

/**
 * The IDs of names, as this process last read them. Names never change, so an entry is wrong only after a deletion. Then
 * the item of the ID is gone, so reading that item checks the entry.
 */
const known = new BoundedCache<string>(20_000);

/** The cache of names in this process, by the key of the item that holds the name. */
export const nameCache = {
  recall: (nameKey: Key): string | undefined => known.get(keyText(nameKey)),
  remember: (nameKey: Key, id: string): void => known.set(keyText(nameKey), id),
  forget: (nameKey: Key): void => known.delete(keyText(nameKey)),
};
