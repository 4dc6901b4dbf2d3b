import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../infra/local/sources.ts';
import type { Driver, Ran, Registry } from './driver.ts';
import { Sandbox } from './sandbox.ts';

const run = promisify(execFile);

const cache = join(projectRoot, 'node_modules', '.cache', 'stockroom-clients');
const central = 'https://repo.maven.apache.org/maven2/';

/** The goal that deploys a file without a project. */
export const deployFile = 'org.apache.maven.plugins:maven-deploy-plugin:3.1.4:deploy-file';
/** The goal that resolves the dependencies of a project into a folder. */
export const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** Maven 4 takes five answers for one file, 401 included. docs/clients/maven.md shows this option for slow upstreams. */
const mavenOpts = '-Djdk.httpclient.redirects.retrylimit=10';

/** The plugins that `mvn deploy` runs for a project of the packaging pom, in exact versions: a part of its POM. */
export const lifecyclePlugins = `<build><plugins>${[
  ['install', '3.1.4'],
  ['deploy', '3.1.4'],
]
  .map(
    ([phase, version]) =>
      `<plugin><artifactId>maven-${phase}-plugin</artifactId><version>${version}</version></plugin>`,
  )
  .join('')}</plugins></build>`;

/** The lines of `settings.xml` that docs/clients/maven.md shows. */
export const settings = ({ url, token }: Registry): string => `<settings>
  <servers>
    <server><id>stockroom</id><username>token</username><password>${token}</password></server>
  </servers>
  <mirrors>
    <mirror><id>stockroom</id><mirrorOf>*</mirrorOf><url>${url}</url></mirror>
  </mirrors>
  <pluginGroups><pluginGroup>org.acme</pluginGroup></pluginGroups>
</settings>`;

const groupId = 'org.acme';
const idsOf = (name: string): string => name.split(':').at(-1) ?? name;

const dependent = (artifactId: string, version: string): string => `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>${groupId}</groupId>
  <artifactId>dependent</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version><type>txt</type>
    </dependency>
  </dependencies>
</project>`;

/** One version of Maven. Each run has a home of its own, with the plugins that the driver needs and nothing else. */
class MavenInstallation {
  readonly label: string;
  private readonly version: string | undefined;
  private command = 'mvn';

  /** Without a version, it is the Maven of this machine. */
  constructor(label: string, version?: string) {
    this.label = label;
    this.version = version;
  }

  /** The local repository with the plugins. It has no notes about where they come from, so no repository is asked for them. */
  private get plugins(): string {
    return join(cache, `${this.label}-plugins-2`);
  }

  /** The path of a library of this Maven. */
  async library(name: string): Promise<string> {
    const { stdout } = await run(this.command, ['--version']);
    const folder = join(/Maven home: (.+)/.exec(stdout)?.[1]?.trim() ?? '', 'lib');
    const file = readdirSync(folder).find((each) => each.startsWith(`${name}-`) && each.endsWith('.jar'));
    if (file === undefined) throw new Error(`There is no library ${name} in ${folder}.`);
    return join(folder, file);
  }

  async prepare(): Promise<string> {
    if (this.version !== undefined) this.command = await this.installed(this.version);
    if (!existsSync(this.plugins)) await this.fetchPlugins();
    try {
      const { stdout } = await run(this.command, ['--version']);
      return /Apache Maven (\S+)/.exec(stdout)?.[1]?.replaceAll('\u001b[m', '') ?? stdout;
    } catch (error) {
      throw new Error(
        `There is no mvn on the PATH: install Maven and Java, or leave it out with WITHOUT=${this.label}.`,
        {
          cause: error,
        },
      );
    }
  }

  /** Fetches a distribution from Maven Central, if it is not there, and returns its command. */
  private async installed(version: string): Promise<string> {
    const command = join(cache, `apache-maven-${version}`, 'bin', 'mvn');
    if (existsSync(command)) return command;
    const url = `${central}org/apache/maven/apache-maven/${version}/apache-maven-${version}-bin.tar.gz`;
    const answers = await Promise.all([fetch(url), fetch(`${url}.sha512`)]).catch((error: unknown) => {
      throw new Error(
        `Maven ${version} cannot be fetched from Maven Central: leave it out with WITHOUT=${this.label}.`,
        {
          cause: error,
        },
      );
    });
    const [archive, published] = [Buffer.from(await answers[0].arrayBuffer()), await answers[1].text()];
    if (createHash('sha512').update(archive).digest('hex') !== published.trim().split(/\s/)[0])
      throw new Error(`Maven ${version} did not arrive whole: try again.`);
    mkdirSync(cache, { recursive: true });
    const file = join(cache, `${this.label}.tar.gz`);
    writeFileSync(file, archive);
    await run('tar', ['-xzf', file, '-C', cache]);
    rmSync(file);
    return command;
  }

  /** Runs the goals once against a folder, so that the local repository has all plugins that they need. */
  private async fetchPlugins(): Promise<void> {
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(tmpdir(), 'stockroom-plugins-'));
    const sandbox = new Sandbox();
    try {
      const target = `file://${join(folder, 'target')}`;
      const local = `-Dmaven.repo.local=${join(folder, 'local')}`;
      const at = { cwd: sandbox.project };
      sandbox.write({ 'project/content.txt': 'content', 'home/empty.xml': '<settings/>' });
      const flags = ['-B', '-q', '-s', join(sandbox.home, 'empty.xml'), local];
      const options = [
        '-Dfile=content.txt',
        `-DgroupId=${groupId}`,
        '-DartifactId=seed',
        '-Dversion=1',
        '-Dpackaging=txt',
      ];
      await run(this.command, [...flags, deployFile, `-Durl=${target}`, '-DrepositoryId=seed', ...options], at);
      const repository = `<repositories><repository><id>seed</id><url>${target}</url></repository></repositories>`;
      sandbox.write({ 'project/pom.xml': dependent('seed', '[0,)').replace('</project>', `${repository}</project>`) });
      await run(this.command, [...flags, copyDependencies], at);
      const management = `<distributionManagement><repository><id>seed</id><url>${target}</url></repository></distributionManagement>`;
      sandbox.write({
        'project/pom.xml': dependent('seed', '1').replace(
          /<dependencies>.*<\/dependencies>/s,
          lifecyclePlugins + management,
        ),
      });
      await run(this.command, [...flags, 'deploy'], at);
      for (const file of readdirSync(join(folder, 'local'), { recursive: true, encoding: 'utf8' }))
        if (file.endsWith('_remote.repositories')) rmSync(join(folder, 'local', file));
      rmSync(join(folder, 'local', 'org', 'acme'), { recursive: true });
      cpSync(join(folder, 'local'), `${this.plugins}.new`, { recursive: true });
      renameSync(`${this.plugins}.new`, this.plugins);
    } finally {
      sandbox.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Runs a goal in the project of a sandbox. */
  run(sandbox: Sandbox, registry: Registry, ...parameters: string[]): Promise<Ran> {
    const local = join(sandbox.home, 'repository');
    if (!existsSync(local)) cpSync(this.plugins, local, { recursive: true });
    sandbox.write({ 'home/settings.xml': settings(registry) });
    const flags = ['-B', '-s', join(sandbox.home, 'settings.xml'), `-Dmaven.repo.local=${local}`];
    return sandbox.run(this.command, [...flags, ...parameters], { MAVEN_OPTS: mavenOpts });
  }
}

const driverOf = (maven: MavenInstallation): Driver => ({
  name: maven.label,
  packageType: 'maven',
  sendsWhenAsked: true,
  prepare: () => maven.prepare(),
  nameOf: (word) => `${groupId}:${word}`,
  publish: (sandbox, registry, { name, version: published, content }) => {
    sandbox.write({ 'project/content.txt': content });
    const ids = [`-DgroupId=${groupId}`, `-DartifactId=${idsOf(name)}`, `-Dversion=${published}`];
    const file = ['-Dfile=content.txt', '-Dpackaging=txt'];
    return maven.run(
      sandbox,
      registry,
      deployFile,
      `-Durl=${registry.url}`,
      '-DrepositoryId=stockroom',
      ...ids,
      ...file,
    );
  },
  install: (sandbox, registry, { name, version: wanted = '[0,)' }) => {
    sandbox.write({ 'project/pom.xml': dependent(idsOf(name), wanted) });
    rmSync(join(sandbox.project, 'lib'), { recursive: true, force: true });
    return maven.run(sandbox, registry, copyDependencies, '-DoutputDirectory=lib', '-Dmdep.stripVersion=true', '-U');
  },
  contentOf: (sandbox, name) => sandbox.read(`lib/${idsOf(name)}.txt`),
  prints: {
    republished: /409|already exists, and what was published never changes/,
    levelTooLow: /403|Only users with canDeploy/,
    // Maven 4 prints how often it tried.
    wrongCredential: /401|too many authentication attempts/,
  },
});

/** The Maven of this machine. */
export const theMaven = new MavenInstallation('maven');

/** The Maven of this machine, and two exact versions from Maven Central. */
export const mavenDrivers: readonly Driver[] = [
  theMaven,
  new MavenInstallation('maven-3.9', '3.9.16'),
  new MavenInstallation('maven-4', '4.0.0-rc-4'),
].map(driverOf);
