import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { getPackage, getPackageVersion, listPackageVersions } from '../../functions/packages/contracts.ts';
import { updateRepository } from '../../functions/repositories/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { updateVerdict } from '../../functions/verdicts/contracts.ts';
import { askIn, newName } from '../gates/gated-type.ts';
import { goGate } from '../gates/go.ts';
import { nugetGate } from '../gates/nupkgs.ts';
import { advisory, storeAdvisories } from '../gates/stored-advisories.ts';
import { abbreviatedType, packumentOf, upstreamTarballOf, useNpmRepository } from '../harness/npm.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const npm = useNpmRepository(service);

const gates = [null, { minimumAgeHours: 72 }] as const;
const old = '2025-11-01T00:00:00.000Z';

/** A package of last year, each form of whose packument and whose tarball are kept. */
const kept = async (
  releaseGate: (typeof gates)[number],
): Promise<{ readonly repository: Named; readonly name: string }> => {
  const name = uniqueName('package');
  upstream.answer = ({ url = '', headers }, response) => {
    const isFull = !headers.accept?.includes(abbreviatedType);
    const packument = { ...packumentOf(upstream.url, name, { '1.0.0': {} }, isFull), modified: old };
    response.end(url.endsWith('.tgz') ? upstreamTarballOf(name, '1.0.0') : JSON.stringify(packument));
  };
  const repository = await createRemote(service, npm.setting.workspace, {
    remoteRepositoryUrl: upstream.url,
    releaseGate,
  });
  for (const { path, headers } of questions(name)) await npm.send(getNpmDocument, path, { repository, headers });
  return { repository, name };
};

const short = { Accept: abbreviatedType };

const questions = (
  name: string,
): readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[] => [
  { path: name, headers: {} },
  { path: name, headers: short },
  { path: `${name}/-/${name}-1.0.0.tgz`, headers: {} },
];

/** The calls of the table for each of these questions; for whom it answers 304, if it knows the answer. */
const callsFor = async (releaseGate: (typeof gates)[number], knows: boolean): Promise<readonly number[]> => {
  const { repository, name } = await kept(releaseGate);
  const counts: number[] = [];
  for (const { path, headers } of questions(name)) {
    const { etag } = (await npm.send(getNpmDocument, path, { repository, headers })).headers;
    service.proxy.forget();
    const answer = await npm.send(getNpmDocument, path, {
      repository,
      headers: knows ? { ...headers, 'If-None-Match': String(etag) } : headers,
    });
    expect([path, answer.status]).toEqual([path, knows ? 304 : 200]);
    counts.push(service.proxy.callsOf().length);
  }
  return counts;
};

describe('A release gate', () => {
  it('costs a packument no call, and a tarball one, if all versions are old', async () => {
    expect(await callsFor(null, false)).toEqual([1, 1, 1]);
    expect(await callsFor({ minimumAgeHours: 72 }, false)).toEqual([1, 1, 2]);
  });

  it('leaves a 304 one call', async () => {
    expect((await callsFor({ minimumAgeHours: 72 }, true)).slice(0, 2)).toEqual([1, 1]);
  });
});

/** The calls of the table for the record of a package, its versions and one of them, all of them kept. */
const callsAbout = async (releaseGate: (typeof gates)[number]): Promise<readonly number[]> => {
  const { repository, name } = await kept(releaseGate);
  const params = { workspace: npm.setting.workspace.id, repository: repository.id, package: name };
  const as = npm.setting.admin.bearer;
  const ask = [
    async () => service.client.succeed(getPackage, { params, as }),
    async () => service.client.succeed(listPackageVersions, { params, as }),
    async () => service.client.succeed(getPackageVersion, { params: { ...params, version: '1.0.0' }, as }),
  ];
  const counts: number[] = [];
  for (const each of ask) {
    await each();
    service.proxy.forget();
    await each();
    counts.push(service.proxy.callsOf().length);
  }
  return counts;
};

describe('What a gate decides about kept versions', () => {
  it('costs each record two calls, and none without a gate', async () => {
    const [open, gated] = [await callsAbout(null), await callsAbout({ minimumAgeHours: 72 })];
    expect(open).toEqual([2, 3, 4]);
    // The advisories on the package, and what is kept of the upstream.
    expect(gated).toEqual(open.map((calls) => calls + 2));
  });

  it('is read at once of all versions whose times are in documents of their own', async () => {
    const { setting } = npm;
    const go = goGate({ upstream, ask: askIn(service, setting) });
    const name = go.newName?.() ?? '';
    const ages = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`1.${at}.0`, 50] as const));
    upstream.answer = go.answer(name, ages);
    const repository = await createRemote(service, setting.workspace, {
      packageType: 'go',
      remoteRepositoryUrl: upstream.url,
      releaseGate: { minimumAgeHours: 24 },
    });
    await go.documents(repository, name);
    for (const version of Object.keys(ages))
      for (const path of go.files(name, version)) await askIn(service, setting)(go.file, 'go', repository, path);
    const params = { workspace: setting.workspace.id, repository: repository.id, package: name };
    const list = async () => service.client.succeed(listPackageVersions, { params, as: setting.admin.bearer });
    await list();
    service.proxy.forget();
    expect((await list()).map(({ gate }) => gate?.state)).toEqual(Array.from({ length: 9 }, () => 'passes'));
    // The advisories, the list of versions, the infos of the five highest, and those of the others.
    expect(service.proxy.callsOf()).toHaveLength(3 + 4);
  });
});

const onName = (name: string, packageType = 'npm') => ({
  params: { workspace: npm.setting.workspace.id, packageType, package: name },
  as: npm.setting.admin.bearer,
});

const block = async (name: string, versions: string[]): Promise<void> => {
  const body = { verdict: 'block' as const, versions, reason: 'Hijacked' };
  await service.client.succeed(updateVerdict, { ...onName(name), body });
};

describe('The record of a package of which no index is kept', () => {
  it('costs one call more where a verdict concerns the package, however many versions of it are kept', async () => {
    const name = uniqueName('package');
    upstream.answer = (_request, response) => response.end('content');
    const { setting } = npm;
    const repository = await createRemote(service, setting.workspace, {
      packageType: 'universal',
      remoteRepositoryUrl: `${upstream.url}/{package-name}/{version}/{file}`,
    });
    for (const version of ['1', '2', '3'])
      await askIn(service, setting)(getUniversalFile, 'universal', repository, `${name}/${version}/file`);
    const params = { workspace: setting.workspace.id, repository: repository.id, package: name };
    const record = async () => service.client.succeed(getPackage, { params, as: setting.admin.bearer });
    const found: (readonly [held: number, calls: number])[] = [];
    for (const [entry, versions] of [
      [`${name}-other`, ['*']],
      [name, ['2', '4']],
      [name, ['*']],
    ] as const) {
      const body = { verdict: 'block' as const, versions: [...versions], reason: 'Hijacked' };
      await service.client.succeed(updateVerdict, { ...onName(entry, 'universal'), body });
      await record();
      service.proxy.forget();
      found.push([(await record()).heldVersions.length, service.proxy.callsOf().length]);
    }
    expect(found).toEqual([
      [0, 2],
      [2, 3],
      [3, 3],
    ]);
  });

  it('costs no such call where a gate alone decides', async () => {
    const { setting } = npm;
    const ask = askIn(service, setting);
    const nuget = nugetGate({ upstream, ask });
    const name = newName();
    upstream.answer = nuget.answer(name, { '1.0.0': 1 });
    const repository = await createRemote(service, setting.workspace, {
      packageType: 'nuget',
      remoteRepositoryUrl: `${upstream.url}${nuget.urlPath}`,
    });
    for (const path of nuget.files(name, '1.0.0')) await ask(nuget.file, 'nuget', repository, path);
    const params = { workspace: setting.workspace.id, repository: repository.id };
    const as = setting.admin.bearer;
    await service.client.succeed(updateRepository, { params, body: { releaseGate: { minimumAgeHours: 72 } }, as });
    const record = async () => service.client.succeed(getPackage, { params: { ...params, package: name }, as });
    await record();
    service.proxy.forget();
    expect((await record()).heldVersions).toEqual([]);
    // The advisories, where the upstream has its registrations, and that of the package, which is not kept.
    expect(service.proxy.callsOf()).toHaveLength(2 + 3);
  });
});

/** The calls of the table for a packument that the client has in the current form, and the units that they read. */
const costOfUnchanged = async (repository: Named, name: string): Promise<readonly [calls: number, units: number]> => {
  const ask = async (headers: Readonly<Record<string, string>>) =>
    npm.send(getNpmDocument, name, { repository, headers: { ...short, ...headers } });
  const { etag } = (await ask({})).headers;
  service.proxy.forget();
  service.proxy.countsUnits = true;
  expect((await ask({ 'If-None-Match': String(etag) })).status).toBe(304);
  return [service.proxy.callsOf().length, service.proxy.consumed(false)];
};

describe('Verdicts', () => {
  it('are one key more in the only read, and leave a 304 one call', async () => {
    const { repository, name } = await kept(null);
    const [calls, units] = await costOfUnchanged(repository, name);
    expect(calls).toBe(1);
    await block(uniqueName('other'), ['*']);
    expect(await costOfUnchanged(repository, name)).toEqual([1, units]);
    await block(name, ['2.0.0']);
    expect(await costOfUnchanged(repository, name)).toEqual([1, units]);
    await block(name, ['1.0.0']);
    expect(await costOfUnchanged(repository, name)).toEqual([1, units]);
  });

  it('cost a local repository nothing', async () => {
    const name = await npm.publish();
    const { repository } = npm.setting;
    await costOfUnchanged(repository, name);
    const keys = service.proxy.callsOf().flatMap((call) => call.keys);
    expect([keys.length > 0, keys.filter((key) => key.includes('VERDICTS#'))]).toEqual([true, []]);
  });
});

describe('Advisories', () => {
  const advisoryKeys = (): readonly string[] =>
    service.proxy
      .callsOf()
      .flatMap((call) => call.keys)
      .filter((key) => key.includes('ADVISORIES#'));

  it('are one key more in the only read of a repository with a gate, and leave a 304 one call', async () => {
    const { repository, name } = await kept({ minimumAgeHours: 72 });
    const [calls, units] = await costOfUnchanged(repository, name);
    expect([calls, advisoryKeys().length]).toEqual([1, 1]);
    await storeAdvisories('npm', name, [advisory({ versions: ['2.0.0'] })]);
    expect(await costOfUnchanged(repository, name)).toEqual([1, units]);
    await storeAdvisories('npm', name, [advisory({ versions: ['1.0.0'] })]);
    expect(await costOfUnchanged(repository, name)).toEqual([1, units]);
  });

  it('cost a repository without a gate nothing', async () => {
    const { repository, name } = await kept(null);
    await costOfUnchanged(repository, name);
    expect(advisoryKeys()).toEqual([]);
  });

  it('on many versions cost the pages that the gate asks for', async () => {
    const { repository, name } = await kept({ minimumAgeHours: 72 });
    const [, units] = await costOfUnchanged(repository, name);
    const versions = Array.from({ length: 90 }, (_, at) => `9.${at}.0`.padEnd(200, '0'));
    const many = Array.from({ length: 10 }, (_, at) =>
      advisory({ id: `GHSA-${at}`, kind: 'vulnerability', severity: 'low', versions }),
    );
    await storeAdvisories('npm', name, [...many, advisory({ versions: ['2.0.0'] })]);
    const [calls, more] = await costOfUnchanged(repository, name);
    expect([calls, advisoryKeys().length]).toEqual([1, 1]);
    expect(more - units).toBeLessThanOrEqual(6);
  });
});
