import { type Item, type Key, keyText } from './keys.ts';
import type { Reference } from './references.ts';

const knownMax = 10_000;

/**
 * What names stood for when this process last looked. Names are immutable, so an entry is wrong only after a deletion, and
 * then the item of its ID is gone: whoever reads that item thereby checks the entry.
 */
const known = new Map<string, string>();

const remember = (nameText: string, id: string): void => {
  if (known.size >= knownMax) known.clear();
  known.set(nameText, id);
};

/** The items read so far for one purpose, absent ones included. */
export class IdentityMap {
  private readonly items = new Map<string, Item | undefined>();

  /** The item of a key that was read; undefined also when there is none. */
  find(key: Key): Item | undefined {
    return this.items.get(keyText(key));
  }

  /** Those of the keys that were not read yet, each once, by their text. */
  missing(keys: readonly Key[]): ReadonlyMap<string, Key> {
    const missing = new Map<string, Key>();
    for (const key of keys) {
      const text = keyText(key);
      if (!this.items.has(text)) missing.set(text, key);
    }
    return missing;
  }

  /** Takes in what a read of keys, given by their text, found. */
  add(read: Iterable<string>, found: readonly Item[]): void {
    for (const text of read) this.items.set(text, undefined);
    for (const item of found) this.items.set(keyText(item), item);
  }

  /**
   * The ID that a reference stands for, as far as it can be told: undefined while the item of `nameKey` was not read, or
   * when there is no such name.
   */
  identify(reference: Reference, nameKey: (name: string) => Key, itemKey: (id: string) => Key): string | undefined {
    if ('id' in reference) return reference.id;
    const nameText = keyText(nameKey(reference.name));
    const recalled = known.get(nameText);
    if (recalled !== undefined && !this.isGone(itemKey(recalled))) return recalled;
    const id = this.items.get(nameText)?.id as string | undefined;
    if (id === undefined) known.delete(nameText);
    else remember(nameText, id);
    return id;
  }

  private isGone(key: Key): boolean {
    const text = keyText(key);
    return this.items.has(text) && this.items.get(text) === undefined;
  }
}
