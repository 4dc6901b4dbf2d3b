import { hash, randomBytes } from 'node:crypto';
import { moduleOf, wheelName, wheelOf } from '../harness/pypi.ts';
import { useService } from '../harness/service.ts';
import { useTls } from '../harness/tls.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { askingUrl, useSandboxes, useTeam } from './client-world.ts';
import { isLeftOut } from './drivers/all.ts';
import type { Ran } from './drivers/driver.ts';
import { indexUrl, PythonTools } from './drivers/python-tools.ts';

/** `npm run test:clients`: clients of Python that publish, or resolve, or push, and do not install what they publish. */
jest.setTimeout(300_000);

const service = useService();
const tls = useTls(service, askingUrl);
const { team, granted } = useTeam(service);
const sandbox = useSandboxes();

const described = (name: 'hatch' | 'pip-compile' | 'dxf', tools: PythonTools, cases: () => void): void =>
  (isLeftOut(name) ? describe.skip : describe)(name, () => {
    beforeAll(async () => {
      process.stderr.write(`${await tools.prepare()}\n`);
    }, 1_200_000);
    cases();
  });

const local = async (packageType: 'pypi' | 'docker'): Promise<Named> =>
  granted(await service.world.repository(team.workspace, uniqueName(), packageType));

const registryOf = ({ name }: Named) => ({
  url: `${service.url}/pypi/${team.workspace.name}/${name}`,
  token: team.deployer.token,
});

const succeeded = ({ isFailed, output }: Ran): string => {
  expect({ isFailed, output }).toEqual({ isFailed: false, output });
  return output;
};

const python = new PythonTools('pip-tools==7.6.2', 'hatch==1.18.2');
const dxf = new PythonTools('python-dxf==12.1.1');

const wheel = () => ({ name: `acme-${uniqueName('package')}`, version: '1.0.0', content: uniqueName() });

/** Publishes with hatch, which asks `+simple/` first for what exists. */
const publish = async (repository: Named, each = wheel(), token = team.deployer.token) => {
  const place = sandbox();
  place.writeBytes(`project/${wheelName(each)}`, wheelOf(each));
  const options = ['publish', '-n', '-r', registryOf(repository).url, '-u', 'token', '-a', token];
  return place.run(python.command('hatch'), [...options, wheelName(each)]);
};

described('hatch', python, () => {
  it('publishes a wheel, which pip installs, and sees that it exists', async () => {
    const repository = await local('pypi');
    const each = wheel();
    expect(succeeded(await publish(repository, each))).toContain('success');
    expect(succeeded(await publish(repository, each))).toContain('already exists');
    const place = sandbox();
    const options = ['install', '--no-deps', '--target', 'installed', '--index-url', indexUrl(registryOf(repository))];
    succeeded(await place.run(python.command('pip'), [...options, each.name], { PIP_CONFIG_FILE: '/dev/null' }));
    expect(place.read(`installed/${moduleOf(each.name)}/content.txt`)).toBe(each.content);
  });

  it('prints that a credential is wrong', async () => {
    const ran = await publish(await local('pypi'), wheel(), `${team.deployer.token.slice(0, -1)}~`);
    expect(ran).toEqual({ isFailed: true, output: expect.stringContaining('401 Unauthorized') as string });
  });
});

described('pip-compile', python, () => {
  it('locks a package with its hash, which it reads from the JSON of the project', async () => {
    const repository = await local('pypi');
    const each = wheel();
    succeeded(await publish(repository, each));
    const place = sandbox();
    place.write({ 'project/requirements.in': `${each.name}\n` });
    const options = ['--generate-hashes', '--no-header', '--no-emit-index-url', '--index-url'];
    const run = [...options, indexUrl(registryOf(repository)), '-o', 'requirements.txt', 'requirements.in'];
    succeeded(await place.run(python.command('pip-compile'), run, { PIP_CONFIG_FILE: '/dev/null' }));
    expect(place.read('requirements.txt')).toContain(
      `${each.name}==1.0.0 \\\n    --hash=sha256:${hash('sha256', wheelOf(each))}`,
    );
    const asked = service.logs.filter((line) => line.includes(`/pypi/${each.name}/json`));
    expect(asked.length).toBeGreaterThan(0);
  });
});

described('dxf', dxf, () => {
  it('pushes and pulls a blob, and sets a tag, with the challenge that it gets', async () => {
    const { name } = await local('docker');
    const image = `${team.workspace.name}/${name}/tool`;
    const place = sandbox();
    const bytes = randomBytes(300_000).toString('base64');
    // dxf sends its credentials over TLS alone.
    place.write({ 'project/blob': bytes, 'project/certificate.pem': tls.certificate });
    const variables = {
      DXF_HOST: new URL(tls.url).host,
      DXF_TLSVERIFY: 'certificate.pem',
      DXF_USERNAME: 'token',
      DXF_PASSWORD: team.deployer.token,
    };
    const run = async (command: string, ...parameters: string[]): Promise<string> =>
      succeeded(await place.run(dxf.command('dxf'), [command, image, ...parameters], variables)).trim();
    const digest = await run('push-blob', 'blob');
    await run('set-alias', 'latest', digest);
    expect(await run('list-aliases')).toBe('latest');
    expect(await run('get-alias', 'latest')).toBe(digest);
    expect(await run('pull-blob', digest)).toBe(bytes);
  });
});
