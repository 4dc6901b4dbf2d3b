import { conditions, loadNow } from '../bench/report.ts';
import type { Client } from './client.ts';
import { clients } from './clients/all.ts';
import { installDirectly, installThrough, type ServedRound } from './measuring.ts';
import { options } from './options.ts';
import { requireReachable } from './private-upstreams.ts';
import { progress } from './progress.ts';
import type { Installation } from './running.ts';
import { services, stockroom } from './servers/all.ts';
import { faultsOf, type Measured, tableOf, verdictsOf } from './table.ts';

const measure = async (client: Client): Promise<Measured> => {
  const [direct, ours, peers]: [Installation[], ServedRound[], ServedRound[]] = [[], [], []];
  for (let round = 1; round <= options.rounds; round += 1) {
    direct.push(await installDirectly(client, round));
    for (const service of services.filter(({ name }) => name === stockroom.name || name === client.peer))
      (service === stockroom ? ours : peers).push(await installThrough(client, service, round));
  }
  return { client, direct, stockroom: ours, peer: peers };
};

/** Measures all clients and prints the table; returns what is wrong. */
export const measureInstalls = async (): Promise<readonly string[]> => {
  const loads = [loadNow()];
  const versions: Record<string, string> = {};
  const measured: Measured[] = [];
  const faults: string[] = [];
  if (services.includes(stockroom)) await requireReachable(clients.flatMap(({ hosts }) => hosts));
  for (const client of clients) {
    try {
      versions[client.name] = await client.prepare();
      measured.push(await measure(client));
    } catch (error) {
      // The other clients are measured all the same.
      faults.push(`${client.name}: ${(error as Error).message}`);
      progress(faults.at(-1) ?? '');
      continue;
    }
    process.stdout.write(`\n${tableOf(measured)}\n\n`);
  }
  loads.push(loadNow());
  process.stdout.write(`${conditions(versions, loads)} · ${options.rounds} rounds\n${verdictsOf(measured)}\n\n`);
  return [...faults, ...measured.flatMap(faultsOf)];
};
