import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conditions, loadNow, median } from '../bench/report.ts';
import type { Client, Source } from './client.ts';
import { clients } from './clients/all.ts';
import { type ServedInstallation, servedInstallation } from './measuring.ts';
import { options } from './options.ts';
import { requireReachable } from './private-upstreams.ts';
import { logFile } from './progress.ts';
import { succeeded } from './running.ts';
import { services } from './servers/all.ts';
import type { Server, Service } from './servers/server.ts';

/** A service that has all that a client installs. */
interface Filled {
  readonly service: Service;
  readonly server: Server;
  readonly source: Source;
  readonly warm: ServedInstallation[];
}

const fill = async (client: Client, service: Service, folder: string): Promise<Filled> => {
  const server = await service.start(folder, logFile(`turns ${client.name} ${service.name} service`));
  const source = await server.sourceOf(client);
  const warm: ServedInstallation[] = [];
  const cold = await servedInstallation(client, server, source, `turns ${client.name} ${service.name} cold`);
  if (cold.failure !== undefined) warm.push(cold);
  return { service, server, source, warm };
};

const cellsOf = (client: Client, { service, warm }: Filled): string[] => {
  const made = succeeded(warm);
  const middle = (of: (installation: ServedInstallation) => number) =>
    made.length === 0 ? '–' : median(made.map(of)).toFixed(2);
  return [
    client.name,
    service.name,
    middle(({ seconds }) => seconds),
    middle(({ processorSeconds }) => processorSeconds),
    middle(({ clientProcessorSeconds }) => clientProcessorSeconds),
    `${warm.length - made.length} of ${warm.length}`,
  ];
};

/** Installs through both services in turns; returns them with what they measured. */
const takeTurns = async (client: Client): Promise<readonly Filled[]> => {
  const wanted = services.filter(({ name }) => name === 'Stockroom' || name === client.peer);
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-installs-'));
  const filled: Filled[] = [];
  try {
    for (const [at, service] of wanted.entries()) {
      filled.push(await fill(client, service, mkdtempSync(join(folder, `${at}-`))));
    }
    for (let round = 1; round <= options.rounds; round += 1)
      for (const { service, server, source, warm } of filled)
        warm.push(await servedInstallation(client, server, source, `turns ${client.name} ${service.name} ${round}`));
    return filled;
  } finally {
    for (const { server } of filled) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

const columns = ['install', 'service', 's', 'processor s of the service', 'processor s of the client', 'failed'];

/**
 * Warm installations alone, through Stockroom and the other service in turns while both run, so that an hour in which the machine is
 * slow is slow for both. Prints the medians; returns what failed.
 */
export const measureTurns = async (): Promise<readonly string[]> => {
  const loads = [loadNow()];
  const versions: Record<string, string> = {};
  await requireReachable(clients.flatMap(({ hosts }) => hosts));
  const rows = [columns, columns.map(() => '---')];
  const faults: string[] = [];
  for (const client of clients.filter(({ peer }) => peer !== undefined)) {
    versions[client.name] = await client.prepare();
    const filled = await takeTurns(client);
    rows.push(...filled.map((each) => cellsOf(client, each)));
    const failed = filled.flatMap(({ warm }) => warm).filter(({ failure }) => failure !== undefined).length;
    if (failed > 0) faults.push(`${client.name}: ${failed} installations failed.`);
    process.stdout.write(`\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n`);
  }
  loads.push(loadNow());
  process.stdout.write(`${conditions(versions, loads)} · ${options.rounds} rounds\n`);
  return faults;
};
