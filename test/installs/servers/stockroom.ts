import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { freePort } from '../../../infra/local/free-port.ts';
import { StartedService } from '../../harness/npm-start.ts';
import { startTls } from '../../harness/tls.ts';
import type { Client, Source } from '../client.ts';
import { options } from '../options.ts';
import { logLines } from './log-lines.ts';
import type { Server } from './server.ts';

const workspace = 'installs';
/** As in the README: a new version upstream appears after five minutes. */
const metadataCacheTimeTillRevalidation = 300_000;

/** Answers with a status of 500 or above: the edge and the door log each of theirs, and the second front has none before it. */
const failedAnswers = (log: string): number => {
  const failed = logLines(log).filter(({ status }) => Number(status) >= 500);
  return failed.filter(({ way }) => options.asksSecondFront || way !== undefined).length;
};

/** Starts `npm start`, with its data in the folder. */
export const startStockroom = async (folder: string, log: string): Promise<Server> => {
  const password = randomBytes(12).toString('hex');
  const errors = createWriteStream(log, { flags: 'a' });
  await once(errors, 'open');
  const readsPort = await freePort();
  const front: Readonly<Record<string, string>> = options.asksSecondFront
    ? { READS: 'url', READS_PORT: `${readsPort}` }
    : {};
  const service = await StartedService.start(folder, password, front, errors);
  const base = options.asksSecondFront ? `http://127.0.0.1:${readsPort}` : service.url;
  errors.close();
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  const post = async (path: string, body: object): Promise<{ readonly token?: string }> => {
    const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
    const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { readonly token?: string };
  };
  await post('/1/workspaces', { name: workspace });
  const { token } = await post('/1/users/personal-access-tokens', { name: 'installs' });
  const tls = await startTls(() => base);
  let repositories = 0;
  const sourceOf = async ({ packageType, registry, path = '', isOverTls }: Client): Promise<Source> => {
    repositories += 1;
    const name = `${packageType}-${repositories}`;
    await post(`/1/workspaces/${workspace}/repositories/remote`, {
      name,
      packageType,
      remoteRepositoryUrl: registry,
      isRemoteCacheEnabled: true,
      metadataCacheTimeTillRevalidation,
    });
    const { url, certificate } = isOverTls ? tls : { url: base, certificate: undefined };
    return { url: `${url}/${packageType}/${workspace}/${name}${path}`, token, certificate };
  };
  const stop = async (): Promise<void> => {
    await tls.stop();
    await service.end();
  };
  return { pid: service.pid, sourceOf, failedAnswers: () => failedAnswers(log), stop };
};
