import { heldBy, type Item, type Key, keyText } from './keys.ts';

/** The items that a request has read so far. Each is kept once, and missing items are known as missing. */
export class IdentityMap {
  private readonly items = new Map<string, Item | undefined>();

  /** The item of a key that was read; undefined if there is none. */
  find<T>(key: Key<T>): T | undefined {
    return heldBy(key, this.items.get(keyText(key)));
  }

  /** Whether a key was read, even if it has no item. */
  hasRead(key: Key): boolean {
    return this.items.has(keyText(key));
  }

  /** The keys that were not read yet, each once, by their texts. */
  missing(keys: readonly Key[]): ReadonlyMap<string, Key> {
    return new Map(keys.filter((key) => !this.hasRead(key)).map((key) => [keyText(key), key]));
  }

  /** Adds the items that a read found. `read` contains the texts of its keys. */
  add(read: Iterable<string>, found: readonly Item[]): void {
    for (const text of read) this.items.set(text, undefined);
    for (const item of found) this.items.set(keyText(item), item);
  }
}
