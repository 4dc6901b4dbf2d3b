import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../infra/local/free-port.ts';
import { builtCommands } from '../clients/drivers/tools.ts';
import type { Workbench } from './workbench.ts';

export const distributionVersion = '3.1.2';

const startTriesMax = 100;
const startPollMilliseconds = 100;

/** The registry of the CNCF project Distribution, with its files in a folder of the bench. Returns its URL. */
export const startDistribution = async (workbench: Workbench): Promise<string> => {
  const module = 'github.com/distribution/distribution/v3';
  const folder = await builtCommands(`distribution-${distributionVersion}`, {
    modules: [`${module}@v${distributionVersion}`],
    commands: [`${module}/cmd/registry`],
  });
  const directory = join(workbench.directory, 'distribution');
  mkdirSync(directory);
  const host = `127.0.0.1:${await freePort()}`;
  const configuration = {
    version: 0.1,
    storage: { filesystem: { rootdirectory: join(directory, 'data') } },
    http: { addr: host },
    log: { level: 'error' },
  };
  const file = join(directory, 'config.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(configuration));
  workbench.launchCommand(join(folder, 'registry'), ['serve', file], { PATH: process.env.PATH ?? '' });
  for (let tries = 0; !(await answers(`http://${host}/v2/`)); tries += 1) {
    if (tries === startTriesMax) throw new Error('Distribution does not start.');
    await pause(startPollMilliseconds);
  }
  return `http://${host}`;
};

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};
