import { createHash } from 'node:crypto';
import { checkVersion } from '../../../functions/packages/contracts.ts';
import { getPypiDocument } from '../../../functions/pypi/contracts.ts';
import { updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { askIn, json, newName, sent } from '../../gates/gated-type.ts';
import { advisory, storeAdvisories } from '../../gates/stored-advisories.ts';
import { jsonPage } from '../../harness/pypi.ts';
import { useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import type { Named } from '../../harness/world.ts';

const { service, upstream, setting } = useRemotes();

const ask = askIn(service, setting);

/** Names of files of 1.1.0 that say no version in the way of a wheel, an egg or a source distribution. */
const unreadable = [
  '-1.1.0.linux-x86_64.tar.gz',
  '-1.1.0.macosx-10.9-x86_64.tar.gz',
  '-1.1.0.win32.exe',
  '-1.1.0.win-amd64-py3.8.exe',
  '-1.1.0.amd64.msi',
  '-1.1.0-1.noarch.rpm',
  '-1.1.0.deb',
  '-1.1.0-src.zip',
  '-1_1_0.tar.gz',
  '_1.1.0.tar.gz',
];

const readable = '-1.0.0.tar.gz';

const bytes = Buffer.from('bytes');

/** An upstream with files of a new project. */
const published = () => {
  const name = newName();
  const names = [readable, ...unreadable].map((end) => name + end);
  const files = names.map((filename) => ({
    filename,
    url: `${upstream.url}/files/${filename}`,
    hashes: { sha256: createHash('sha256').update(bytes).digest('hex') },
    'upload-time': '2020-01-01T00:00:00Z',
  }));
  upstream.answer = sent({
    [`/simple/${name}/`]: JSON.stringify({ meta: { 'api-version': '1.1' }, name, files }),
    ...Object.fromEntries(names.map((file) => [`/files/${file}`, bytes])),
  });
  return { name, all: names.toSorted(), known: [`${name}${readable}`] };
};

const remoteOf = async (releaseGate: { minimumAgeHours: number } | null): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: 'pypi',
    remoteRepositoryUrl: upstream.url,
    releaseGate,
  });

const decide = async (entry: string, verdict: 'allow' | 'block', versions: string[]): Promise<void> => {
  await service.client.succeed(updateVerdict, {
    params: { workspace: setting.workspace.id, packageType: 'pypi', package: entry },
    body: { verdict, versions, reason: 'We looked' },
    as: setting.admin.bearer,
  });
};

const listed = async (repository: Named, name: string): Promise<readonly string[]> => {
  const page = json(await ask(getPypiDocument, 'pypi', repository, `simple/${name}/`, { Accept: jsonPage }));
  return (page as { files: { filename: string }[] }).files.map(({ filename }) => filename).toSorted();
};

/** The files that a repository serves. */
const served = async (repository: Named, { name, all }: ReturnType<typeof published>): Promise<readonly string[]> => {
  const found = [];
  for (const file of all) {
    const path = `files/${name}/${file.endsWith(readable) ? '1.0.0' : 'unknown'}/${file}`;
    const statuses = new Set<number>();
    for (const method of ['GET', 'HEAD'] as const)
      statuses.add((await ask(getPypiDocument, 'pypi', repository, path, {}, method)).status);
    if (statuses.has(200)) found.push(file);
    expect([file, [...statuses]]).toEqual([file, [statuses.has(200) ? 200 : 403]]);
  }
  return found;
};

describe('A file whose name says no version', () => {
  const expectThat = async (repository: Named, project: ReturnType<typeof published>, files: readonly string[]) => {
    expect(await listed(repository, project.name)).toEqual(files);
    expect(await served(repository, project)).toEqual(files);
  };

  it('is blocked by a verdict that blocks a version of its project, also once it is kept', async () => {
    const project = published();
    const remote = await remoteOf(null);
    const virtual = await createVirtual(service, setting.workspace, [remote], { packageType: 'pypi' });
    await expectThat(remote, project, project.all);
    await decide(project.name, 'block', ['1.1.0']);
    for (const repository of [remote, virtual]) await expectThat(repository, project, project.known);
    const { repositories } = await service.client.succeed(checkVersion, {
      params: { workspace: setting.workspace.id, repository: remote.id },
      body: { packageName: project.name, version: 'unknown' },
      as: setting.admin.bearer,
    });
    expect(repositories).toMatchObject([{ decision: 'blocked', rule: 'verdict' }]);
  });

  it('is blocked by an advisory that blocks a version, unless a verdict allows what says no version', async () => {
    const project = published();
    await storeAdvisories('pypi', project.name, [advisory({ versions: ['1.1.0'] })]);
    const remote = await remoteOf({ minimumAgeHours: 0 });
    await expectThat(remote, project, project.known);
    await decide(project.name, 'allow', ['1.1.0']);
    await expectThat(remote, project, project.known);
    await decide(project.name, 'allow', ['unknown']);
    await expectThat(remote, project, project.all);
  });

  it('is not let through by a verdict that allows a version where another one blocks all', async () => {
    const project = published();
    const remote = await remoteOf(null);
    await decide(`${project.name.slice(0, -1)}*`, 'block', ['*']);
    await decide(project.name, 'allow', ['1.0.0']);
    await expectThat(remote, project, project.known);
  });

  it('passes where verdicts and advisories block no version', async () => {
    const project = published();
    await storeAdvisories('pypi', project.name, [advisory({ kind: 'vulnerability', versions: ['1.1.0'] })]);
    await decide(project.name, 'allow', ['1.0.0']);
    await expectThat(await remoteOf({ minimumAgeHours: 0 }), project, project.all);
  });
});
