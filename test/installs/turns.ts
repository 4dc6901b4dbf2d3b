import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conditions, loadNow, median } from '../bench/report.ts';
import type { Client } from './client.ts';
import { clients } from './clients/all.ts';
import { type ServedInstallation, servedInstallation } from './measuring.ts';
import { options } from './options.ts';
import { requireReachable } from './private-upstreams.ts';
import { logFile } from './progress.ts';
import { succeeded } from './running.ts';
import { services } from './servers/all.ts';
import type { Server, Service } from './servers/server.ts';

/** A service that runs, with what installations through it took. */
interface Running {
  readonly service: Service;
  readonly server: Server;
  readonly cold: ServedInstallation[];
  readonly warm: ServedInstallation[];
}

const columns = ['install', 'service', 'cold s', 'warm s', 'processor s of the service', 'of the client', 'failed'];

/** The medians of those that did not fail, cold and warm. */
const medians = ({ cold, warm }: Running, of: (installation: ServedInstallation) => number): readonly string[] =>
  [cold, warm].map((made) => (succeeded(made).length === 0 ? '–' : median(succeeded(made).map(of)).toFixed(2)));

const failedIn = ({ cold, warm }: Running): number =>
  [...cold, ...warm].filter(({ failure }) => failure !== undefined).length;

const cellsOf = (client: Client, running: Running): readonly string[] => [
  client.name,
  running.service.name,
  ...medians(running, ({ seconds }) => seconds),
  medians(running, ({ processorSeconds }) => processorSeconds).join(' / '),
  medians(running, ({ clientProcessorSeconds }) => clientProcessorSeconds).join(' / '),
  `${failedIn(running)} of ${running.cold.length + running.warm.length}`,
];

/** Installs twice through a service: from a registry of which it keeps nothing, and once more when it has all. */
const installTwice = async (client: Client, { service, server, cold, warm }: Running, round: number): Promise<void> => {
  const source = await server.sourceOf(client);
  const label = `turns ${client.name} ${service.name}`;
  cold.push(await servedInstallation(client, server, source, `${label} cold ${round}`));
  warm.push(await servedInstallation(client, server, source, `${label} warm ${round}`));
};

/** Installs through both services in turns; returns them with what they measured. The first round only warms up what they run on. */
const takeTurns = async (client: Client): Promise<readonly Running[]> => {
  const wanted = services.filter(({ name }) => name === 'Stockroom' || name === client.peer);
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-installs-'));
  const running: Running[] = [];
  try {
    for (const service of wanted) {
      const log = logFile(`turns ${client.name} ${service.name} service`);
      const server = await service.start(mkdtempSync(join(folder, `${service.name}-`)), log);
      running.push({ service, server, cold: [], warm: [] });
    }
    for (const { service, server } of running) await installTwice(client, { service, server, cold: [], warm: [] }, 0);
    for (let round = 1; round <= options.rounds; round += 1)
      for (const each of round % 2 === 1 ? running : running.toReversed()) await installTwice(client, each, round);
    return running;
  } finally {
    for (const { server } of running) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Installations through Stockroom and Verdaccio in turns while both run, so that an hour in which the machine is slow is slow for both.
 * Who is first changes with each round. Prints the medians; returns what failed.
 */
export const measureTurns = async (): Promise<readonly string[]> => {
  const loads = [loadNow()];
  const versions: Record<string, string> = {};
  const wanted = clients.filter(({ peer }) => peer === 'Verdaccio');
  await requireReachable(wanted.flatMap(({ hosts }) => hosts));
  const rows: (readonly string[])[] = [columns, columns.map(() => '---')];
  const faults: string[] = [];
  for (const client of wanted) {
    versions[client.name] = await client.prepare();
    const running = await takeTurns(client);
    rows.push(...running.map((each) => cellsOf(client, each)));
    const failed = running.map(failedIn).reduce((sum, each) => sum + each, 0);
    if (failed > 0) faults.push(`${client.name}: ${failed} installations failed.`);
    process.stdout.write(`\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n`);
  }
  loads.push(loadNow());
  process.stdout.write(`${conditions(versions, loads)} · ${options.rounds} rounds\n`);
  return faults;
};
