import { checkVersion, listDownloads } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { updateVerdict } from '../../../functions/verdicts/contracts.ts';
import type { PackageType } from '../../../shared/package-types.ts';
import { gatedTypes } from '../../gates/all.ts';
import { statusesOf } from '../../gates/blocked-versions.ts';
import { askIn, type GatedType, newName } from '../../gates/gated-type.ts';
import { helmGate } from '../../gates/helm.ts';
import { mavenGate } from '../../gates/maven.ts';
import { npmGate } from '../../gates/npm.ts';
import { useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote } from '../../harness/repositories.ts';
import type { Named } from '../../harness/world.ts';

const { service, upstream, setting } = useRemotes();

const ask = askIn(service, setting);

/** Spellings of 1.1.0 that people write, and what can be no version. */
const spellings: Partial<Record<PackageType, { readonly of: readonly string[]; readonly none?: string }>> = {
  npm: { of: ['v1.1.0', '1.1.0+build'], none: '^1.1.0' },
  pypi: { of: ['1.1', 'v1.1.0', '1.1.0.0'], none: '1.1.x' },
  cargo: { of: ['1.1.0+sys'], none: '1.1' },
  composer: { of: ['v1.1', '1.1.0.0', '1.1.0-stable'], none: '^1.1' },
  gems: { of: ['1.1', '1.1.0.0'], none: '>= 1.1' },
  nuget: { of: ['1.1', '1.1.0.0', '01.1.0'], none: '1.1.x' },
  chocolatey: { of: ['1.1', '1.1.0+build'], none: '[1.1.0]' },
  go: { of: ['1.1.0', 'v1.1.0'], none: 'v1.1' },
};

const gates = gatedTypes({ upstream, ask }).flatMap((each) => {
  const spelled = spellings[each.type];
  return spelled ? [{ ...each, spelled }] : [];
});

const remoteOf = async (
  { type, urlPath = '' }: Pick<GatedType, 'type' | 'urlPath'>,
  releaseGate: { minimumAgeHours: number; exempt: string[] } | null = null,
): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: type,
    remoteRepositoryUrl: upstream.url + urlPath,
    releaseGate,
  });

const decide = async (packageType: string, name: string, versions: readonly string[]) =>
  service.client.attempt(updateVerdict, {
    params: { workspace: setting.workspace.id, packageType, package: name },
    body: { verdict: 'block' as const, versions: [...versions], reason: 'Hijacked' },
    as: setting.admin.bearer,
  });

const check = async (repository: Named, packageName: string, version: string) =>
  service.client.attempt(checkVersion, {
    params: { workspace: setting.workspace.id, repository: repository.id },
    body: { packageName, version },
    as: setting.admin.bearer,
  });

const downloads = async (packageType: PackageType, packageName: string, version: string) =>
  service.client.attempt(listDownloads, {
    params: { workspace: setting.workspace.id },
    query: { packageType, packageName, version },
    as: setting.admin.bearer,
  });

const published = (each: GatedType): string => {
  const name = (each.newName ?? newName)();
  upstream.answer = each.answer(name, { '1.0.0': 1, '1.1.0': 1 });
  return name;
};

describe.each(gates)('A version of $type in another spelling', ({ spelled, ...each }) => {
  it.each(spelled.of)('is blocked by a verdict on %s, and its check says so', async (spelling) => {
    const name = published(each);
    const repository = await remoteOf(each);
    const { result } = await decide(each.type, name, [spelling]);
    expect(result?.versions).toEqual([spelling]);
    expect(await statusesOf(ask, each, repository, [name, '1.1.0'])).toEqual([403]);
    expect(await statusesOf(ask, each, repository, [name, '1.0.0'])).toEqual([200]);
    for (const list of await each.listed(repository, name)) expect(list).toEqual(['1.0.0']);
    const checked = await check(repository, name, spelling);
    expect(checked.result?.repositories).toMatchObject([{ decision: 'blocked', rule: 'verdict' }]);
  });

  it.each(spelled.of)('is exempt as %s, and its check says so', async (spelling) => {
    const name = published(each);
    const repository = await remoteOf(each, { minimumAgeHours: 72, exempt: [`${name}@${spelling}`] });
    expect(await statusesOf(ask, each, repository, [name, '1.1.0'])).toEqual([200]);
    expect(await statusesOf(ask, each, repository, [name, '1.0.0'])).toEqual([403]);
    const { result } = await check(repository, name, spelling);
    expect(result).toMatchObject({
      repositories: [{ decision: 'passes', rule: 'exempt' }],
    });
  });

  it('is found among the downloads by each of them', async () => {
    const name = published(each);
    const repository = await remoteOf(each);
    const [path = ''] = each.files(name, '1.1.0');
    expect((await ask(each.file, each.type, repository, path)).status).toBe(200);
    for (const spelling of spelled.of) {
      // Zeros at the end of a version of Python stay: the log has it as the file is called.
      if (each.type === 'pypi' && spelling !== 'v1.1.0') continue;
      const { result } = await downloads(each.type, name, spelling);
      expect(result?.downloads.map((download) => download.path)).toEqual([expect.stringContaining(path)]);
    }
  });
});

const refusals = gates.flatMap(({ spelled: { none }, ...each }) =>
  none === undefined ? [] : [{ type: each.type, none, name: (each.newName ?? newName)() }],
);

describe.each(refusals)('What can be no version of $type: $none', ({ type, none, name }) => {
  const sentence = `is '${none}', and no package of the type ${type} can have such a version: write one as its upstream does.`;
  const refusal = (pointer: string, member: string) => ({
    code: 'REQUEST_INVALID',
    violations: [{ pointer, rule: 'version', message: `${member} ${sentence}` }],
  });

  it('is refused in a verdict', async () => {
    expect((await decide(type, name, ['1.0.0', none])).problem).toMatchObject(refusal('/versions/1', 'versions[1]'));
  });

  it('is refused in a check, and in a question for downloads', async () => {
    const repository = await remoteOf({ type });
    expect((await check(repository, name, none)).problem).toMatchObject(refusal('/version', 'version'));
    expect((await downloads(type, name, none)).problem).toMatchObject(refusal('', 'version'));
  });

  it('is refused as an exemption', async () => {
    const repository = await remoteOf({ type });
    const { problem } = await service.client.attempt(updateRepository, {
      params: { workspace: setting.workspace.id, repository: repository.id },
      body: { releaseGate: { exempt: [`${name}@${none}`] } },
      as: setting.admin.bearer,
    });
    expect(problem).toMatchObject({
      code: 'REQUEST_INVALID',
      violations: [{ pointer: '/releaseGate/exempt/0', rule: 'version' }],
    });
  });
});

describe('An old name with capitals', () => {
  it('is blocked by a verdict on it, and by none on the name in lower case', async () => {
    const npm = npmGate({ upstream, ask });
    const [name, other] = [newName().toUpperCase(), newName().toUpperCase()];
    for (const [each, blocked, status] of [
      [name, name, 403],
      [other, other.toLowerCase(), 200],
    ] as const) {
      upstream.answer = npm.answer(each, { '1.0.0': 1 });
      const repository = await remoteOf(npm);
      expect((await decide('npm', blocked, ['*'])).result).toMatchObject({ package: blocked });
      expect(await statusesOf(ask, npm, repository, [each, '1.0.0'])).toEqual([status]);
      expect((await check(repository, each, '1.0.0')).result).toMatchObject({
        packageName: each,
        repositories: [{ decision: status === 403 ? 'blocked' : 'passes' }],
      });
    }
  });
});

describe('A SNAPSHOT of Maven that a verdict blocks', () => {
  it('has no metadata, and no file', async () => {
    const maven = mavenGate({ upstream, ask });
    const name = `corp:${newName()}`;
    const path = `corp/${name.split(':')[1]}/1.1-SNAPSHOT`;
    const metadata = '<metadata><versioning><snapshot><buildNumber>1</buildNumber></snapshot></versioning></metadata>';
    upstream.answer = (_, response) => response.writeHead(200).end(metadata);
    const repository = await remoteOf(maven);
    const statuses = async () => {
      const found: number[] = [];
      for (const file of ['maven-metadata.xml', 'maven-metadata.xml.sha1', `${name.split(':')[1]}-1.1-SNAPSHOT.pom`])
        found.push((await ask(maven.file, 'maven', repository, `${path}/${file}`)).status);
      return found;
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    await decide('maven', name, ['1.1-SNAPSHOT']);
    expect(await statuses()).toEqual([404, 404, 403]);
  });
});

describe('A chart whose version begins with v', () => {
  it('is found among the downloads by that text', async () => {
    const helm = helmGate({ upstream, ask });
    const name = newName();
    upstream.answer = helm.answer(name, { 'v1.1.0': 1 });
    const repository = await remoteOf(helm);
    const [path = ''] = helm.files(name, 'v1.1.0');
    expect((await ask(helm.file, 'helm', repository, path)).status).toBe(200);
    const { result } = await downloads('helm', name, 'v1.1.0');
    expect(result?.downloads).toHaveLength(1);
  });
});
