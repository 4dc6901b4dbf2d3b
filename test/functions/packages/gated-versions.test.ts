import {
  checkVersion,
  deletePackageVersion,
  getPackage,
  getPackageVersion,
  listPackageVersions,
} from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { getUniversalFile } from '../../../functions/universal/contracts.ts';
import { updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { fileKey, versionKey } from '../../../shared/table/packages/package-keys.ts';
import { sampledGates } from '../../gates/all.ts';
import { askIn, type GatedType, newName, sent } from '../../gates/gated-type.ts';
import { npmGate } from '../../gates/npm.ts';
import { nugetGate } from '../../gates/nupkgs.ts';
import { advisory, storeAdvisories } from '../../gates/stored-advisories.ts';
import { useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import type { Named } from '../../harness/world.ts';

const { service, upstream, setting } = useRemotes();

const ask = askIn(service, setting);
const npm = npmGate({ upstream, ask });

type Gate = NonNullable<Parameters<typeof createRemote>[2]>['releaseGate'];

const remote = async (
  { type, urlPath = '' }: Pick<GatedType, 'type' | 'urlPath'>,
  fields: object = {},
): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: type,
    remoteRepositoryUrl: upstream.url + urlPath,
    ...fields,
  });

const setGate = async ({ id }: Named, releaseGate: Gate): Promise<void> => {
  await service.client.succeed(updateRepository, {
    params: { workspace: setting.workspace.id, repository: id },
    body: { releaseGate },
    as: setting.admin.bearer,
  });
};

const rule = async (
  name: string,
  verdict: 'block' | 'allow',
  versions: string[],
  packageType = 'npm',
): Promise<void> => {
  await service.client.succeed(updateVerdict, {
    params: { workspace: setting.workspace.id, packageType, package: name },
    body: { verdict, versions, reason: 'Hijacked' },
    as: setting.admin.bearer,
  });
};

const asked = ({ id: repository }: Named, name: string) => ({
  params: { workspace: setting.workspace.id, repository, package: name },
  as: setting.admin.bearer,
});

const versionsIn = async (repository: Named, name: string) =>
  service.client.succeed(listPackageVersions, asked(repository, name));

/** What is said of each kept version, by its spelling here. */
const gatesIn = async (repository: Named, name: string) =>
  Object.fromEntries((await versionsIn(repository, name)).map(({ version, gate }) => [version, gate]));

const heldIn = async (repository: Named, name: string) =>
  (await service.client.succeed(getPackage, asked(repository, name))).heldVersions;

/** Keeps a file of versions of a package: one of long ago, and one of this hour. */
const keep = async (each: GatedType, repository: Named, name: string): Promise<void> => {
  for (const version of ['1.0.0', '1.1.0'])
    for (const path of each.files(name, version)) await ask(each.file, each.type, repository, path);
};

const published = (each: GatedType): string => {
  const name = (each.newName ?? newName)();
  upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
  return name;
};

const held = { state: 'held', rule: 'minimumAgeHours', isEnforced: true };
const passes = { state: 'passes', rule: null, why: null, until: null, isEnforced: false };

describe.each(sampledGates({ upstream, ask }))('The versions of a package of $type', (each) => {
  it('say what its gate decides, also through a virtual repository, and ask no upstream', async () => {
    const name = published(each);
    const repository = await remote(each);
    await keep(each, repository, name);
    for (const gate of Object.values(await gatesIn(repository, name))) expect(gate).toBeNull();
    expect(await heldIn(repository, name)).toEqual([]);
    await setGate(repository, { minimumAgeHours: 72, untimed: 'hold' });
    await each.documents(repository, name);
    await keep(each, repository, name);
    upstream.reset();
    const virtual = await createVirtual(service, setting.workspace, [repository], { packageType: each.type });
    for (const from of [repository, virtual]) {
      const all = Object.entries(await gatesIn(from, name));
      const [old, young] = ['1.0.0', '1.1.0'].map((version) => all.filter(([kept]) => kept.includes(version)));
      expect([old?.length, young?.length]).toEqual([all.length / 2, all.length / 2]);
      for (const [, gate] of old ?? []) expect(gate).toEqual(passes);
      for (const [version, gate] of young ?? []) {
        expect(gate).toMatchObject(held);
        expect(Math.abs(Date.parse(gate?.until ?? '') - Date.now() - 71 * 3_600_000)).toBeLessThan(120_000);
        const { params, as } = asked(from, name);
        const one = await service.client.succeed(getPackageVersion, { params: { ...params, version }, as });
        expect(one.gate).toEqual(gate);
      }
      expect(await heldIn(from, name)).toMatchObject([
        { version: expect.stringContaining('1.1.0'), repositoryName: repository.name, ...held },
      ]);
    }
    expect(upstream.requests).toEqual([]);
  });
});

describe('The versions of a package', () => {
  it('that were never kept are told where they are held back', async () => {
    const name = published(npm);
    const repository = await remote(npm, { releaseGate: { minimumAgeHours: 72 } });
    await keep(npm, repository, name);
    expect(await gatesIn(repository, name)).toEqual({ '1.0.0': passes });
    expect(await heldIn(repository, name)).toMatchObject([
      {
        version: '1.1.0',
        why: expect.stringMatching(/^it was published on 20.*, and passes when it is 72 hours old$/),
      },
    ]);
  });

  // Before the workspace has verdicts on packages of npm, which are read as rules of each repository.
  it.each([
    ['enforce', [null], true],
    ['enforce', [null, { mode: 'observe' }], true],
    ['observe', [null], false],
  ] as const)(
    'are blocked by the gate of a child that may `%s`, in each child of a virtual repository',
    async (mode, others, isEnforced) => {
      const name = published(npm);
      await storeAdvisories('npm', name, [advisory({ versions: ['1.1.0'] })]);
      const first = await remote(npm);
      await keep(npm, first, name);
      expect(await gatesIn(first, name)).toEqual({ '1.0.0': null, '1.1.0': null });
      const gates: Gate[] = [...others, { mode, minimumAgeHours: 0 }];
      const beside = await Promise.all(gates.map(async (releaseGate) => remote(npm, { releaseGate })));
      const virtual = await createVirtual(service, setting.workspace, [first, ...beside]);
      const blocked = { state: 'blocked', rule: 'advisory', until: null, isEnforced };
      expect(await gatesIn(virtual, name)).toMatchObject({ '1.0.0': null, '1.1.0': blocked });
      expect(await heldIn(virtual, name)).toMatchObject([{ version: '1.1.0', repositoryName: first.name, ...blocked }]);
      const one = { ...asked(virtual, name), params: { ...asked(virtual, name).params, version: '1.1.0' } };
      expect((await service.client.succeed(getPackageVersion, one)).gate).toMatchObject(blocked);
    },
  );

  it('are blocked and allowed by verdicts, whatever the gate says', async () => {
    const name = published(npm);
    const repository = await remote(npm);
    await keep(npm, repository, name);
    await rule(name, 'block', ['1.1.0']);
    const why = `the verdict on '${name}' says: Hijacked`;
    const blocked = { state: 'blocked', rule: 'verdict', why, until: null, isEnforced: true };
    expect(await gatesIn(repository, name)).toEqual({ '1.0.0': null, '1.1.0': blocked });
    expect(await heldIn(repository, name)).toMatchObject([{ version: '1.1.0', ...blocked }]);
    await setGate(repository, { minimumAgeHours: 72 });
    await rule(name, 'allow', ['1.1.0']);
    const allowed = { ...passes, rule: 'verdict', why };
    expect(await gatesIn(repository, name)).toEqual({ '1.0.0': passes, '1.1.0': allowed });
    expect(await heldIn(repository, name)).toEqual([]);
  });

  it('are said to be held back by a gate that only observes, without being refused', async () => {
    const name = published(npm);
    const repository = await remote(npm, { releaseGate: { minimumAgeHours: 72, mode: 'observe' } });
    await keep(npm, repository, name);
    const observed = { ...held, isEnforced: false };
    expect((await gatesIn(repository, name))['1.1.0']).toMatchObject(observed);
    expect(await heldIn(repository, name)).toMatchObject([observed]);
  });

  it.each([
    ['hold', { state: 'held', rule: 'withdrawnUpstream', until: null }],
    [
      'serve',
      {
        state: 'held',
        rule: 'minimumAgeHours',
        why: expect.stringMatching(/^it has been kept since 20.*, and passes when it is 72 hours old$/),
      },
    ],
  ] as const)('that the upstream withdrew are decided about as `%s` says', async (withdrawnUpstream, decided) => {
    const name = published(npm);
    const repository = await remote(npm, { metadataCacheTimeTillRevalidation: 0 });
    await keep(npm, repository, name);
    await setGate(repository, { minimumAgeHours: 72, withdrawnUpstream });
    upstream.answer = npm.answer(name, { '1.0.0': 100 });
    await npm.documents(repository, name);
    expect((await gatesIn(repository, name))['1.1.0']).toMatchObject(decided);
    const checked = async () => {
      const { repositories } = await service.client.succeed(checkVersion, {
        params: { workspace: setting.workspace.id, repository: repository.id },
        body: { packageName: name, version: '1.1.0' },
        as: setting.admin.bearer,
      });
      return repositories[0];
    };
    expect(await checked()).toMatchObject({ decision: decided.state, rule: decided.rule, isEnforced: true });
    await setGate(repository, { exempt: [`${name}@1.1.0`] });
    expect((await gatesIn(repository, name))['1.1.0']).toMatchObject({ state: 'passes', rule: 'exempt' });
    expect(await checked()).toMatchObject({ decision: 'passes', rule: 'exempt' });
  });

  it('that the upstream withdrew stay when they were kept for a month', async () => {
    const name = published(npm);
    const repository = await remote(npm, { metadataCacheTimeTillRevalidation: 0 });
    await keep(npm, repository, name);
    await setGate(repository, { minimumAgeHours: 72 });
    upstream.answer = npm.answer(name, { '1.0.0': 100 });
    await npm.documents(repository, name);
    const [tarball = ''] = npm.files(name, '1.1.0');
    const stateOfAll = async () => [
      (await gatesIn(repository, name))['1.1.0']?.state,
      (await ask(npm.file, 'npm', repository, tarball)).status,
    ];
    const keptFor = async (days: number) => {
      const ref = { contentId: repository.id, name };
      const values = { ':at': new Date(Date.now() - days * 24 * 3_600_000).toISOString() };
      for (const update of [versionKey(ref, '1.1.0'), fileKey(ref, '1.1.0', `${name}-1.1.0.tgz`)])
        await new Table().writeUnrecorded([{ update, set: 'SET #createdAt = :at', values }]);
    };
    await keptFor(29);
    expect(await stateOfAll()).toEqual(['held', 403]);
    await keptFor(31);
    expect(await stateOfAll()).toEqual(['passes', 200]);
    const frozenAt = new Date(Date.now() - 40 * 24 * 3_600_000).toISOString();
    for (const gate of [{ minimumAgeHours: 8_760 }, { frozenAt, untimed: 'hold' as const }]) {
      await setGate(repository, gate);
      expect(await stateOfAll()).toEqual(['passes', 200]);
    }
    await keptFor(29);
    await setGate(repository, { minimumAgeHours: 8_760, frozenAt: null, withdrawnUpstream: 'serve' });
    expect(await stateOfAll()).toEqual(['held', 403]);
    await setGate(repository, { minimumAgeHours: 72 });
    expect(await stateOfAll()).toEqual(['passes', 200]);
  });

  it('are unknown where nothing is kept that says their times', async () => {
    const name = published(npm);
    const repository = await remote(npm);
    const [tarball = ''] = npm.files(name, '1.1.0');
    await ask(npm.file, 'npm', repository, tarball);
    await setGate(repository, { minimumAgeHours: 72 });
    expect((await gatesIn(repository, name))['1.1.0']).toEqual({ ...passes, state: 'unknown' });
    expect(await heldIn(repository, name)).toEqual([]);
    await rule(name, 'block', ['1.1.0']);
    expect((await gatesIn(repository, name))['1.1.0']).toMatchObject({ state: 'blocked', rule: 'verdict' });
  });
});

/** What has files, and its remote repository no index until somebody reads one. */
const unlisted = [
  nugetGate({ upstream, ask }),
  {
    type: 'universal',
    urlPath: '/{package-name}/{version}/{file}',
    file: getUniversalFile,
    files: (name: string, version: string) => [`${name}/${version}/file.txt`],
    answer: (name: string) =>
      sent(Object.fromEntries(['1.0.0', '1.1.0'].map((version) => [`/${name}/${version}/file.txt`, version]))),
  },
] as const;

describe.each(unlisted)('The versions of a package of $type of which no index is kept', (each) => {
  const { type } = each;
  const blocked = { state: 'blocked', rule: 'verdict', until: null, isEnforced: true };

  it('are told of where a verdict blocks them, also through a virtual repository', async () => {
    const name = newName();
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const [first, second, empty] = [await remote(each), await remote(each), await remote(each)];
    for (const repository of [first, second])
      for (const version of ['1.0.0', '1.1.0'])
        for (const path of each.files(name, version))
          expect((await ask(each.file, type, repository, path)).status).toBe(200);
    const virtual = await createVirtual(service, setting.workspace, [first, empty, second], { packageType: type });
    const told = async () => {
      const all = await heldIn(virtual, name);
      const ofFirst = all.filter(({ repositoryName }) => repositoryName === first.name);
      expect(await heldIn(first, name)).toEqual(ofFirst);
      for (const one of all) expect(one).toMatchObject(blocked);
      const versionsOf = ({ name: of }: Named) =>
        all.flatMap(({ version, repositoryName }) => (repositoryName === of ? version : [])).toSorted();
      // What has no version of the package says nothing of it: a check does.
      expect([versionsOf(second), versionsOf(empty)]).toEqual([versionsOf(first), []]);
      return versionsOf(first);
    };
    expect(await told()).toEqual([]);
    await rule(name, 'block', ['1.1.0'], type);
    expect(await told()).toEqual(['1.1.0']);
    await rule(name, 'block', ['1.1.0', '3.0.0'], type);
    expect(await told()).toEqual(['1.1.0', '3.0.0']);
    await rule(name, 'block', ['*'], type);
    expect(await told()).toEqual(['1.0.0', '1.1.0']);
    await rule(name, 'allow', ['1.0.0'], type);
    expect(await told()).toEqual([]);
    await rule(`${name.slice(0, -1)}*`, 'block', ['*'], type);
    expect(await told()).toEqual(['1.1.0']);
  });
});

describe('The versions of a package of NuGet of which no index is kept', () => {
  const nuget = nugetGate({ upstream, ask });

  it('are told of once, however verdicts spell them', async () => {
    const name = published(nuget);
    const repository = await remote(nuget);
    await keep(nuget, repository, name);
    await rule(name, 'block', ['1.1', '1.1.0.0'], 'nuget');
    expect((await heldIn(repository, name)).map(({ version }) => version)).toEqual(['1.1.0']);
  });

  it('are not told of once they were deleted', async () => {
    const name = published(nuget);
    const repository = await remote(nuget);
    await keep(nuget, repository, name);
    await rule(name, 'block', ['*'], 'nuget');
    const { params, as } = asked(repository, name);
    await service.client.succeed(deletePackageVersion, { params: { ...params, version: '1.0.0' }, as });
    expect((await heldIn(repository, name)).map(({ version }) => version)).toEqual(['1.1.0']);
  });
});
