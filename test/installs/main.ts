import { conditions, loadNow } from '../bench/report.ts';
import type { Client } from './client.ts';
import { clients } from './clients/all.ts';
import { installDirectly, installThrough, type ServedRound } from './measuring.ts';
import { options } from './options.ts';
import { emptyLogFolder, logFolder, progress } from './progress.ts';
import type { Installation } from './running.ts';
import { startProxpi } from './servers/proxpi.ts';
import { startStockroom } from './servers/stockroom.ts';
import { startVerdaccio } from './servers/verdaccio.ts';
import { faultsOf, type Measured, tableOf } from './table.ts';

/**
 * `npm run test:installs`: real projects, installed with unmodified clients from the public registries, from them through Stockroom,
 * and through other services. CONTRIBUTING says what it needs.
 */
const starters = { Stockroom: startStockroom, Verdaccio: startVerdaccio, proxpi: startProxpi } as const;

const measure = async (client: Client): Promise<Measured> => {
  const [direct, stockroom, peer]: [Installation[], ServedRound[], ServedRound[]] = [[], [], []];
  const through = async (
    name: keyof typeof starters | undefined,
    round: number,
    into: ServedRound[],
  ): Promise<void> => {
    if (name === undefined || !options.services.includes(name)) return;
    into.push(await installThrough(client, { name, start: starters[name] }, round));
  };
  for (let round = 1; round <= options.rounds; round += 1) {
    direct.push(await installDirectly(client, round));
    await through('Stockroom', round, stockroom);
    await through(client.peer, round, peer);
  }
  return { client, direct, stockroom, peer };
};

const loads = [loadNow()];
const versions: Record<string, string> = {};
const measured: Measured[] = [];
emptyLogFolder();
progress(`What clients and services print is in ${logFolder}.`);
for (const client of clients) {
  versions[client.name] = await client.prepare();
  measured.push(await measure(client));
  process.stdout.write(`\n${tableOf(measured)}\n\n`);
}
loads.push(loadNow());
process.stdout.write(`${conditions(versions, loads)} · ${options.rounds} rounds\n`);
const faults = measured.flatMap(faultsOf);
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
