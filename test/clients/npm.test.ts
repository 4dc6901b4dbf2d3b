import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedDocumentKey, documentFetchKey } from '../../shared/table/packages/package-keys.ts';
import { tarballOf } from '../functions/npm/documents.ts';
import { packed, publishBody, serveRegistry } from '../harness/npm.ts';
import { NpmClient, type NpmRun } from '../harness/npm-client.ts';
import { age, endLeaseOf, stored } from '../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { allCases, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { refusing, useUpstream } from '../harness/upstream.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const upstream = useUpstream();
const npm = new NpmClient();
let workspace: Named;
let local: Named;
let virtual: Named;
let deployer: Actor;
let viewer: Actor;
let manager: Actor;
let empty: string;

beforeAll(async () => {
  const { world } = service;
  workspace = await world.workspace();
  local = await world.repository(workspace);
  virtual = await createVirtual(service, workspace, [local], { uploadLocalRepositoryId: local.id });
  [deployer, viewer, manager] = await Promise.all([
    world.member(workspace),
    world.member(workspace),
    world.member(workspace),
  ]);
  // On the virtual repository alone: the level on the address decides.
  await world.grant(workspace, virtual, deployer, 'canDeploy');
  await world.grant(workspace, virtual, viewer, 'canView');
  await world.grant(workspace, virtual, manager, 'canManage');
  empty = npm.project({ name: 'empty', version: '1.0.0' });
});

afterAll(() => npm.close());

/** What the clients call: API Gateway, the second front at its function URL (`url`), or CloudFront before that (`edge`). */
const front = process.env.TEST_FRONT || 'gateway';

/** The address of a virtual repository, by the name of the host that a client knows. */
const addressAt = (hostname: string, repository = virtual): string => {
  const { port } = new URL(service.url);
  return `http://${hostname}:${port}/npm/${workspace.name}/${repository.name}/`;
};

interface Run {
  readonly as?: string;
  readonly host?: string;
  readonly repository?: Named;
  readonly settings?: Readonly<Record<string, string>>;
}

const run = async (
  project: string,
  parameters: readonly string[],
  { as = deployer.token, host = '127.0.0.1', repository, settings = {} }: Run = {},
): Promise<NpmRun> => npm.run(project, { url: addressAt(host, repository), token: as }, parameters, settings);

/** Runs npm, and expects that it succeeds. */
const succeed = async (...input: Parameters<typeof run>): Promise<NpmRun> => {
  const ran = await run(...input);
  if (ran.isFailed) throw new Error(`npm ${input[1].join(' ')} failed:\n${ran.stdout}${ran.stderr}`);
  return ran;
};

const read = (project: string, path: string): unknown => JSON.parse(readFileSync(join(project, path), 'utf8'));

const indexFile = (content: string) => ({ 'index.js': content });

const manifestOf = (fields: Readonly<Record<string, unknown>>) => ({
  name: uniqueName('package'),
  version: '1.0.0',
  main: 'index.js',
  ...fields,
});

/** Publishes a package, and returns its name. */
const published = async (fields: Readonly<Record<string, unknown>> = {}) => {
  const manifest = manifestOf(fields);
  await succeed(npm.project(manifest, indexFile('module.exports = 1;')), ['publish']);
  return manifest.name;
};

/** Publishes as npm does, but without npm, which takes half a second: for tests about what comes after it. */
const present = async (fields: Readonly<Record<string, unknown>> = {}, content = 'module.exports = 1;') => {
  const manifest = manifestOf(fields);
  const { name, version } = manifest;
  const tarball = Buffer.from(await packed(manifest, indexFile(content)));
  const { status } = await fetch(`${addressAt('127.0.0.1')}${name.replace('/', '%2f')}`, {
    method: 'PUT',
    headers: { Authorization: deployer.bearer, 'Content-Type': 'application/json' },
    body: JSON.stringify(publishBody(name, version, manifest, tarball)),
  });
  expect(status).toBe(201);
  return name;
};

let commands = 0;
/** What is asked of npm beside publishing and installing: `npm run test:clients` tries all, `npm test` a quarter, others each day; half with ALL_CASES. */
const itInTurn = (...test: Parameters<jest.It>): void => {
  commands += 1;
  if (process.env.ALL_COMMANDS || (commands + today) % (allCases ? 2 : 4) === 0) it(...test);
};

describe('npm', () => {
  it('prints the limit and the way for larger packages where a publish is too large', async () => {
    for (const bytes of [3_450_000, 5_000_000]) {
      const manifest = { name: uniqueName('package'), version: '1.0.0' };
      const { isFailed, stderr } = await run(npm.project(manifest, { padding: randomBytes(bytes) }), ['publish']);
      expect([isFailed, stderr]).toEqual([true, expect.stringContaining('413 ')]);
      // Lambda itself refuses what is too large for the event of a function URL.
      if (front === 'url' && bytes > 4_500_000) continue;
      expect(stderr).toMatch(/at most 4(?:500000 bytes|\.5 MB)/);
      expect(stderr).toContain('POST /1/workspaces/{workspace}/repositories/{repository}/packages/uploads');
    }
  });

  it('publishes with and without a scope, and installs both into an empty project', async () => {
    const plain = await published();
    const scoped = await published({
      name: `@acme/${uniqueName('package')}`,
      version: '2.1.0-rc.1',
      publishConfig: { tag: 'latest' },
      dependencies: { [plain]: '^1.0.0' },
    });
    const project = npm.project({ name: 'app', version: '1.0.0' });
    await succeed(project, ['install', scoped]);
    expect(read(project, `node_modules/${scoped}/package.json`)).toMatchObject({ version: '2.1.0-rc.1' });
    expect(readFileSync(join(project, `node_modules/${plain}/index.js`), 'utf8')).toBe('module.exports = 1;');
    expect(read(project, 'package-lock.json')).toMatchObject({
      packages: {
        [`node_modules/${scoped}`]: {
          resolved: `${addressAt('127.0.0.1')}${scoped}/-/${scoped.split('/')[1]}-2.1.0-rc.1.tgz`,
          integrity: expect.stringMatching(/^sha512-/) as string,
        },
      },
    });
  });

  itInTurn('views what was published, and says of an unknown package that there is none', async () => {
    const name = await published({ description: 'Pads on the left', license: 'MIT' });
    const { stdout } = await succeed(empty, ['view', name, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      name,
      version: '1.0.0',
      description: 'Pads on the left',
      license: 'MIT',
      'dist-tags': { latest: '1.0.0' },
    });
    const unknown = await run(empty, ['view', uniqueName('unknown')]);
    expect(unknown).toMatchObject({ isFailed: true, stderr: expect.stringContaining('E404') as string });
  });

  itInTurn('adds, lists and removes dist-tags', async () => {
    const name = await present();
    const list = async () => (await succeed(empty, ['dist-tag', 'ls', name])).stdout.trim().split('\n');
    await succeed(empty, ['dist-tag', 'add', `${name}@1.0.0`, 'beta']);
    expect(await list()).toEqual(['beta: 1.0.0', 'latest: 1.0.0']);
    const { stdout } = await succeed(empty, ['view', `${name}@beta`, 'version']);
    expect(stdout.trim()).toBe('1.0.0');
    await succeed(empty, ['dist-tag', 'rm', name, 'beta']);
    expect(await list()).toEqual(['latest: 1.0.0']);
  });

  itInTurn('deprecates a version, which an installation then prints, and takes that back', async () => {
    const name = await present();
    await succeed(empty, ['deprecate', `${name}@1.0.0`, 'use another one']);
    const { stderr } = await succeed(npm.project({ name: 'app', version: '1.0.0' }), ['install', name]);
    expect(stderr).toContain(`deprecated ${name}@1.0.0: use another one`);
    await succeed(empty, ['deprecate', `${name}@1.0.0`, '']);
    const { stdout } = await succeed(empty, ['view', name, 'deprecated']);
    expect(stdout.trim()).toBe('');
  });

  itInTurn('says who calls, and that the repository answers', async () => {
    const [whoami, ping] = await Promise.all([succeed(empty, ['whoami']), succeed(empty, ['ping', '--json'])]);
    expect(whoami.stdout.trim()).toBe(deployer.username);
    expect(JSON.parse(ping.stdout)).toMatchObject({ registry: addressAt('127.0.0.1') });
  });

  itInTurn('searches by name and by scope', async () => {
    const name = await present({ name: `@${uniqueName('scope')}/pads`, description: 'Pads on the left' });
    const { stdout } = await succeed(empty, ['search', '--json', `scope:${name.slice(1, name.indexOf('/'))}`, 'pad']);
    expect(JSON.parse(stdout)).toMatchObject([{ name, version: '1.0.0', description: 'Pads on the left' }]);
  });

  itInTurn('unpublishes a version and a package, where its level allows that', async () => {
    const name = await present();
    await present({ name, version: '2.0.0' });
    const refused = await run(empty, ['unpublish', `${name}@2.0.0`, '--force']);
    expect(refused).toMatchObject({ isFailed: true, stderr: expect.stringContaining('code E403') as string });
    expect(refused.stderr).toContain('may unpublish a version');
    expect((await succeed(empty, ['view', name, 'dist-tags.latest'])).stdout.trim()).toBe('2.0.0');
    await succeed(empty, ['unpublish', `${name}@2.0.0`, '--force'], { as: manager.token });
    const { stdout } = await succeed(empty, ['view', name, 'versions', 'dist-tags', '--json']);
    expect(JSON.parse(stdout)).toEqual({ versions: ['1.0.0'], 'dist-tags': { latest: '1.0.0' } });
    await succeed(empty, ['unpublish', name, '--force'], { as: manager.token });
    expect((await run(empty, ['view', name])).stderr).toContain('code E404');
  });

  it('installs with the audit that npm does unless it is told not to, and prints no error about it', async () => {
    const name = await present();
    const project = npm.project({ name: 'app', version: '1.0.0' });
    const { stdout, stderr } = await succeed(project, ['install', name], { settings: { audit: 'true' } });
    expect(stderr).toBe('');
    expect(stdout).toContain('added 1 package');
  });

  itInTurn('prints why a version is not published a second time', async () => {
    const manifest = { name: await present(), version: '1.0.0' };
    const again = await run(npm.project({ ...manifest, description: 'other bytes' }), ['publish']);
    expect(again.isFailed).toBe(true);
    expect(again.stderr).toContain('You cannot publish over the previously published versions: 1.0.0.');
    // npm looks before it publishes, unless it is forced.
    const forced = await run(npm.project(manifest), ['publish', '--force']);
    expect(forced.isFailed).toBe(true);
    expect(forced.stderr).toContain(
      `409 Conflict - PUT ${addressAt('127.0.0.1')}${manifest.name} - ${manifest.name} 1.0.0 already exists, and what was published never changes. Publish the change under a new version.`,
    );
  });

  itInTurn('prints that a level is too low, and that a credential is wrong', async () => {
    const project = npm.project({ name: uniqueName('package'), version: '1.0.0' });
    const [tooLow, wrong] = await Promise.all([
      run(project, ['publish'], { as: viewer.token }),
      run(project, ['publish'], { as: `${deployer.token}x` }),
    ]);
    expect([tooLow.isFailed, wrong.isFailed]).toEqual([true, true]);
    expect(tooLow.stderr).toContain('code E403');
    expect(tooLow.stderr).toContain('Only users with canDeploy or canManage on the repository');
    expect(wrong.stderr).toContain('code E401');
  });

  const isAsAsked = front === 'gateway';
  const told = isAsAsked ? 'localhost' : '127.0.0.1';
  it(`gives each client ${isAsAsked ? 'the address that it asked at' : 'its own address'}: a lock file works at another one, too`, async () => {
    const name = await present();
    const app = { name: 'app', version: '1.0.0', dependencies: { [name]: '1.0.0' } };
    const first = npm.project(app);
    await succeed(first, ['install']);
    const lock = readFileSync(join(first, 'package-lock.json'), 'utf8');
    expect(lock).toContain(`"resolved": "${addressAt('127.0.0.1')}${name}/-/${name}-1.0.0.tgz"`);
    const { stdout } = await succeed(empty, ['view', name, 'dist.tarball'], { host: 'localhost' });
    expect(stdout.trim()).toBe(`${addressAt(told)}${name}/-/${name}-1.0.0.tgz`);
    const second = npm.project(app, { 'package-lock.json': lock });
    // An own cache: the file must come from the other address.
    const settings = { 'replace-registry-host': 'always', cache: join(second, 'cache') };
    await succeed(second, ['ci'], { host: 'localhost', settings });
    expect(read(second, `node_modules/${name}/package.json`)).toMatchObject({ version: '1.0.0' });
  });

  const fileHost = front === 'edge' ? '127.0.0.1' : 'localhost';
  it(`installs a large tarball, which it gets by a redirect to ${front === 'edge' ? 'the same' : 'another'} host`, async () => {
    const content = randomBytes(300_000).toString('base64');
    const name = await present({}, content);
    const answer = await fetch(`${addressAt('127.0.0.1')}${name}/-/${name}-1.0.0.tgz`, {
      headers: { Authorization: deployer.bearer },
      redirect: 'manual',
    });
    expect({ status: answer.status, host: new URL(answer.headers.get('location') ?? '').hostname }).toEqual({
      status: 302,
      host: fileHost,
    });
    const project = npm.project({ name: 'app', version: '1.0.0' });
    await succeed(project, ['install', name]);
    expect(readFileSync(join(project, `node_modules/${name}/index.js`), 'utf8')).toBe(content);
  });
});

describe('npm, through a virtual repository over a local and a remote one', () => {
  const minute = 60_000;

  /** A virtual repository, the remote one below it, and a package that only the upstream of that one has. */
  const prepare = async () => {
    const remote = await createRemote(service, workspace, {
      remoteRepositoryUrl: upstream.url,
      metadataCacheTimeTillRevalidation: minute,
    });
    const both = await createVirtual(service, workspace, [local, remote], { uploadLocalRepositoryId: local.id });
    await service.world.grant(workspace, both, deployer, 'canDeploy');
    const name = `@public/${uniqueName('package')}`;
    /** Lets the upstream have these versions from now on. */
    const release = async (...versions: readonly string[]): Promise<void> => {
      const released = versions.map(async (version) => {
        const manifest = JSON.stringify({ name, version, main: 'index.js' });
        const files = { 'package/package.json': manifest, 'package/index.js': `module.exports = '${version}';` };
        const entries = Object.entries(files).map(([path, content]) => ({ name: path, content }));
        return [version, { tarball: await tarballOf(entries) }] as const;
      });
      upstream.answer = serveRegistry(upstream, { [name]: Object.fromEntries(await Promise.all(released)) });
    };
    const passTime = async (): Promise<void> => {
      const ref = { contentId: remote.id, name };
      for (const document of ['packument full', 'packument abbreviated']) {
        if (!(await stored(cachedDocumentKey(ref, document)))) continue;
        await age(cachedDocumentKey(ref, document), minute);
        await endLeaseOf(documentFetchKey(ref, document));
      }
    };
    return { both, name, release, passTime };
  };

  const app = (...names: readonly string[]) => ({
    name: 'app',
    version: '1.0.0',
    dependencies: Object.fromEntries(names.map((name) => [name, '*'])),
  });

  /** Of a project that has installed nothing before. */
  const ownCache = (project: string) => ({ cache: join(project, 'cache') });

  it('installs packages of both, at any name of the host, and asks no upstream for its own', async () => {
    const { both, name, release } = await prepare();
    await release('1.0.0');
    const ours = await present();
    upstream.requests.length = 0;
    const first = npm.project(app(name, ours));
    const { stderr } = await succeed(first, ['install'], { repository: both, settings: { audit: 'true' } });
    expect(stderr).toBe('');
    expect(readFileSync(join(first, `node_modules/${name}/index.js`), 'utf8')).toBe("module.exports = '1.0.0';");
    expect(read(first, `node_modules/${ours}/package.json`)).toMatchObject({ version: '1.0.0' });
    expect(upstream.requests.filter(({ url }) => url?.includes(ours))).toEqual([]);
    const lock = readFileSync(join(first, 'package-lock.json'), 'utf8');
    expect(lock).toContain(`"resolved": "${addressAt('127.0.0.1', both)}${name}/-/${name.split('/')[1]}-1.0.0.tgz"`);
    const second = npm.project(app(name, ours), { 'package-lock.json': lock });
    const settings = { 'replace-registry-host': 'always', ...ownCache(second) };
    await succeed(second, ['ci'], { repository: both, host: 'localhost', settings });
    expect(read(second, `node_modules/${name}/package.json`)).toMatchObject({ version: '1.0.0' });
  });

  it('installs what is cached while the upstream is down, and sees a new version once the time is over', async () => {
    const { both, name, release, passTime } = await prepare();
    await release('1.0.0');
    const install = async (): Promise<unknown> => {
      const project = npm.project(app(name));
      await succeed(project, ['install'], { repository: both, settings: ownCache(project) });
      return (read(project, `node_modules/${name}/package.json`) as { version: string }).version;
    };
    expect(await install()).toBe('1.0.0');
    await release('1.0.0', '1.1.0');
    expect(await install()).toBe('1.0.0');
    await passTime();
    upstream.answer = refusing(503);
    expect(await install()).toBe('1.0.0');
    await passTime();
    await release('1.0.0', '1.1.0');
    expect(await install()).toBe('1.1.0');
  });
});
