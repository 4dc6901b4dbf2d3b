import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { zipOf } from '../harness/zips.ts';
import { askingUrl, clientWorld, useSandboxes } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import type { Ran, Registry } from './drivers/driver.ts';
import { copyDependencies, deployFile, lifecyclePlugins, theMaven } from './drivers/maven.ts';
import type { Sandbox } from './drivers/sandbox.ts';

/** What Maven alone does, beside the cases for every client. */
jest.setTimeout(600_000);

const service = useService();
const upstream = useUpstream();
let workspace: Named;
let deployer: Actor;
let virtual: Named;

/** What the upstream has, by path. */
let offered: Readonly<Record<string, string | Uint8Array>> = {};

describeUnlessLeftOut('maven')('maven', () => {
  beforeAll(async () => {
    await theMaven.prepare();
    const remoteRepositoryUrl = upstream.url;
    ({ workspace, deployer, virtual } = await clientWorld(service, {
      packageType: 'maven',
      remoteRepositoryUrl,
    }));
  }, 1_200_000);

  beforeEach(() => {
    upstream.answer = ({ url = '' }, response) => {
      const content = offered[url.slice(1)];
      if (content === undefined) response.writeHead(404).end();
      else response.writeHead(200).end(content);
    };
  });

  const newSandbox = useSandboxes();

  const registry = (): Registry => ({
    url: `${askingUrl(service)}/maven/${workspace.name}/${virtual.name}`,
    token: deployer.token,
  });

  const run = async (sandbox: Sandbox, ...parameters: string[]): Promise<Ran> =>
    theMaven.run(sandbox, registry(), ...parameters);

  const succeed = async (sandbox: Sandbox, ...parameters: string[]): Promise<string> => {
    const { isFailed, output } = await run(sandbox, ...parameters);
    if (isFailed) throw new Error(`mvn ${parameters.join(' ')} failed:\n${output}`);
    return output;
  };

  /** A POM of the group org.acme, with more elements after the coordinates. */
  const pom = (artifact: string, version: string, more = '', packaging = 'pom'): string =>
    `<project><modelVersion>4.0.0</modelVersion><groupId>org.acme</groupId><artifactId>${artifact}</artifactId>` +
    `<version>${version}</version><packaging>${packaging}</packaging>${more}</project>`;

  const dependency = (artifact: string, version: string, type: string): string =>
    `<dependency><groupId>org.acme</groupId><artifactId>${artifact}</artifactId><version>${version}</version><type>${type}</type></dependency>`;

  /** Deploys a file of the sandbox as an artifact. */
  const deploy = async (sandbox: Sandbox, artifact: string, version: string, ...more: string[]): Promise<string> =>
    succeed(
      sandbox,
      deployFile,
      `-Durl=${registry().url}`,
      '-DrepositoryId=stockroom',
      '-DgroupId=org.acme',
      `-DartifactId=${artifact}`,
      `-Dversion=${version}`,
      ...more,
    );

  /** Resolves the dependencies of a project in an empty sandbox, and returns one of their files. */
  const resolved = async (project: string, file: string): Promise<string> => {
    const sandbox = newSandbox();
    sandbox.write({ 'project/pom.xml': project });
    await succeed(sandbox, copyDependencies, '-DoutputDirectory=lib', '-Dmdep.stripVersion=true', '-U');
    return sandbox.read(`lib/${file}`);
  };

  /** The lines of docs/clients/maven.md that let SNAPSHOT versions come through a mirror. */
  const withSnapshots =
    '<repositories><repository><id>central</id><url>https://repo.maven.apache.org/maven2</url><snapshots><enabled>true</enabled></snapshots></repository></repositories>';

  describe('mvn', () => {
    it('deploys a SNAPSHOT twice, and resolves the newest build', async () => {
      const artifact = uniqueName('snapshot');
      const sandbox = newSandbox();
      const project = pom(
        'app',
        '1',
        `<dependencies>${dependency(artifact, '1.0-SNAPSHOT', 'txt')}</dependencies>${withSnapshots}`,
      );
      for (const content of ['first', 'second']) {
        sandbox.write({ 'project/content.txt': content });
        await deploy(sandbox, artifact, '1.0-SNAPSHOT', '-Dfile=content.txt', '-Dpackaging=txt');
        expect(await resolved(project, `${artifact}.txt`)).toBe(content);
      }
      const path = `org/acme/${artifact}/1.0-SNAPSHOT/maven-metadata.xml`;
      const answer = await fetch(`${registry().url}/${path}`, { headers: { Authorization: deployer.bearer } });
      expect(await answer.text()).toContain('<buildNumber>2</buildNumber>');
    });

    it('deploys a project to the distributionManagement of its POM, with a signature beside a file', async () => {
      const artifact = uniqueName('managed');
      const repositories = ['repository', 'snapshotRepository'].map(
        (element) => `<${element}><id>stockroom</id><url>${registry().url}</url></${element}>`,
      );
      const management = `<distributionManagement>${repositories.join('')}</distributionManagement>`;
      const sandbox = newSandbox();
      sandbox.write({ 'project/pom.xml': pom(artifact, '1.0', management + lifecyclePlugins) });
      await succeed(sandbox, 'deploy');
      sandbox.write({ 'project/content.txt': 'content', 'project/content.txt.asc': 'signature' });
      const attached = ['-Dfiles=content.txt.asc', '-Dtypes=txt.asc', '-Dclassifiers='];
      await deploy(sandbox, `${artifact}-signed`, '1.0', '-Dfile=content.txt', '-Dpackaging=txt', ...attached);
      const dependencies = ['txt', 'txt.asc'].map((type) => dependency(`${artifact}-signed`, '1.0', type));
      const parent = `<parent><groupId>org.acme</groupId><artifactId>${artifact}</artifactId><version>1.0</version><relativePath/></parent>`;
      const project = pom('app', '1', `${parent}<dependencies>${dependencies.join('')}</dependencies>`);
      expect(await resolved(project, `${artifact}-signed.txt.asc`)).toBe('signature');
    });

    it('builds an artifact of the local child whose parent is at the upstream of another one', async () => {
      const [artifact, parent] = [uniqueName('child'), uniqueName('parent')];
      const properties = '<properties><wanted>1.0</wanted></properties>';
      offered = {
        [`org/theirs/${parent}/7/${parent}-7.pom`]: pom(parent, '7', properties).replace('org.acme', 'org.theirs'),
      };
      const sandbox = newSandbox();
      sandbox.write({ 'project/content.txt': 'needed' });
      const needed = `${artifact}-needed`;
      await deploy(sandbox, needed, '1.0', '-Dfile=content.txt', '-Dpackaging=txt');
      const reference = `<parent><groupId>org.theirs</groupId><artifactId>${parent}</artifactId><version>7</version><relativePath/></parent>`;
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a property of Maven
      const dependencies = `<dependencies>${dependency(needed, '${wanted}', 'txt')}</dependencies>`;
      sandbox.write({ 'project/child.pom': pom(artifact, '1.0', reference + dependencies) });
      await deploy(sandbox, artifact, '1.0', '-Dfile=child.pom', '-DpomFile=child.pom', '-Dpackaging=pom');
      const project = pom('app', '1', `<dependencies>${dependency(artifact, '1.0', 'pom')}</dependencies>`);
      expect(await resolved(project, `${needed}.txt`)).toBe('needed');
      expect(upstream.requests.map(({ url }) => url)).toContain(`/org/theirs/${parent}/7/${parent}-7.pom`);
    });

    it('finds a plugin by its prefix, and runs its goal', async () => {
      const prefix = uniqueName('greet').replaceAll('-', '');
      const sandbox = newSandbox();
      const source = `package org.acme;
public class Greeting extends org.apache.maven.plugin.AbstractMojo {
  public void execute() { getLog().info("greetings of ${prefix}"); }
}`;
      sandbox.write({ 'project/Greeting.java': source });
      const api = await theMaven.library('maven-plugin-api');
      await promisify(execFile)('javac', ['--release', '8', '-cp', api, '-d', sandbox.project, 'Greeting.java'], {
        cwd: sandbox.project,
      });
      const descriptor = `<plugin><groupId>org.acme</groupId><artifactId>tool-of-${prefix}</artifactId><version>1.0</version><goalPrefix>${prefix}</goalPrefix><mojos><mojo><goal>hello</goal><requiresProject>false</requiresProject><implementation>org.acme.Greeting</implementation><language>java</language><instantiationStrategy>per-lookup</instantiationStrategy></mojo></mojos></plugin>`;
      const plugin = pom(`tool-of-${prefix}`, '1.0', '', 'maven-plugin');
      const jar = zipOf([
        { path: 'META-INF/maven/plugin.xml', content: descriptor },
        { path: 'org/acme/Greeting.class', content: readFileSync(join(sandbox.project, 'org/acme/Greeting.class')) },
      ]);
      sandbox.write({ 'project/plugin.pom': plugin });
      sandbox.writeBytes('project/plugin.jar', jar);
      await deploy(sandbox, `tool-of-${prefix}`, '1.0', '-Dfile=plugin.jar', '-DpomFile=plugin.pom');
      // Maven gives this library to each plugin that names none.
      offered = { 'org/codehaus/plexus/plexus-utils/1.1/plexus-utils-1.1.jar': zipOf([]) };
      const output = await succeed(newSandbox(), `${prefix}:hello`);
      expect(output).toContain(`greetings of ${prefix}`);
    });
  });
});
