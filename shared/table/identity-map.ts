import { heldBy, type Item, type Key, keyText } from './keys.ts';

/** The items that a request has read so far. Each is kept once, and missing items are known as missing. */
export class IdentityMap {
  private readonly items = new Map<string, Item | undefined>();
  private trusted: ReadonlyMap<string, Item | undefined> = new Map();

  /** The item of a key that was read; undefined if there is none. */
  find<T>(key: Key<T>): T | undefined {
    const text = keyText(key);
    return heldBy(key, (this.items.has(text) ? this.items : this.trusted).get(text));
  }

  /** Whether a key was read, even if it has no item. */
  hasRead(key: Key): boolean {
    const text = keyText(key);
    return this.items.has(text) || this.trusted.has(text);
  }

  /** Takes items as read that an earlier request has read, by the texts of their keys: nothing has changed them since. */
  trust(items: ReadonlyMap<string, Item | undefined>): void {
    this.trusted = items;
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
