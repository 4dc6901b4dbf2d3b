import { BoundedCache } from '../bounded-cache.ts';
import { type Key, keyText } from './keys.ts';

/**
 * What names stood for when this process last looked. Names are immutable, so an entry is wrong only after a deletion, and
 * then the item of its ID is gone: whoever reads that item thereby checks the entry.
 */
const known = new BoundedCache<string>(20_000);

/** The process-wide memory of names, by the key of the item that holds the name. */
export const nameCache = {
  recall: (nameKey: Key): string | undefined => known.get(keyText(nameKey)),
  remember: (nameKey: Key, id: string): void => known.set(keyText(nameKey), id),
  forget: (nameKey: Key): void => known.delete(keyText(nameKey)),
};
