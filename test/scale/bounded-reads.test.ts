import { heldArtifacts } from '../../functions/maven/plugins.ts';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { projectNames } from '../../functions/pypi/root-page.ts';
import { Table } from '../../shared/table/client.ts';
import type { Key } from '../../shared/table/keys.ts';
import {
  markedList,
  type PackageRef,
  packageEntryKey,
  packageHeadKey,
} from '../../shared/table/packages/package-keys.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { fileOf, MavenWorkspace, newArtifact, textsOf } from '../functions/maven/repository.ts';
import { useNpmRepository } from '../harness/npm.ts';
import { storedObjects } from '../harness/object-store.ts';
import { publishVersions, storedRepository } from '../harness/packages.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const npm = useNpmRepository(service);
const upstream = useUpstream();

/** The mark of a plugin, as the release before there were named indexes wrote it. */
const markKey = ({ contentId, name }: PackageRef): Key<object> => {
  const { pk, prefix } = markedList(contentId, 'plugin', name);
  return { pk, sk: prefix };
};

const long = (bytes: number): string => 'a'.repeat(bytes);

describe('A document that is too large for an answer', () => {
  const textOf = (name: string, version: string): string =>
    `{"name":"${name}","version":"${version}","description":"${long(900_000)}","dist":{"tarball":"{tarball}"}}`;

  it('is stored once for all who ask for it on one day, until it changes', async () => {
    const { workspace, repository } = npm.setting;
    const name = uniqueName('large');
    const publishOne = async (count: number, from: number) =>
      publishVersions(workspace, repository, name, count, from, (_, version) => [textOf(name, version), '', '']);
    await publishOne(6, 0);
    const get = async (): Promise<string> => {
      const { status, headers } = await npm.send(getNpmDocument, name, { headers: { 'Accept-Encoding': 'identity' } });
      expect(status).toBe(302);
      return (await fetch(String(headers.location))).text();
    };
    const before = await storedObjects(service, 'staging/rendered/');
    const added = async () =>
      [...(await storedObjects(service, 'staging/rendered/'))].filter((key) => !before.has(key)).length;
    const texts = [await get(), await get(), await get()];
    expect([new Set(texts).size, await added()]).toEqual([1, 1]);
    service.store.forget();
    expect(await get()).toBe(texts[0]);
    // Neither is it sent to the store again, nor made of the versions.
    expect(service.store.calls.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
    const versionsIn = (text = '') => Object.keys((JSON.parse(text) as { versions: object }).versions).length;
    expect(versionsIn(texts[0])).toBe(6);
    await publishOne(1, 6);
    expect([versionsIn(await get()), await added()]).toEqual([7, 2]);
    const other = uniqueName('large');
    await publishVersions(workspace, repository, other, 7, 0, (_, version) => [textOf(other, version), '', '']);
    const { headers } = await npm.send(getNpmDocument, other);
    expect(await (await fetch(String(headers.location))).json()).toMatchObject({ name: other });
  });
});

describe('A group of Maven with thousands of artifacts', () => {
  /** Stores an item for each of so many artifacts of a group, as publications would. */
  const list = async (repository: Named, group: string, keyOf: (ref: PackageRef) => Key, count = 5_001) => {
    for (let from = 0; from < count; from += 50)
      await new Table().writeUnrecorded(
        Array.from({ length: Math.min(50, count - from) }, (_, at) => {
          const name = `${group}:a${from + at}`;
          return { put: { ...keyOf({ contentId: repository.id, name }), displayName: name } };
        }),
      );
  };
  /** A plugin as it was stored before its group had an index. */
  const markPlugin = async (repository: Named, name: string, prefix: string): Promise<void> => {
    const ref = { contentId: repository.id, name };
    const head = { displayName: name, revision: 1, versionCount: 1, [`tag:plugin-prefix:${prefix}`]: '1' };
    await new Table().writeUnrecorded([{ put: { ...markKey(ref) } }, { put: { ...packageHeadKey(ref), ...head } }]);
  };
  const pom = (group: string, artifact: string): string =>
    `<project><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>1</version><packaging>maven-plugin</packaging></project>`;

  it('shows the plugins among them, and none that an upstream has under its names', async () => {
    const maven = await MavenWorkspace.create(service);
    const repository = await maven.local();
    const folder = newArtifact();
    const group = folder.replaceAll('/', '.');
    await list(repository, group, packageEntryKey);
    await maven.publish(repository, {
      [fileOf(`${folder}/our-maven-plugin`, '1', '.pom')]: pom(group, 'our-maven-plugin'),
    });
    const plugin = (id: string) =>
      `<plugin><name>x</name><prefix>${id}</prefix><artifactId>${id}</artifactId></plugin>`;
    const metadata = `<metadata><versioning><versions><version>2.0</version></versions></versioning><plugins>${plugin('a7')}${plugin('b7')}</plugins></metadata>`;
    upstream.answer = (_, response) => void response.end(metadata);
    const fields = { packageType: 'maven', remoteRepositoryUrl: upstream.url } as const;
    const remote = await createRemote(service, maven.workspace, fields);
    const both = await createVirtual(service, maven.workspace, [repository, remote], { packageType: 'maven' });
    const shown = async (from: Named) => {
      const { text, headers } = await maven.get(from, `${folder}/maven-metadata.xml`);
      return { prefixes: textsOf(text, 'prefix'), etag: headers.etag };
    };
    expect((await shown(repository)).prefixes).toEqual(['our']);
    expect((await shown(remote)).prefixes).toEqual(['a7', 'b7']);
    const before = await shown(both);
    expect(before.prefixes).toEqual(['our', 'b7']);
    await maven.publish(repository, { [fileOf(`${folder}/b7`, '1')]: 'the jar' });
    const after = await shown(both);
    expect([after.prefixes, after.etag === before.etag]).toEqual([['our'], false]);
  });

  it('reads so many heads of plugins that have no index yet, and hides none of another repository', async () => {
    const maven = await MavenWorkspace.create(service);
    const [large, other] = [await maven.local(), await maven.local()];
    const folder = newArtifact();
    const group = folder.replaceAll('/', '.');
    await list(large, group, markKey);
    for (const repository of [large, other]) await markPlugin(repository, `${group}:b-maven-plugin`, 'b');
    const virtual = await createVirtual(service, maven.workspace, [large, other], { packageType: 'maven' });
    const { status, text } = await maven.get(virtual, `${folder}/maven-metadata.xml`);
    expect([status, textsOf(text, 'prefix')]).toEqual([200, ['b']]);
    expect((await maven.get(large, `${folder}/maven-metadata.xml`)).status).toBe(404);
    await maven.publish(large, { [fileOf(`${folder}/c-maven-plugin`, '1', '.pom')]: pom(group, 'c-maven-plugin') });
    expect(textsOf((await maven.get(virtual, `${folder}/maven-metadata.xml`)).text, 'prefix')).toEqual(['c', 'b']);
    const local = await storedRepository(maven.workspace.id, other.id);
    const sources = { all: [local], upstreamNames: { allow: [], block: [] } };
    const ids = Array.from({ length: 5_001 }, (_, at) => `c${at}`);
    expect(await heldArtifacts(new Table(), sources, group, ids)).toEqual(new Set(['c5000']));
  });
});

describe('The page of all Python projects', () => {
  it('has one maximum for all repositories that a virtual one combines, and names that were deleted count', async () => {
    const workspace = await service.world.workspace();
    const repositories = await Promise.all(
      ['one', 'two'].map(async () => {
        const { id } = await service.world.repository(workspace, undefined, 'pypi');
        return storedRepository(workspace.id, id);
      }),
    );
    for (const [at, repository] of repositories.entries())
      for (const name of [`project-${at}`, `other-${at}`]) {
        const entry = { displayName: name, ...(name.startsWith('other') && { isEmpty: true as const }) };
        const key = packageEntryKey({ contentId: contentIdOf(repository), name });
        await new Table().writeUnrecorded([{ put: { ...key, ...entry } }]);
      }
    const sources = { all: repositories, upstreamNames: { allow: [], block: [] } };
    expect(await projectNames(new Table(), sources, 4)).toEqual(['project-0', 'project-1']);
    await expect(projectNames(new Table(), sources, 3)).rejects.toThrow(/too many projects for one page/);
  });
});
