import { join } from 'node:path';
import { chartOf, contentIn } from '../harness/helm-charts.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { useSandboxes } from './client-world.ts';
import { isLeftOut } from './drivers/containers/all.ts';
import { helm, runHelm } from './drivers/helm.ts';
import type { Sandbox } from './drivers/sandbox.ts';

/** Charts that helm keeps in a registry of images: `npm run test:containers`. */
jest.setTimeout(900_000);

const service = useService();
const sandbox = useSandboxes();

(isLeftOut('helm') ? describe.skip : describe)('helm', () => {
  beforeAll(async () => {
    process.stderr.write(`helm ${await helm.prepare()}\n`);
  }, 1_200_000);

  const succeed = async (place: Sandbox, ...commands: readonly (readonly string[])[]): Promise<void> => {
    const { isFailed, output } = await runHelm(place, ...commands);
    if (isFailed) throw new Error(`helm failed:\n${output}`);
  };

  it('signs in, pushes a chart as an image, and pulls it', async () => {
    const { world } = service;
    const [workspace, author, user] = [await world.workspace(), sandbox(), sandbox()];
    const repository = await world.repository(workspace, undefined, 'docker');
    const deployer = await world.member(workspace);
    await world.grant(workspace, repository, deployer, 'canDeploy');
    const [name, content] = [uniqueName('chart'), uniqueName('content')];
    const { host } = new URL(service.runner.url);
    const login = ['registry', 'login', host, '--plain-http', '-u', 'token', '-p', deployer.token];
    author.writeBytes(join('project', 'chart.tgz'), await chartOf({ name, version: '1.2.3', content }));
    const place = `oci://${host}/${workspace.name}/${repository.name}`;
    await succeed(author, login, ['push', 'chart.tgz', place, '--plain-http']);
    await succeed(user, login, ['pull', `${place}/${name}`, '--version', '1.2.3', '--plain-http', '--untar']);
    expect(contentIn(user.read(`${name}/templates/content.yaml`))).toBe(content);
    await succeed(user, ['show', 'chart', `${place}/${name}`, '--plain-http']);
  });
});
