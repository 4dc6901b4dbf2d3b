import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, Source } from './client.ts';
import { endedProcessorSeconds, MemoryPeak, processorSecondsOf } from './process-tree.ts';
import { logFile, outcomeOf, progress } from './progress.ts';
import { type Installation, install } from './running.ts';
import type { Server, Service } from './servers/server.ts';

/** An installation through a service, with the processor time that the service and the client used. */
export interface ServedInstallation extends Installation {
  readonly processorSeconds: number;
  readonly clientProcessorSeconds: number;
}

/** An installation into a service that has nothing, and once more when the service has all, by a client that has nothing. */
export interface ServedRound {
  readonly cold: ServedInstallation;
  readonly warm: ServedInstallation;
  readonly peakBytes: number;
  readonly finalBytes: number;
  /** Answers with a status of 500 or above. */
  readonly failedAnswers: number;
}

/** Installs from the public registry. */
export const installDirectly = async (client: Client, round: number): Promise<Installation> => {
  const label = `${client.name} direct ${round}`;
  const { registry, path = '' } = client;
  const made = await install(client, { url: registry + path }, logFile(label));
  progress(`${label}: ${outcomeOf(made)}`);
  return made;
};

/** Installs through a service that runs. */
export const servedInstallation = async (
  client: Client,
  server: Server,
  source: Source,
  label: string,
): Promise<ServedInstallation> => {
  const [before, clientBefore] = [processorSecondsOf(server.pid), endedProcessorSeconds()];
  const made = await install(client, source, logFile(label));
  const processorSeconds = processorSecondsOf(server.pid) - before;
  const clientProcessorSeconds = endedProcessorSeconds() - clientBefore;
  progress(`${label}: ${outcomeOf(made)}, ${processorSeconds.toFixed(1)} s of the service's processor`);
  return { ...made, processorSeconds, clientProcessorSeconds };
};

/** Starts a service with nothing in it, and installs through it twice. */
export const installThrough = async (client: Client, service: Service, round: number): Promise<ServedRound> => {
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-installs-'));
  const label = `${client.name} ${service.name}`;
  try {
    const server = await service.start(folder, logFile(`${label} ${round} service`));
    try {
      const source = await server.sourceOf(client);
      const memory = new MemoryPeak(server.pid);
      const cold = await servedInstallation(client, server, source, `${label} cold ${round}`);
      const warm = await servedInstallation(client, server, source, `${label} warm ${round}`);
      return { cold, warm, ...memory.end(), failedAnswers: server.failedAnswers() };
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
