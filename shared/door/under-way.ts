import { ApiError } from '../errors.ts';

/** Counts what each has under way, and refuses more than a maximum for each: RATE_LIMITED with the sentence. */
export class UnderWay {
  private readonly counts = new Map<string, number>();
  private readonly maximum: number;
  private readonly sentence: string;

  constructor(maximum: number, sentence: string) {
    this.maximum = maximum;
    this.sentence = sentence;
  }

  /** Counts one more of somebody's; returns what ends it, which may be called again. */
  begin(whose: string): () => void {
    const count = this.counts.get(whose) ?? 0;
    if (count >= this.maximum) throw new ApiError('RATE_LIMITED', this.sentence);
    this.counts.set(whose, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.counts.get(whose) ?? 1) - 1;
      if (left > 0) this.counts.set(whose, left);
      else this.counts.delete(whose);
    };
  }
}
