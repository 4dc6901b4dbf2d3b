import type { Table } from './client.ts';
import { type Item, type Key, keyText } from './keys.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const name = /^[a-z0-9._-]{1,30}$/;

/** A reference in a path or a body: an ID or a name. A name is never as long as an ID. */
export type Reference = { readonly id: string } | { readonly name: string };

/** Reads a reference; an ID is accepted in either case. Undefined when the text can be neither. */
export const parseReference = (text: string): Reference | undefined => {
  if (uuid.test(text)) return { id: text.toLowerCase() };
  return name.test(text) ? { name: text } : undefined;
};

const knownMax = 10_000;

/**
 * What names stood for when this process last looked. Names are immutable, so an entry is wrong only after a deletion, and
 * then the item of its ID is gone: whoever reads that item thereby checks the entry.
 */
const known = new Map<string, string>();

const remember = (nameKey: Key, id: string): void => {
  if (known.size >= knownMax) known.clear();
  known.set(keyText(nameKey), id);
};

/** The items read so far for one purpose, absent ones included. */
export class Seen {
  private readonly items = new Map<string, Item | undefined>();

  /** Whether the key was read. */
  has(key: Key): boolean {
    return this.items.has(keyText(key));
  }

  find(key: Key): Item | undefined {
    return this.items.get(keyText(key));
  }

  add(key: Key, item: Item | undefined): void {
    this.items.set(keyText(key), item);
  }

  /**
   * The ID that a reference stands for, as far as it can be told: undefined while the item of `nameKey` was not read, or
   * when there is no such name.
   */
  identify(reference: Reference, nameKey: (name: string) => Key, itemKey: (id: string) => Key): string | undefined {
    if ('id' in reference) return reference.id;
    const key = nameKey(reference.name);
    const recalled = known.get(keyText(key));
    const isStale = recalled !== undefined && this.has(itemKey(recalled)) && !this.find(itemKey(recalled));
    if (recalled !== undefined && !isStale) return recalled;
    const id = this.find(key)?.id as string | undefined;
    if (id === undefined) known.delete(keyText(key));
    else remember(key, id);
    return id;
  }
}

/**
 * Reads what `wanted` asks for, and asks again with what was seen until nothing more is wanted: one round trip when all
 * IDs are known, one more for each level of names that this process has not met.
 */
export const readWanted = async (table: Table, wanted: (seen: Seen) => readonly Key[]): Promise<Seen> => {
  const seen = new Seen();
  for (;;) {
    const open = wanted(seen).filter((key) => !seen.has(key));
    if (open.length === 0) return seen;
    const found = await table.read(open);
    for (const key of open) seen.add(key, found.find(key));
  }
};
