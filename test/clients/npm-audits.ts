import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { packed } from '../harness/npm.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { uniqueName } from '../harness/world.ts';
import { askingUrl, useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import type { Ran, Registry } from './drivers/driver.ts';
import { npm } from './drivers/npm.ts';
import type { Sandbox } from './drivers/sandbox.ts';

/** `npm run test:clients`: `npm audit` and `npm audit signatures` behind a virtual repository and a release gate. */
jest.setTimeout(120_000);

const service = useService({ environment: reachingLoopback });
const upstream = useUpstream();
const { team, granted } = useTeam(service);
const newSandbox = useSandboxes();

const version = '1.0.0';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const key = publicKey.export({ type: 'spki', format: 'der' });
const keyid = `SHA256:${createHash('sha256').update(key).digest('base64').replace('=', '')}`;
const scheme = 'ecdsa-sha2-nistp256';

/** What npm is asked of: a package whose signature is that of its content, or of something else. */
const packageOf = async (name: string, isSigned: boolean) => {
  const tarball = await packed({ name, version }, { 'index.js': name });
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const signed = `${name}@${version}:${isSigned ? integrity : 'sha512-another'}`;
  const signatures = [{ keyid, sig: sign('sha256', Buffer.from(signed), privateKey).toString('base64') }];
  const dist = { tarball: `${upstream.url}/${name}.tgz`, integrity, signatures };
  const packument = {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, main: 'index.js', dist } },
    time: { [version]: '2025-11-01T00:00:00.000Z' },
  };
  return { [`/${name}`]: JSON.stringify(packument), [`/${name}.tgz`]: tarball };
};

const advisory = {
  id: 1,
  url: 'https://advisories.test/1',
  title: 'It leaks',
  severity: 'high',
  vulnerable_versions: '<2',
};

/** Lets an upstream have one package, on which it has an advisory, and returns the names that it is told in audits. */
const serve = async (name: string, isSigned: boolean): Promise<readonly string[]> => {
  const told: string[] = [];
  const keys = [{ keyid, keytype: scheme, scheme, key: key.toString('base64'), expires: null }];
  const files: Readonly<Record<string, string | Uint8Array>> = {
    '/-/npm/v1/keys': JSON.stringify({ keys }),
    '/-/npm/v1/security/advisories/bulk': JSON.stringify({ [name]: [advisory] }),
    ...(await packageOf(name, isSigned)),
  };
  const note = async (request: IncomingMessage): Promise<void> => {
    const sent = await buffer(request);
    told.push(...Object.keys(JSON.parse(sent.toString()) as object));
  };
  upstream.answer = (request, response) => {
    const body = files[request.url ?? ''];
    const read = request.method === 'POST' ? note(request) : Promise.resolve();
    void read.then(() => response.writeHead(body === undefined ? 404 : 200).end(body));
  };
  return told;
};

/**
 * npm asks the servers of Sigstore for the keys of public registries first. Those are in no test, so they know none, and npm asks the
 * registry.
 */
const withoutSigstore = `const { Module } = require('node:module');
const load = Module._load;
const client = {
  getTarget: async () => {
    throw Object.assign(new Error('There is no such target.'), { code: 'TUF_FIND_TARGET_ERROR' });
  },
};
Module._load = (name, ...others) => (name === '@sigstore/tuf' ? { initTUF: async () => client } : load(name, ...others));
`;

const audit = async (sandbox: Sandbox, ...parameters: string[]): Promise<Ran> => {
  sandbox.write({ 'home/without-sigstore.cjs': withoutSigstore });
  return sandbox.run('npm', ['audit', ...parameters], {
    NODE_OPTIONS: `--require=${sandbox.home}/without-sigstore.cjs`,
  });
};

const succeeded = ({ isFailed, output }: Ran): void =>
  expect({ isFailed, output }).toEqual({ isFailed: false, output });

describeUnlessLeftOut('npm')('An audit of npm', () => {
  beforeAll(async () => npm.prepare());

  /** A project with one package of the upstream, and perhaps an own one; and the names that the upstream is told. */
  const project = async ({ isSigned = true, hasOwn = false } = {}) => {
    const [name, ownName] = [uniqueName('theirs'), uniqueName('ours')];
    const told = await serve(name, isSigned);
    const own = await service.world.repository(team.workspace);
    const fields = { remoteRepositoryUrl: upstream.url, releaseGate: { minimumAgeHours: 72 } };
    const children = [own, await createRemote(service, team.workspace, fields)];
    const virtual = await granted(
      await createVirtual(service, team.workspace, children, { uploadLocalRepositoryId: own.id }),
    );
    // A function URL may hand compressed JSON over as text, which is no gzip any more.
    const url = `${askingUrl(service)}/npm/${team.workspace.name}/${virtual.name}`;
    const registry: Registry = { url, token: team.deployer.token };
    const sandbox = newSandbox();
    if (hasOwn) succeeded(await npm.publish(newSandbox(), registry, { name: ownName, version, content: 'ours' }));
    succeeded(await npm.install(sandbox, registry, { name }));
    const dependencies = { [name]: version, ...(hasOwn && { [ownName]: version }) };
    sandbox.write({ 'project/package.json': JSON.stringify({ name: 'app', version, dependencies }) });
    succeeded(await sandbox.run('npm', ['install']));
    return { sandbox, name, ownName, told };
  };

  it('prints what the upstream reports, which is told no own name', async () => {
    const { sandbox, name, told } = await project({ hasOwn: true });
    const { isFailed, output } = await audit(sandbox);
    expect({ isFailed, output }).toEqual({ isFailed: true, output: expect.stringMatching(/It leaks/) });
    expect(new Set(told)).toEqual(new Set([name]));
  });

  it('verifies the signatures of the upstream', async () => {
    const { sandbox } = await project();
    const { isFailed, output } = await audit(sandbox, 'signatures');
    expect({ isFailed, output }).toEqual({
      isFailed: false,
      output: expect.stringMatching(/1 package has a verified registry signature/),
    });
  });

  it.each([
    ['another signature', { isSigned: false }, /1 package has an invalid registry signature/],
    ['no signature, as an own one', { hasOwn: true }, /1 package has a missing registry signature/],
  ] as const)('names a package with %s', async (_what, fields, words) => {
    const { sandbox, name, ownName } = await project(fields);
    const { isFailed, output } = await audit(sandbox, 'signatures');
    expect({ isFailed, output }).toEqual({ isFailed: true, output: expect.stringMatching(words) });
    expect(output).toContain(`${'hasOwn' in fields ? ownName : name}@${version}`);
  });
});
