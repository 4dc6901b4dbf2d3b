import Environment from '../harness/environment.ts';

/** What this needs of an event of jest-circus. */
interface Event {
  readonly name: string;
  readonly test?: { readonly errors: readonly unknown[]; mode: unknown };
  readonly describeBlock?: { mode: unknown };
}

/** The environment of every suite, but nothing runs after the first test that is red: that one caught the bug. */
export default class extends Environment {
  private isRed = false;

  handleTestEvent({ name, test, describeBlock }: Event): void {
    if (name === 'test_done' && test && test.errors.length > 0) this.isRed = true;
    if (!this.isRed) return;
    if (name === 'test_start' && test) test.mode = 'skip';
    if (name === 'run_describe_start' && describeBlock) describeBlock.mode = 'skip';
  }
}
