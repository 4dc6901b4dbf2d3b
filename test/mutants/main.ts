import { styleText } from 'node:util';
import { bank } from './bank.ts';
import { Copy } from './copy.ts';
import type { Mutant, Suite } from './mutant.ts';

/** `npm run test:mutants`, for all planted bugs, or for those whose file or name contains one of the given texts. */
const wanted = process.argv.slice(2);
const mutants = bank.filter(
  ({ name, file }) => wanted.length === 0 || wanted.some((text) => `${file}: ${name}`.includes(text)),
);
if (mutants.length === 0) throw new Error(`No planted bug has ${wanted.join(' or ')} in its file or name.`);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const secondsSince = (start: number): string => `${((Date.now() - start) / 1000).toFixed(0)} s`;

const copy = new Copy();
process.once('exit', () => copy.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** What is red in a suite without any bug: such a suite would catch anything. A busy machine has a second chance. */
const found = new Map<string, string | undefined>();
const flawOf = async (suite: Suite): Promise<string | undefined> => {
  const key = JSON.stringify(suite);
  if (!found.has(key)) found.set(key, (await copy.run(suite)).redTest && (await copy.run(suite)).redTest);
  return found.get(key);
};

/** Plants a bug, and says which test caught it; undefined when none did. */
const caughtBy = async (mutant: Mutant): Promise<string | undefined> => {
  for (const suite of mutant.suites) {
    const flaw = await flawOf(suite);
    if (flaw === undefined) continue;
    say(`${suite.path} is red without any bug: ${flaw}`);
    return undefined;
  }
  return (await copy.verdictOn(mutant)).redTest;
};

const began = Date.now();
const survivors: Mutant[] = [];
for (const [index, mutant] of mutants.entries()) {
  const start = Date.now();
  const test = await caughtBy(mutant);
  if (test === undefined) survivors.push(mutant);
  const outcome = test === undefined ? styleText('red', 'SURVIVES') : `caught by: ${test}`;
  say(`${index + 1}/${mutants.length} ${secondsSince(start)} ${mutant.file}: ${mutant.name} | ${outcome}`);
}
say(`${mutants.length} planted, ${mutants.length - survivors.length} caught, in ${secondsSince(began)}.`);
for (const { file, name } of survivors) say(`survives: ${file}: ${name}`);
if (survivors.length > 0) process.exitCode = 1;
