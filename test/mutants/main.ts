import { styleText } from 'node:util';
import { bank } from './bank.ts';
import { Copy } from './copy.ts';
import type { Mutant, Suite } from './mutant.ts';

/** `npm run test:mutants`, for all planted bugs, or for those whose file or name contains one of the given texts. */
const wanted = process.argv.slice(2);
const mutants = bank.filter(
  ({ name, file }) => wanted.length === 0 || wanted.some((text) => `${file} ${name}`.includes(text)),
);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** A suite that is red without a bug would catch anything. */
const checkSuites = async (copy: Copy): Promise<void> => {
  const suites = new Map<string, Suite>();
  for (const suite of mutants.flatMap((mutant) => mutant.suites)) suites.set(JSON.stringify(suite), suite);
  for (const suite of suites.values()) {
    const { redTest } = await copy.run(suite);
    if (redTest !== undefined) throw new Error(`${suite.path} is red without any bug: ${redTest}`);
  }
};

const secondsSince = (start: number): string => `${((Date.now() - start) / 1000).toFixed(0)} s`;

const plantAll = async (copy: Copy): Promise<Mutant[]> => {
  const survivors: Mutant[] = [];
  for (const [index, mutant] of mutants.entries()) {
    const start = Date.now();
    const { redTest } = await copy.verdictOn(mutant);
    if (redTest === undefined) survivors.push(mutant);
    const outcome = redTest === undefined ? styleText('red', 'SURVIVES') : `caught by: ${redTest}`;
    say(`${index + 1}/${mutants.length} ${secondsSince(start)} ${mutant.file}: ${mutant.name} | ${outcome}`);
  }
  return survivors;
};

if (mutants.length === 0) throw new Error(`No planted bug has ${wanted.join(' or ')} in its file or name.`);
const began = Date.now();
const copy = new Copy();
process.once('exit', () => copy.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await checkSuites(copy);
say(`The suites are green without a bug (${secondsSince(began)}).`);
const survivors = await plantAll(copy);
say(`${mutants.length} planted, ${mutants.length - survivors.length} caught, in ${secondsSince(began)}.`);
for (const { file, name } of survivors) say(`survives: ${file}: ${name}`);
if (survivors.length > 0) process.exitCode = 1;
