import { measureInstalls } from './installs.ts';
import { measureMemory } from './memory.ts';
import { mixTraffic } from './mixed.ts';
import { emptyLogFolder, logFolder, progress } from './progress.ts';
import { measureTurns } from './turns.ts';

/**
 * `npm run test:installs`: real projects, installed with unmodified clients from the public registries, from them through Stockroom,
 * and through other services. CONTRIBUTING says what it needs.
 */
const parts = { installs: measureInstalls, turns: measureTurns, memory: measureMemory, mixed: mixTraffic } as const;

const [name = 'installs'] = process.argv.slice(2);
const part = Object.entries(parts).find(([each]) => each === name)?.[1];
if (part === undefined) throw new Error(`There is no part '${name}': it is one of ${Object.keys(parts).join(', ')}.`);
emptyLogFolder();
progress(`What clients and services print is in ${logFolder}.`);
const faults = await part();
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
