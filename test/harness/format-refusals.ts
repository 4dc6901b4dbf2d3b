import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';

/** What a call refuses: the code and the pointers of the rules that are broken, or the sentence when there are none. */
export const refusalOf = (call: () => unknown): string => {
  try {
    call();
    return 'accepted';
  } catch (error) {
    return describeRefusal(error);
  }
};

export const describeRefusal = (error: unknown): string => {
  if (!(error instanceof FormatProblem)) return `failed: ${String(error)}`;
  const pointers = error.violations.map(({ pointer, rule }) => `${pointer} ${rule}`);
  return `${error.code}: ${pointers.length > 0 ? pointers.join(', ') : error.message}`;
};
