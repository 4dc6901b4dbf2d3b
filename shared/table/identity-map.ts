import { heldBy, type Item, type Key, keyText } from './keys.ts';

/** The items read so far for one purpose, each once and absent ones included. */
export class IdentityMap {
  private readonly items = new Map<string, Item | undefined>();

  /** The item of a key that was read; undefined also when there is none. */
  find<T>(key: Key<T>): T | undefined {
    return heldBy(key, this.items.get(keyText(key)));
  }

  /** Whether a key was read, whatever was found there. */
  hasRead(key: Key): boolean {
    return this.items.has(keyText(key));
  }

  /** Those of the keys that were not read yet, each once, by their text. */
  missing(keys: readonly Key[]): ReadonlyMap<string, Key> {
    return new Map(keys.filter((key) => !this.hasRead(key)).map((key) => [keyText(key), key]));
  }

  /** Takes in what a read of keys, given by their text, found. */
  add(read: Iterable<string>, found: readonly Item[]): void {
    for (const text of read) this.items.set(text, undefined);
    for (const item of found) this.items.set(keyText(item), item);
  }
}
