/**
 * A cache with a maximum number of entries. When it is full, it drops the least recently used entry. A library would add
 * 17 kB to every bundle.
 */
export class BoundedCache<V> {
  private readonly entries = new Map<string, V>();
  private readonly entriesMax: number;

  constructor(entriesMax: number) {
    this.entriesMax = entriesMax;
  }

  get(key: string): V | undefined {
    const value = this.entries.get(key);
    // A Map keeps the order of insertion, so inserting an entry again makes it the most recent one.
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.entriesMax) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      break;
    }
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}
