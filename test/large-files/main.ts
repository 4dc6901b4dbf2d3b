import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { StartedService } from '../harness/npm-start.ts';
import { sha256OfFile, writeLargeFile } from './large-file.ts';
import { childWith, MemoryWatch } from './processes.ts';

/**
 * Sends large files through `npm start` and back with curl, and watches the memory of the service. `LARGE_FILE_BYTES` sets
 * the size of the file that one request sends, `HUGE_FILE_BYTES` that of the file in parts, `RUNNER_GROWTH_MAX_MIB` what the
 * memory may grow by.
 */
const largeBytes = Number(process.env.LARGE_FILE_BYTES ?? 1024 ** 3);
const hugeBytes = Number(process.env.HUGE_FILE_BYTES ?? 5.5 * 1024 ** 3);
const growthMaxMebibytes = Number(process.env.RUNNER_GROWTH_MAX_MIB ?? 100);

/** Files of this size start all functions that the large ones need: their memory is not what is measured. */
const firstBytes = 16 * 1024 ** 2;
const password = `large-files-${randomBytes(6).toString('hex')}`;

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

const credential = ['-u', `admin:${password}`];

const quiet = ['-sS', '--fail-with-body'];

const curl = async (...parameters: readonly string[]): Promise<string> =>
  (await promisify(execFile)('curl', [...quiet, ...parameters])).stdout;

const post = async (url: string, body?: object): Promise<string> => {
  const json = body ? ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)] : ['-X', 'POST'];
  return curl('--retry', '1000', ...credential, ...json, url);
};

const timed = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
  const begun = performance.now();
  const result = await work();
  say(`${what}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return result;
};

interface Part {
  readonly offsetInBytes: number;
  readonly sizeInBytes: number;
  readonly uploadUrl: string;
}

interface Upload {
  readonly id: string;
  readonly files: readonly {
    readonly uploadUrl: string | null;
    readonly uploadHeader: string | null;
    readonly parts: readonly Part[];
  }[];
}

const sendPart = async (path: string, { offsetInBytes, sizeInBytes, uploadUrl }: Part): Promise<void> => {
  const headers = ['-H', 'Transfer-Encoding:', '-H', `Content-Length: ${sizeInBytes}`];
  const sending = spawn('curl', [...quiet, '-T', '-', ...headers, uploadUrl], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(sending, 'exit');
  const range = { start: offsetInBytes, end: offsetInBytes + sizeInBytes - 1 };
  await pipeline(createReadStream(path, range), sending.stdin);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`curl ended with code ${code}.`);
};

const send = async (path: string, { files: [file] }: Upload): Promise<void> => {
  if (file?.uploadUrl) await curl('-T', path, '-H', `${file.uploadHeader}`, file.uploadUrl);
  for (const part of file?.parts ?? []) await sendPart(path, part);
};

/** Publishes a file and downloads it again. */
const roundTrip = async (
  folder: string,
  url: string,
  {
    name,
    bytes,
    partSizeInBytes,
  }: { readonly name: string; readonly bytes: number; readonly partSizeInBytes?: number },
): Promise<void> => {
  const [sent, received] = [join(folder, `${name}.sent`), join(folder, `${name}.received`)];
  await timed(`Made a file of ${bytes} bytes`, () => writeLargeFile(sent, bytes));
  const sha256 = await timed('Computed its SHA-256', () => sha256OfFile(sent));
  const uploads = `${url}/1/workspaces/large/repositories/files/packages/uploads`;
  const files = [{ name: 'file.bin', sizeInBytes: bytes, sha256 }];
  const body = { packageName: name, packageVersion: '1.0.0', partSizeInBytes, files };
  const session = JSON.parse(await post(uploads, body)) as Upload;
  await timed(`Uploaded in ${session.files[0]?.parts.length || 1} requests`, () => send(sent, session));
  await timed('Completed', () => post(`${uploads}/${session.id}`));
  const address = `${url}/universal/large/files/${name}/1.0.0/file.bin`;
  await timed('Downloaded', () => curl('-L', ...credential, '-o', received, address));
  if ((await sha256OfFile(received)) !== sha256) throw new Error('The file came back as another one.');
  say('The file came back as it was.');
  for (const path of [sent, received]) rmSync(path);
};

const folder = mkdtempSync(join(tmpdir(), 'stockroom-large-files-'));
say(
  `This needs curl, and ${Math.ceil((4 * Math.max(largeBytes, hugeBytes) + largeBytes) / 1024 ** 3)} GiB of disk space below ${tmpdir()}.`,
);
try {
  const service = await StartedService.start(folder, password);
  try {
    const { pid, url } = service;
    await post(`${url}/1/workspaces`, { name: 'large' });
    await post(`${url}/1/workspaces/large/repositories/local`, { name: 'files', packageType: 'universal' });
    await roundTrip(folder, url, { name: 'first', bytes: firstBytes });
    await roundTrip(folder, url, { name: 'first-in-parts', bytes: firstBytes, partSizeInBytes: firstBytes / 2 });
    const runner = new MemoryWatch('the runner with its functions', pid);
    const store = new MemoryWatch('the object store', childWith(pid, 'object-store'));
    await roundTrip(folder, url, { name: 'large', bytes: largeBytes });
    await roundTrip(folder, url, { name: 'huge', bytes: hugeBytes });
    store.end();
    if (runner.end() > growthMaxMebibytes * 1024 ** 2)
      throw new Error(`The runner grew by more than ${growthMaxMebibytes} MiB.`);
  } finally {
    await service.end();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
