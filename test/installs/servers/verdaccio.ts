import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../infra/local/free-port.ts';
import { verdaccioScript } from '../../bench/verdaccio.ts';
import { logLines } from './log-lines.ts';
import { startPeer } from './peer-process.ts';
import type { Server } from './server.ts';

const storageIn = (folder: string): string => join(folder, 'storage');

/** Everybody may read, and what is not there comes from npm: as in the configuration that Verdaccio brings with it. */
const configurationOf = (folder: string) => ({
  storage: storageIn(folder),
  uplinks: { npmjs: { url: 'https://registry.npmjs.org/' } },
  packages: { '**': { access: '$all', proxy: 'npmjs' } },
  log: { type: 'stdout', format: 'json', level: 'http' },
});

/** Starts Verdaccio with npm's registry as its uplink. */
export const startVerdaccio = async (folder: string, log: string): Promise<Server> => {
  const script = await verdaccioScript();
  const file = join(folder, 'config.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(configurationOf(folder)));
  const url = `http://127.0.0.1:${await freePort()}`;
  const parameters = [script, '--config', file, '--listen', url];
  const variables = { HOME: folder, NODE_ENV: 'production' };
  const started = await startPeer({ file: process.execPath, parameters, variables }, { log, url: `${url}/-/ping` });
  // It logs an answer to a client with the address of the client, an answer of its uplink without one.
  const failedAnswers = () =>
    logLines(log).filter(({ remoteIP, status }) => remoteIP !== undefined && Number(status) >= 500).length;
  const sourceOf = () => {
    // It looks for each package and each file there anew.
    rmSync(storageIn(folder), { recursive: true, force: true });
    return Promise.resolve({ url });
  };
  return { ...started, sourceOf, failedAnswers };
};
