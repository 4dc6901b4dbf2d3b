import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { StartedService } from '../harness/npm-start.ts';
import { authorized } from './authorized.ts';
import { crane } from './crane.ts';

/**
 * Runs a real client and the conformance suite of the specification of distribution against `npm start`. Both are built with
 * go, which must be in the PATH, from the Go module proxy. `OCI_CONFORMANCE` is the path of a suite that was built elsewhere
 * (`go install` in the folder `conformance` of the specification), where the proxy does not serve it.
 */
const suiteModule = 'github.com/opencontainers/distribution-spec/conformance@v0.0.0-20260831232431-97274622c111';
const craneModule = 'github.com/google/go-containerregistry/cmd/crane@v0.22.1';
const cache = resolve('node_modules/.cache/oci');
const password = `oci-${randomBytes(6).toString('hex')}`;
const credential = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

const go = async (parameters: readonly string[]): Promise<void> => {
  const env = { ...process.env, GOBIN: cache, GOFLAGS: '-mod=mod' };
  await promisify(execFile)('go', [...parameters], { cwd: cache, env });
};

const needGo = async (): Promise<void> => {
  try {
    await go(['version']);
  } catch (cause) {
    throw new Error('npm run test:oci needs go (1.24 or newer) in the PATH.', { cause });
  }
};

/** Builds the suite, unless it was built elsewhere. */
const builtSuite = async (): Promise<string> => {
  const given = process.env.OCI_CONFORMANCE;
  if (given !== undefined) return resolve(given);
  try {
    await go(['install', suiteModule]);
  } catch (cause) {
    const sentence = `The Go module proxy does not serve ${suiteModule}: build the suite elsewhere, with go install, and name it in OCI_CONFORMANCE.`;
    throw new Error(sentence, { cause });
  }
  return join(cache, 'conformance');
};

const create = async (url: string, body: object): Promise<void> => {
  const headers = { Authorization: credential, 'Content-Type': 'application/json' };
  const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (status !== 201) throw new Error(`${url} answered ${status}.`);
};

/**
 * Runs the suite with all that version 1.1 has, and with what it leaves to registries: cancelled uploads, and the digest in a header of
 * manifests. Not taken are digests of SHA-512, manifests of blobs that are not there, and tags as parameters, which a later version has.
 * Large blobs come by a redirect, and the object store sends no digest in a header.
 */
const conform = async (suite: string, url: string): Promise<void> => {
  const { host, close } = await authorized(url, credential);
  const child = spawn(suite, [], {
    cwd: cache,
    stdio: 'inherit',
    env: {
      ...process.env,
      OCI_VERSION: '1.1',
      OCI_REGISTRY: host,
      OCI_TLS: 'disabled',
      OCI_REPO1: 'acme/images/conformance',
      OCI_REPO2: 'acme/images/other',
      OCI_API_BLOBS_UPLOAD_CANCEL: 'true',
      OCI_API_MANIFESTS_DIGEST_HEADER: 'true',
      OCI_DATA_SHA512: 'false',
      OCI_RESULTS_DIR: join(cache, 'results'),
    },
  });
  const [code] = (await once(child, 'exit')) as [number];
  close();
  if (code !== 0) throw new Error(`The conformance suite ended with code ${code}.`);
};

const folder = mkdtempSync(join(tmpdir(), 'stockroom-oci-'));
mkdirSync(cache, { recursive: true });
await needGo();
await go(['install', craneModule]);
const service = await StartedService.start(folder, password, { ALLOWED_PRIVATE_UPSTREAMS: '127.0.0.1' });
try {
  const { url } = service;
  await create(`${url}/1/workspaces`, { name: 'acme' });
  await create(`${url}/1/workspaces/acme/repositories/local`, { name: 'images', packageType: 'docker' });
  const upstream = { remoteRepositoryUrl: `${url}/acme/images`, remoteRepositoryUsername: 'admin' };
  const remote = { name: 'mirror', packageType: 'docker', isRemoteCacheEnabled: true, ...upstream };
  await create(`${url}/1/workspaces/acme/repositories/remote`, { ...remote, remoteRepositoryPassword: password });
  for (const done of await crane({ command: join(cache, 'crane'), folder, url, password })) say(`crane: ${done}`);
  await conform(await builtSuite(), url);
} finally {
  await service.end();
  rmSync(folder, { recursive: true });
}
