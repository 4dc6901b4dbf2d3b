import type { Lambda } from './lambda.ts';

/** The functions that have a thread. Beyond a maximum, those that were not called for longest lose theirs, as in Lambda. */
export class WarmFunctions {
  private readonly max: number;
  /** The least recently called one is the first. */
  private readonly functions = new Set<Lambda>();

  constructor(max: number) {
    this.max = max;
  }

  noteCall(called: Lambda): void {
    this.functions.delete(called);
    this.functions.add(called);
    for (const each of this.functions) {
      if (this.functions.size <= this.max) return;
      if (each.rest()) this.functions.delete(each);
    }
  }
}
