import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../../infra/local/sources.ts';
import { batch } from './batch.ts';
import { coldStart } from './cold-start.ts';
import { containers } from './containers.ts';
import { creation } from './creation.ts';
import { firstAnswer } from './first-answer.ts';
import { firstFetch } from './first-fetch.ts';
import { growth } from './growth.ts';
import { packageGrowth } from './package-growth.ts';
import { packageTypes } from './package-types.ts';
import { packages } from './packages.ts';
import { conditions, type Figure, loadNow, tableOf } from './report.ts';
import { warmOverhead } from './warm-overhead.ts';
import { whoami } from './whoami.ts';
import { Workbench } from './workbench.ts';

/** The parts of the bench, in the order of the table; `npm run bench -- cold-start` runs one of them alone. */
const parts: Readonly<Record<string, (workbench: Workbench) => Promise<Figure[]>>> = {
  'cold-start': coldStart,
  'first-answer': firstAnswer,
  'warm-overhead': warmOverhead,
  whoami,
  creation,
  batch,
  growth,
  packages,
  'package-growth': packageGrowth,
  'package-types': packageTypes,
  'first-fetch': firstFetch,
  containers,
};
const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);

const run = async (names: readonly string[]): Promise<void> => {
  const workbench = new Workbench();
  const loads = [loadNow()];
  const figures: Figure[] = [];
  try {
    complain('Building the stack and the yardsticks…');
    await workbench.prepare();
    for (const name of names) {
      const before = Date.now();
      figures.push(...(await measured(name, workbench)));
      complain(`${name}: ${((Date.now() - before) / 1000).toFixed(0)} s`);
    }
  } finally {
    await workbench.clear();
  }
  loads.push(loadNow());
  const text = `${tableOf(figures)}\n\n${conditions(versions(), loads)}`;
  say(text);
  if (names.length === Object.keys(parts).length) keep(text);
};

/** If a part fails, because a tool or the network is missing, only its own rows are missing. */
const measured = async (name: string, workbench: Workbench): Promise<Figure[]> => {
  try {
    return (await parts[name]?.(workbench)) ?? [];
  } catch (error) {
    return [{ row: name, against: '', goal: '', figure: (error as Error).message, met: 'not measured' }];
  }
};

const versions = (): Record<string, string> => {
  const require = createRequire(import.meta.url);
  const versionOf = (name: string) => (require(`${name}/package.json`) as { version: string }).version;
  return { dynoxide: versionOf('@dynoxide/linux-x64') };
};

const keep = (text: string): void => {
  const file = join(projectRoot, 'BENCHMARKS.md');
  const [before = ''] = readFileSync(file, 'utf8').split(mark);
  writeFileSync(file, `${before}${mark}\n\n${text}\n`);
};

const mark = '<!-- the last run -->';

const names = process.argv.slice(2);
await run(names.length > 0 ? names : Object.keys(parts));
