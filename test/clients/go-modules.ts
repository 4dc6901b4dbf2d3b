import { moduleZip } from '../harness/go.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { useTls } from '../harness/tls.ts';
import { refusing, serving, useUpstream } from '../harness/upstream.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { ChecksumDatabase, hashOfFiles } from './checksum-database.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import type { Ran, Registry } from './drivers/driver.ts';
import { escapedPath, goVariables, writeSettings } from './drivers/go.ts';
import { Sandbox } from './drivers/sandbox.ts';

/** What only go does, beside the cases of every client: `npm run test:clients`. */
jest.setTimeout(600_000);

const service = useService();
const tls = useTls(service);
const upstream = useUpstream();
let workspace: Named;
let deployer: Actor;
let sandbox: Sandbox;

beforeAll(async () => {
  workspace = await service.world.workspace();
  deployer = await service.world.member(workspace);
});

beforeEach(() => {
  sandbox = new Sandbox();
});

afterEach(() => sandbox.remove());

const granted = async (repository: Named): Promise<Named> => {
  await service.world.grant(workspace, repository, deployer, 'canDeploy');
  return repository;
};

const local = async (): Promise<Named> => granted(await service.world.repository(workspace, undefined, 'go'));

const remote = async (): Promise<Named> =>
  granted(await createRemote(service, workspace, { packageType: 'go', remoteRepositoryUrl: `${upstream.url}/go` }));

const registryOf = (repository: Named): Registry => ({
  url: `${tls.url}/go/${workspace.name}/${repository.name}`,
  token: deployer.token,
  certificate: tls.certificate,
});

const run = async (
  repository: Named,
  parameters: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ran> => {
  const registry = registryOf(repository);
  writeSettings(sandbox, registry);
  if (!sandbox.has('go.mod')) sandbox.write({ 'project/go.mod': 'module app.example/app\n\ngo 1.21\n' });
  return sandbox.run('go', parameters, { ...goVariables(sandbox, registry), ...variables });
};

const succeed = async (...input: Parameters<typeof run>): Promise<string> => {
  const { isFailed, output } = await run(...input);
  if (isFailed) throw new Error(`go ${input[1].join(' ')} failed:\n${output}`);
  return output;
};

/** Publishes a module by the address that docs/clients/go.md shows. */
const publish = async (repository: Named, name: string, version: string, files: Record<string, string> = {}) => {
  const url = `${service.url}/go/${workspace.name}/${repository.name}/${escapedPath(name)}/@v/${version}.zip`;
  const body = new Uint8Array(moduleZip(name, version, { 'x.go': 'package x\n', ...files }));
  const answer = await fetch(url, { method: 'PUT', headers: { Authorization: deployer.bearer }, body });
  if (answer.status !== 201) throw new Error(await answer.text());
};

const newName = (): string => `corp.example/Acme/${uniqueName('module')}`;

describeUnlessLeftOut('go')('go', () => {
  it('lists versions, and leaves out those that a newer go.mod retracts', async () => {
    const repository = await local();
    const name = newName();
    for (const version of ['v1.0.0', 'v1.1.0', 'v1.2.0-rc.1']) await publish(repository, name, version);
    const listed = await succeed(repository, ['list', '-m', '-versions', name]);
    expect(listed.trim()).toBe(`${name} v1.0.0 v1.1.0 v1.2.0-rc.1`);
    await publish(repository, name, 'v1.1.1', {
      'go.mod': `module ${name}\n\ngo 1.21\n\nretract (\n\tv1.1.0 // It fails.\n\tv1.1.1\n)\n`,
    });
    sandbox.remove();
    sandbox = new Sandbox();
    expect((await succeed(repository, ['list', '-m', '-versions', name])).trim()).toBe(`${name} v1.0.0 v1.2.0-rc.1`);
    expect(await succeed(repository, ['get', `${name}@latest`])).toContain(`${name} v1.0.0`);
  });

  it('downloads, verifies and builds a package of a nested path, with a module of version 2 and one without go.mod', async () => {
    const repository = await local();
    const [one, two, old] = [newName(), `${newName()}/v2`, newName()];
    await publish(repository, one, 'v1.0.0', { 'sub/deep/deep.go': 'package deep\n\nconst Text = "deep"\n' });
    await publish(repository, two, 'v2.1.0', { 'two.go': 'package x\n\nconst Text = "two"\n' });
    const url = `${service.url}/go/${workspace.name}/${repository.name}/${escapedPath(old)}/@v/v3.0.0+incompatible.zip`;
    const zip = moduleZip(old, 'v3.0.0+incompatible', {
      'go.mod': undefined,
      'old.go': 'package old\n\nconst Text = "old"\n',
    });
    const headers = { Authorization: deployer.bearer };
    expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(zip) })).status).toBe(201);
    sandbox.write({
      'project/go.mod': 'module app.example/app\n\ngo 1.21\n',
      'project/main.go': `package main\n\nimport (\n\t"${one}/sub/deep"\n\told "${old}"\n\ttwo "${two}"\n)\n\nfunc main() { println(deep.Text, two.Text, old.Text) }\n`,
    });
    await succeed(repository, ['mod', 'tidy']);
    await succeed(repository, ['mod', 'download', 'all']);
    expect(await succeed(repository, ['mod', 'verify'])).toContain('all modules verified');
    expect(await succeed(repository, ['run', '.'])).toContain('deep two old');
  });

  it('asks the next proxy after a comma where a module is missing, and after a | whatever fails', async () => {
    const [first, second] = [await local(), await local()];
    const name = newName();
    await publish(second, name, 'v1.0.0');
    const proxies = (separator: string, from: Named): Record<string, string> => ({
      GOPROXY: [from, second].map((each) => registryOf(each).url).join(separator),
    });
    await succeed(first, ['list', '-m', `${name}@v1.0.0`], proxies(',', first));
    const failing = await remote();
    upstream.answer = refusing(500);
    sandbox.remove();
    sandbox = new Sandbox();
    const refused = await run(failing, ['list', '-m', `${name}@v1.0.0`], proxies(',', failing));
    expect(refused).toEqual({ isFailed: true, output: expect.stringContaining('502 Bad Gateway') as string });
    await succeed(failing, ['list', '-m', `${name}@v1.0.0`], proxies('|', failing));
  });

  it('prints in the words of Stockroom why there is no module', async () => {
    const repository = await local();
    const name = newName();
    const { isFailed, output } = await run(repository, ['list', '-m', `${name}@v1.0.0`]);
    expect({ isFailed, output }).toEqual({
      isFailed: true,
      output: expect.stringContaining(`There is no version 'v1.0.0' of '${name}' in this repository.`) as string,
    });
  });

  describe('verifies a module of an upstream by the checksum database that the upstream passes on', () => {
    const name = 'public.example/tool';
    const version = 'v1.0.0';
    const files = { 'go.mod': `module ${name}\n`, 'tool.go': 'package tool\n' };
    const prefixed = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [`${name}@${version}/${path}`, text]),
    );
    const recordOf = (hash: string): string =>
      `${name} ${version} ${hash}\n${name} ${version}/go.mod ${hashOfFiles({ 'go.mod': files['go.mod'] })}\n`;

    const passOn = (database: ChecksumDatabase): void => {
      const documents: Record<string, string | Uint8Array> = {
        [`/go/${name}/@v/${version}.info`]: JSON.stringify({ Version: version }),
        [`/go/${name}/@v/${version}.mod`]: files['go.mod'],
        [`/go/${name}/@v/${version}.zip`]: moduleZip(name, version, files),
        [`/go/${name}/@v/list`]: `${version}\n`,
      };
      for (const [path, content] of Object.entries(database.documents()))
        documents[`/go/sumdb/${database.name}/${path}`] = content;
      upstream.answer = (request, response) => {
        const content = documents[decodeURIComponent(request.url ?? '')];
        (content === undefined ? refusing(404) : serving(content))(request, response);
      };
    };

    const download = async (database: ChecksumDatabase): Promise<Ran> => {
      passOn(database);
      const virtual = await granted(
        await createVirtual(service, workspace, [await local(), await remote()], { packageType: 'go' }),
      );
      return run(virtual, ['mod', 'download', '-json', `${name}@${version}`], {
        // There is no host of this name: without the upstream, go could not ask the database.
        GOSUMDB: database.key,
      });
    };

    it('and accepts what the database knows', async () => {
      const database = new ChecksumDatabase('sums.invalid', [
        'other.example/x v1.0.0 h1:x\n',
        recordOf(hashOfFiles(prefixed)),
      ]);
      const { isFailed, output } = await download(database);
      expect({ isFailed, output }).toEqual({
        isFailed: false,
        output: expect.stringContaining(hashOfFiles(prefixed)) as string,
      });
      const asked = upstream.requests.map(({ url }) => url).filter((url) => url?.includes('/sumdb/'));
      expect(asked).toEqual(expect.arrayContaining([`/go/sumdb/sums.invalid/lookup/${name}@${version}`]));
    });

    it('and refuses other bytes', async () => {
      const database = new ChecksumDatabase('sums.invalid', [recordOf(hashOfFiles({ other: 'bytes' }))]);
      const { isFailed, output } = await download(database);
      expect({ isFailed, output }).toEqual({
        isFailed: true,
        output: expect.stringContaining('checksum mismatch') as string,
      });
    });
  });
});
