/**
 * A cache with a maximum weight. When it is full, it drops the least recently used entries. An entry weighs one, unless it
 * says more. A library would add 17 kB to every bundle.
 */
export class BoundedCache<V> {
  private readonly entries = new Map<string, { readonly value: V; readonly weight: number }>();
  private readonly weightMax: number;
  private weight = 0;

  constructor(weightMax: number) {
    this.weightMax = weightMax;
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    // A Map keeps the order of insertion, so inserting an entry again makes it the most recent one.
    this.set(key, entry.value, entry.weight);
    return entry.value;
  }

  set(key: string, value: V, weight = 1): void {
    this.delete(key);
    this.entries.set(key, { value, weight });
    this.weight += weight;
    for (const oldest of this.entries.keys()) {
      if (this.weight <= this.weightMax) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.weight -= this.entries.get(key)?.weight ?? 0;
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.weight = 0;
  }
}
