/**
 * What a process remembers, up to a number of entries: the entry that was not used for longest goes first. Own code because
 * the library of the field brings 17 kB into every bundle.
 */
export class BoundedCache<V> {
  private readonly entries = new Map<string, V>();
  private readonly entriesMax: number;

  constructor(entriesMax: number) {
    this.entriesMax = entriesMax;
  }

  get(key: string): V | undefined {
    const value = this.entries.get(key);
    // A Map keeps the order of insertion: what is inserted again is the newest.
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
