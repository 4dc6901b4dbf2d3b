import { readFileSync } from 'node:fs';

/** What a run of a suite showed. */
export interface Verdict {
  /** The first test that was red; undefined when the suite was green. */
  readonly redTest: string | undefined;
  /** The names of the tests that were green. */
  readonly ran: readonly string[];
}

interface JestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Reads what jest wrote about one suite. */
export const readReport = (file: string, path: string): Verdict => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { redTest: `${path} ended without a report`, ran: [] };
  }
  const { success, testResults } = JSON.parse(text) as JestReport;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const namesOf = (wanted: string) => tests.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
  const ran = namesOf('passed');
  if (success) return { redTest: undefined, ran };
  const message = testResults[0]?.message.trim().split('\n') ?? [];
  const redTest = namesOf('failed')[0] ?? `${path} does not run: ${message.find((line) => /\w/.test(line)) ?? ''}`;
  return { redTest, ran };
};
