import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs, styleText } from 'node:util';
import { bank } from './bank.ts';
import { Copy } from './copy.ts';
import { flawOf, namedTwice } from './flaws.ts';
import type { Mutant } from './mutant.ts';

/** `npm run test:mutants`, for all planted bugs, those of changed files, or those whose file or name contains one of the given texts. */
const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, since: { type: 'string' }, check: { type: 'boolean' } },
});
/** The files that differ from a commit. */
const changedSince = (commit: string): ReadonlySet<string> =>
  new Set(execFileSync('git', ['diff', '--name-only', '--relative', commit], { encoding: 'utf8' }).split('\n'));
const changed = values.since === undefined ? undefined : changedSince(values.since);
const mutants = bank.filter(
  ({ name, file }) =>
    (changed?.has(file) ?? true) && (wanted.length === 0 || wanted.some((text) => `${file}: ${name}`.includes(text))),
);
if (mutants.length === 0) throw new Error('No planted bug is in a file and has a name that you ask for.');
const flaws = [...mutants.flatMap((mutant) => flawOf(mutant) ?? []), ...namedTwice(bank)];
for (const flaw of flaws) process.stdout.write(`${flaw}\n`);
if (flaws.length > 0) process.exit(1);
if (values.check) {
  process.stdout.write(`${mutants.length} bugs can be planted.\n`);
  process.exit();
}

const wholeNumber = (what: string, text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${what} takes a whole number, not '${text}'.`);
  return Number(text);
};
const workers = wholeNumber('MUTANT_WORKERS', process.env.MUTANT_WORKERS || `${availableParallelism()}`);
const queue = Array.from(mutants.entries()).slice(wholeNumber('--from', values.from ?? '1') - 1);
if (queue.length === 0) throw new Error(`--from ${values.from} leaves nothing of ${mutants.length} planted bugs.`);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const secondsSince = (start: number): string => `${((Date.now() - start) / 1000).toFixed(0)} s`;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** The titles by which the bugs narrow a suite; none where one of them has all of it run. */
const titlesOf = (path: string): string[] => {
  const suites = mutants.flatMap((mutant) => mutant.suites).filter((suite) => suite.path === path);
  const titles = suites.flatMap(({ title }) => title ?? []);
  return titles.length < suites.length ? [] : [...new Set(titles)];
};

/** What is wrong with a suite without any bug: one that is red would catch anything. A busy machine has a second chance. */
const suiteFlawOf = async (copy: Copy, path: string): Promise<string | undefined> => {
  const titles = titlesOf(path);
  let verdict = await copy.run(path, titles);
  if (verdict.redTest !== undefined) verdict = await copy.run(path, titles);
  if (verdict.redTest !== undefined) return `${path} is red without any bug: ${verdict.redTest}`;
  const unknown = titles.find((title) => !verdict.ran.some((name) => name.includes(title)));
  return unknown && `No test of ${path} has '${unknown}' in its title.`;
};
const suiteFlaws = new Map<string, Promise<string | undefined>>();

/** Plants a bug, and says which test caught it; undefined when none did. */
const caughtBy = async (copy: Copy, mutant: Mutant): Promise<string | undefined> => {
  for (const { path } of mutant.suites) {
    if (!suiteFlaws.has(path)) suiteFlaws.set(path, suiteFlawOf(copy, path));
    const flaw = await suiteFlaws.get(path);
    if (flaw === undefined) continue;
    say(flaw);
    return undefined;
  }
  return (await copy.verdictOn(mutant)).redTest;
};

const began = Date.now();
const survivors: Mutant[] = [];
const planted = queue.length;

/** Takes bugs from the queue until it is empty, one at a time. */
const work = async (copy: Copy): Promise<void> => {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [index, mutant] = next;
    const start = Date.now();
    const test = await caughtBy(copy, mutant);
    if (test === undefined) survivors.push(mutant);
    const outcome = test === undefined ? styleText('red', 'SURVIVES') : `caught by: ${test}`;
    say(`${index + 1}/${mutants.length} ${secondsSince(start)} ${mutant.file}: ${mutant.name} | ${outcome}`);
  }
};

const copies: Copy[] = [];
while (copies.length < Math.min(workers, planted)) copies.push(await Copy.make());
await Promise.all(copies.map(work));
say(`${planted} planted, ${planted - survivors.length} caught, in ${secondsSince(began)}.`);
for (const { file, name } of survivors) say(`survives: ${file}: ${name}`);
if (survivors.length > 0) process.exitCode = 1;
