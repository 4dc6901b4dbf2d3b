import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { PackageType } from '../../../shared/package-types.ts';
import type { Ran, Registry } from '../drivers/driver.ts';
import type { Sandbox } from '../drivers/sandbox.ts';

const run = promisify(execFile);

/** A version of a package, in the words of its type. */
export interface Build {
  readonly name: string;
  readonly version: string;
}

/** What clients of a type do with the documents of a repository that hash each other. */
export interface UpdatedType {
  readonly packageType: PackageType;
  /** The real client that is run now and then. */
  readonly client: string;
  readonly publish: (registry: Registry, build: Build) => Promise<void>;
  /** A client that keeps what it has read. */
  readonly updater: (registry: Registry) => Updater;
  /** Runs the real client for a version, in a place that nothing else has used. */
  readonly runClient: (sandbox: Sandbox, registry: Registry, build: Build) => Promise<Ran>;
}

/** Reads all documents as a client does, and verifies each by the signature or the hash of the one before. */
export interface Updater {
  /** The builds that are listed, as `name version`. Throws if a hash or a signature does not hold. */
  readonly update: () => Promise<ReadonlySet<string>>;
  /** Downloads a build and compares it with the hash in the list of the last update. */
  readonly download: (build: Build) => Promise<void>;
}

export const wordsOf = ({ name, version }: Build): string => `${name} ${version}`;

/** How often a request was sent again. */
export const sentAgain = { count: 0 };

/** How often a request is sent again while the service has no time for it, as clients do, and after how long. */
const [triesMax, pauseMilliseconds] = [20, 500];

/**
 * A request below the address of a repository. Throws for every status but 200, 201, 206 and 304. What is sent again may have been done
 * before: then it exists already.
 */
export const ask = async (
  { url, token }: Registry,
  path: string,
  {
    headers = {},
    ...request
  }: { method?: string; body?: Uint8Array<ArrayBuffer>; headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }> => {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(`${url}/${path}`, {
      ...request,
      headers: { Authorization: `Bearer ${token}`, ...headers },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const { status } = answer;
    if ([200, 201, 206, 304].includes(status) || (status === 409 && tries > 1))
      return { status, headers: answer.headers, bytes };
    if (status !== 503 || tries === triesMax) throw new Error(`${path}: ${status} ${bytes.toString()}`);
    sentAgain.count += 1;
    await pause(pauseMilliseconds);
  }
};

export const put = async (registry: Registry, path: string, body: Buffer, method = 'PUT'): Promise<void> => {
  const headers = { 'Content-Type': 'application/octet-stream' };
  await ask(registry, path, { method, body: new Uint8Array(body), headers });
};

/** Compares bytes with the hash and the size by which another document names them. */
export const requireHash = (what: string, bytes: Buffer, hash: string, size = bytes.length): void => {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== hash || bytes.length !== size)
    throw new Error(`Hash Sum mismatch of ${what}: ${found} ${bytes.length} in place of ${hash} ${size}`);
};

/** The places in which signatures are verified. */
const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Verifies as apt does, with the keys of the repository and no others. */
export class Verifier {
  private readonly folder = mkdtempSync(join(tmpdir(), 'stockroom-verifier-'));
  private readonly keyring = join(this.folder, 'key.gpg');
  private count = 0;

  constructor() {
    folders.push(this.folder);
  }

  async trust(armored: Buffer): Promise<void> {
    const file = this.file(armored);
    await run('gpg', ['--homedir', this.folder, '--batch', '--yes', '--output', this.keyring, '--dearmor', file]);
  }

  /** Throws if there is no good signature. Without content, the signature is around its text. */
  async verify(signature: Buffer, content?: Buffer): Promise<void> {
    const files = [signature, ...(content ? [content] : [])].map((each) => this.file(each));
    try {
      await run('gpgv', ['--homedir', this.folder, '--keyring', this.keyring, ...files]);
    } catch (cause) {
      throw new Error(`A bad signature: ${(cause as Error).message}`, { cause });
    } finally {
      for (const file of files) rmSync(file);
    }
  }

  private file(bytes: Buffer): string {
    this.count += 1;
    const path = join(this.folder, `${this.count}`);
    writeFileSync(path, bytes);
    return path;
  }
}
