import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../infra/local/free-port.ts';
import { PythonTools } from '../../clients/drivers/python-tools.ts';
import { startPeer } from './peer-process.ts';
import type { Server } from './server.ts';

const tools = new PythonTools('proxpi==1.3.1', 'gunicorn==23.0.0');

/** Starts proxpi with PyPI as its index, as its image does. It keeps indexes in memory and files in the folder. */
export const startProxpi = async (folder: string, log: string): Promise<Server> => {
  await tools.prepare();
  const host = `127.0.0.1:${await freePort()}`;
  const url = `http://${host}/index`;
  const parameters = ['--preload', '--bind', host, '--threads', '2', '--access-logfile', '-', 'proxpi.server:app'];
  const variables = { HOME: folder, PROXPI_CACHE_DIR: join(folder, 'files') };
  const started = await startPeer(
    { file: tools.command('gunicorn'), parameters, variables },
    { log, url: `http://${host}/` },
  );
  const failedAnswers = () => readFileSync(log, 'utf8').match(/" 5\d\d /g)?.length ?? 0;
  return { ...started, sourceOf: () => Promise.resolve({ url: `${url}/` }), failedAnswers };
};
