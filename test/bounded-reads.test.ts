import { getNpmDocument } from '../functions/npm/contracts.ts';
import { projectNames } from '../functions/pypi/root-page.ts';
import { Table } from '../shared/table/client.ts';
import { packageEntryKey } from '../shared/table/package-keys.ts';
import { contentIdOf } from '../shared/table/repositories.ts';
import { fileOf, MavenWorkspace, newArtifact, textsOf } from './functions/maven/repository.ts';
import { useNpmRepository } from './harness/npm-repository.ts';
import { publishVersions, storedRepository } from './harness/package-store.ts';
import { createRemote, createVirtual } from './harness/repositories.ts';
import { useService } from './harness/service.ts';
import { storedObjects } from './harness/stored-objects.ts';
import { useUpstream } from './harness/upstream.ts';
import { type Named, uniqueName } from './harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const npm = useNpmRepository(service);
const upstream = useUpstream();

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
    const before = await storedObjects(service, 'staging/');
    const added = async () => [...(await storedObjects(service, 'staging/'))].filter((key) => !before.has(key)).length;
    const texts = [await get(), await get(), await get()];
    expect([new Set(texts).size, await added()]).toEqual([1, 1]);
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
  /** Lists artifacts of a group, as publications would. */
  const list = async (repository: Named, group: string, count: number, workspace: Named): Promise<void> => {
    const contentId = contentIdOf(await storedRepository(workspace.id, repository.id));
    for (let from = 0; from < count; from += 50)
      await new Table().writeUnrecorded(
        Array.from({ length: Math.min(50, count - from) }, (_, at) => {
          const name = `${group}:a${from + at}`;
          return { put: { ...packageEntryKey({ contentId, name }), displayName: name } };
        }),
      );
  };

  it('is not searched for plugins, which the refusal says, and shows none that an upstream has under its names', async () => {
    const maven = await MavenWorkspace.create(service);
    const repository = await maven.local();
    const folder = newArtifact();
    const group = folder.replaceAll('/', '.');
    await list(repository, group, 5_001, maven.workspace);
    const { status, code, problem } = await maven.get(repository, `${folder}/maven-metadata.xml`);
    expect([status, code]).toEqual([400, 'LIST_TOO_LONG']);
    expect(problem?.detail).toMatch(/^The group org\.acme\.app.* has more than 5000 artifacts .* groupId:artifactId/);
    const plugin = `<plugin><name>x</name><prefix>x</prefix><artifactId>a7</artifactId></plugin>`;
    const metadata = `<metadata><versioning><versions><version>2.0</version></versions></versioning><plugins>${plugin}</plugins></metadata>`;
    upstream.answer = (_, response) => void response.end(metadata);
    const remote = await createRemote(service, maven.workspace, {
      packageType: 'maven',
      remoteRepositoryUrl: upstream.url,
    });
    const both = await createVirtual(service, maven.workspace, [repository, remote], { packageType: 'maven' });
    const shown = async (from: Named) => {
      const { text } = await maven.get(from, `${folder}/maven-metadata.xml`);
      return [textsOf(text, 'version'), textsOf(text, 'prefix')];
    };
    expect(await shown(remote)).toEqual([['2.0'], ['x']]);
    expect(await shown(both)).toEqual([['2.0'], []]);
    await maven.publish(repository, { [fileOf(folder, '1.0')]: 'the jar' });
    expect(await shown(both)).toEqual([['1.0'], []]);
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
