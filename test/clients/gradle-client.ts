import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../infra/local/sources.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { uniqueName } from '../harness/world.ts';
import { askingUrl, type ClientWorld, clientWorld, useSandboxes } from './client-world.ts';
import { isLeftOut } from './drivers/all.ts';
import type { Ran } from './drivers/driver.ts';
import type { Sandbox } from './drivers/sandbox.ts';
import { commandVersion } from './drivers/tools.ts';

/** Gradle from the PATH, with the block for projects that resolve of docs/clients/maven.md. */
jest.setTimeout(600_000);

const service = useService();
const upstream = useUpstream();
const newSandbox = useSandboxes();
let world: ClientWorld;

const repositoryUrl = (): string => `${askingUrl(service)}/maven/${world.workspace.name}/${world.virtual.name}`;

/** The repositories of the page. Before version 6.8 they are of the project, and not of the settings. */
const documentedRepositories = (): string => {
  const page = readFileSync(join(projectRoot, 'docs', 'clients', 'maven.md'), 'utf8');
  const [, block = ''] = /^dependencyResolutionManagement \{\n(.*?)^\}$/ms.exec(page) ?? [];
  // Since version 7, Gradle wants to be told that an address without TLS is meant.
  const isMeant = "if (hasProperty('allowInsecureProtocol')) allowInsecureProtocol = true";
  return block.replace(/url = '[^']*'/, `url = '${repositoryUrl()}'\n      ${isMeant}`);
};

/** Runs a project that copies the files of these artifacts into a folder. */
const resolve = async (sandbox: Sandbox, artifacts: readonly string[], token = world.deployer.token): Promise<Ran> => {
  sandbox.write({
    'project/settings.gradle': "rootProject.name = 'reader'\n",
    'project/build.gradle': `${documentedRepositories()}
configurations { wanted }
dependencies {
${artifacts.map((each) => `  wanted '${each}'\n`).join('')}}
task read(type: Copy) {
  from configurations.wanted
  into 'read'
}
`,
  });
  const parameters = ['--no-daemon', '--console', 'plain', '-g', join(sandbox.home, 'gradle'), 'read'];
  return sandbox.run('gradle', parameters, { STOCKROOM_TOKEN: token });
};

const pomOf = (group: string, name: string, version: string): string =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></project>`;

const publish = async (name: string, files: Readonly<Record<string, string>>): Promise<void> => {
  const headers = { Authorization: world.deployer.bearer };
  for (const [extension, body] of Object.entries(files)) {
    const url = `${repositoryUrl()}/org/acme/${name}/1.0/${name}-1.0.${extension}`;
    expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(201);
  }
};

(isLeftOut('gradle') ? describe.skip : describe)('gradle', () => {
  beforeAll(async () => {
    process.stderr.write(`gradle ${await commandVersion('gradle')}\n`);
    world = await clientWorld(service, { packageType: 'maven', remoteRepositoryUrl: upstream.url });
  }, 1_200_000);

  it('resolves an artifact of the local child and one of the upstream', async () => {
    const [own, other] = [uniqueName(), uniqueName()];
    await publish(own, { pom: pomOf('org.acme', own, '1.0'), jar: 'our bytes' });
    upstream.answer = ({ url = '' }, response) => {
      const offered: Readonly<Record<string, string>> = {
        pom: pomOf('org.other', other, '2.0'),
        jar: 'PK their bytes',
      };
      const content = offered[/\/2\.0\/[^/]+\.(pom|jar)$/.exec(url)?.[1] ?? ''];
      if (content === undefined) response.writeHead(404).end();
      else response.end(content);
    };
    const sandbox = newSandbox();
    expect(await resolve(sandbox, [`org.acme:${own}:1.0`, `org.other:${other}:2.0`])).toMatchObject({
      isFailed: false,
    });
    expect(sandbox.read(`read/${own}-1.0.jar`)).toBe('our bytes');
    expect(sandbox.read(`read/${other}-2.0.jar`)).toBe('PK their bytes');
  });

  it('is refused with a token of nobody, and says so', async () => {
    const { isFailed, output } = await resolve(newSandbox(), ['org.acme:any:1.0'], 'nobody');
    expect(isFailed).toBe(true);
    expect(output).toMatch(/401/);
  });
});
