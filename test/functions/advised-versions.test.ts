import { checkVersion } from '../../functions/packages/contracts.ts';
import { updateVerdict } from '../../functions/verdicts/contracts.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { sampledGates } from '../gates/all.ts';
import { expectExactlyBlocked, namedVersion, statusesOf } from '../gates/blocked-versions.ts';
import { askIn, type GatedType, newName } from '../gates/gated-type.ts';
import { npmGate } from '../gates/npm.ts';
import { advisory, storeAdvisories } from '../gates/stored-advisories.ts';
import { useRemotes } from '../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import type { Named } from '../harness/world.ts';

const { service, upstream, setting } = useRemotes();

const ask = askIn(service, setting);

type Gate = NonNullable<Parameters<typeof createRemote>[2]>['releaseGate'];

const remoteOf = async (
  { type, urlPath = '' }: Pick<GatedType, 'type' | 'urlPath'>,
  releaseGate: Gate = { minimumAgeHours: 0 },
): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: type,
    remoteRepositoryUrl: upstream.url + urlPath,
    releaseGate,
  });

const decide = async (type: string, name: string, verdict: 'allow' | 'block', versions: string[]): Promise<void> => {
  await service.client.succeed(updateVerdict, {
    params: { workspace: setting.workspace.id, packageType: type, package: name },
    body: { verdict, versions, reason: 'We looked' },
    as: setting.admin.bearer,
  });
};

const check = async (repository: Named, packageName: string, version: string) => {
  const { repositories } = await service.client.succeed(checkVersion, {
    params: { workspace: setting.workspace.id, repository: repository.id },
    body: { packageName, version },
    as: setting.admin.bearer,
  });
  return repositories[0];
};

const statuses = async (each: GatedType, repository: Named, name: string, version: string) =>
  statusesOf(ask, each, repository, [name, version]);

const advised = sampledGates({ upstream, ask }).filter(({ type }) => !['helm', 'chocolatey'].includes(type));

describe.each(advised)('A version of $type that an advisory reports as malware', (each) => {
  it('is in no form of a document and by no path, also through a virtual repository', async () => {
    const block = async (type: string, name: string, versions: string[]) =>
      storeAdvisories(type as PackageType, name, [advisory({ versions })]);
    await expectExactlyBlocked({ service, upstream, workspace: setting.workspace, ask, remoteOf, block }, each);
  });

  it('is served by no other child of a virtual repository, whatever the gate of that child', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.0.0': 9_000, '1.1.0': 9_000 });
    await storeAdvisories(each.type, name, [advisory({ versions: ['1.1.0'] })]);
    const gates: Gate[] = [null, { mode: 'observe' }, { minimumAgeHours: 0 }];
    const children = await Promise.all(gates.map(async (gate) => remoteOf(each, gate)));
    const over = async (of: readonly Named[]) =>
      createVirtual(service, setting.workspace, of, { packageType: each.type });
    const [all, others] = [await over(children), await over(children.slice(0, 2))];
    expect(await statuses(each, all, name, '1.1.0')).toEqual([403]);
    expect(await statuses(each, all, name, '1.0.0')).toEqual([200]);
    for (const list of await each.listed(all, name)) expect(list).toEqual(['1.0.0']);
    for (const list of await each.listed(others, name)) expect(list.toSorted()).toEqual(['1.0.0', '1.1.0']);
    expect(await statuses(each, others, name, '1.1.0')).toEqual([200]);
  });

  it('is blocked by a range in the order of the type, and passes as soon as the advisory ends', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.2.0': 9_000, '1.10.0': 9_000 });
    const repository = await remoteOf(each);
    const ofBoth = async () => [
      await statuses(each, repository, name, '1.2.0'),
      await statuses(each, repository, name, '1.10.0'),
    ];
    expect(await ofBoth()).toEqual([[200], [200]]);
    const range = [['introduced', '1.9.0'] as const, ['fixed', '2.0.0'] as const];
    await storeAdvisories(each.type, name, [advisory({ ranges: [range] })]);
    expect(await ofBoth()).toEqual([[200], [403]]);
    const found = await check(repository, name, namedVersion(each, '1.10.0'));
    expect(found).toMatchObject({ decision: 'blocked', rule: 'advisory', isEnforced: true });
    expect(found?.reason).toContain('MAL-2026-1 reports malware, see https://osv.dev/vulnerability/MAL-2026-1');
    await storeAdvisories(each.type, name, []);
    expect(await ofBoth()).toEqual([[200], [200]]);
  });
});

describe('An advisory', () => {
  const npm = npmGate({ upstream, ask });

  const published = (): string => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 9_000, '1.1.0': 9_000 });
    return name;
  };

  const listed = async (repository: Named, name: string) => (await npm.listed(repository, name)).map(String);

  const both = ['1.0.0,1.1.0', '1.0.0,1.1.0', '1.0.0,1.1.0'];
  const first = ['1.0.0', '1.0.0', '1.0.0'];

  it('on a vulnerability blocks where the gate asks for its severity or a less severe one', async () => {
    for (const [severity, blockSeverity, isBlocked] of [
      ['critical', null, false],
      ['critical', 'critical', true],
      ['high', 'critical', false],
      ['high', 'high', true],
      ['critical', 'high', true],
      ['moderate', 'high', false],
      [null, 'high', false],
    ] as const) {
      const name = published();
      await storeAdvisories('npm', name, [
        advisory({ id: 'GHSA-1', kind: 'vulnerability', severity, versions: ['1.1.0'] }),
      ]);
      const repository = await remoteOf(npm, { minimumAgeHours: 0, blockSeverity });
      expect([severity, blockSeverity, await listed(repository, name)]).toEqual([
        severity,
        blockSeverity,
        isBlocked ? first : both,
      ]);
      expect(await statuses(npm, repository, name, '1.1.0')).toEqual([isBlocked ? 403 : 200]);
    }
  });

  it('blocks nothing in a repository without a gate, and where the gate observes it says so', async () => {
    const name = published();
    await storeAdvisories('npm', name, [advisory({ versions: ['1.1.0'] })]);
    const open = await remoteOf(npm, null);
    expect([await listed(open, name), await statuses(npm, open, name, '1.1.0')]).toEqual([both, [200]]);
    const observing = await remoteOf(npm, { mode: 'observe', minimumAgeHours: 0 });
    expect([await listed(observing, name), await statuses(npm, observing, name, '1.1.0')]).toEqual([both, [200]]);
    const [tarball = ''] = npm.files(name, '1.1.0');
    for (const path of [name, tarball])
      expect((await ask(npm.file, 'npm', observing, path)).headers['x-stockroom-gate']).toBe('would-hold');
    expect(await check(observing, name, '1.1.0')).toMatchObject({ decision: 'blocked', isEnforced: false });
  });

  it('that a gate which only observes would block by is told of each child of a virtual repository', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 9_000, '1.1.0': 9_000, '1.2.0': 1 });
    await storeAdvisories('npm', name, [advisory({ versions: ['1.1.0', '1.2.0'] })]);
    const [tarball = '', young = ''] = ['1.1.0', '1.2.0'].flatMap((version) => npm.files(name, version)[0] ?? []);
    const observing = await remoteOf(npm, { mode: 'observe', minimumAgeHours: 0 });
    const stateOf = async (repository: Named, path: string) => {
      const { status, headers } = await ask(npm.file, 'npm', repository, path);
      return [status, headers['x-stockroom-gate']];
    };
    for (const gate of [null, { mode: 'observe', minimumAgeHours: 0 }, { minimumAgeHours: 72 }] as const) {
      const other = await remoteOf(npm, gate);
      const virtual = await createVirtual(service, setting.workspace, [other, observing]);
      expect(await stateOf(virtual, tarball)).toEqual(gate?.mode || !gate ? [200, 'would-hold'] : [403, undefined]);
    }
    const [open, aging] = [await remoteOf(npm, null), await remoteOf(npm, { minimumAgeHours: 72, exempt: [name] })];
    const over = await createVirtual(service, setting.workspace, [open, observing]);
    expect(await stateOf(over, `${name}/-/${name}-1.0.0.tgz`)).toEqual([200, undefined]);
    expect(await stateOf(over, name)).toEqual([200, 'would-hold']);
    expect(await check(over, name, '1.1.0')).toMatchObject({
      repositoryName: open.name,
      decision: 'blocked',
      rule: 'advisory',
      isEnforced: false,
    });
    expect(await check(over, name, '1.0.0')).toMatchObject({ decision: 'passes', isEnforced: false });
    const before = service.logs.length;
    await ask(npm.file, 'npm', over, tarball);
    const line = service.logs.slice(before).find((each) => each.includes('"request"') && each.includes(name));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ wouldHold: 1 });
    // What the gate of a child holds back itself stays held back.
    const severe = await remoteOf(npm, { mode: 'observe', minimumAgeHours: 0, blockSeverity: 'high' });
    const vulnerable = newName();
    upstream.answer = npm.answer(vulnerable, { '1.0.0': 9_000, '1.1.0': 1 });
    await storeAdvisories('npm', vulnerable, [
      advisory({ id: 'GHSA-1', kind: 'vulnerability', severity: 'high', versions: ['1.0.0', '1.1.0'] }),
    ]);
    const strict = await createVirtual(service, setting.workspace, [
      await remoteOf(npm, { minimumAgeHours: 72 }),
      severe,
    ]);
    expect(await stateOf(strict, `${vulnerable}/-/${vulnerable}-1.0.0.tgz`)).toEqual([200, 'would-hold']);
    expect(await stateOf(strict, vulnerable)).toEqual([200, 'would-hold']);
    expect(await check(strict, vulnerable, '1.0.0')).toMatchObject({ decision: 'blocked', isEnforced: false });
    expect(await check(strict, vulnerable, '1.1.0')).toMatchObject({ decision: 'held', rule: 'minimumAgeHours' });
    const exempting = await createVirtual(service, setting.workspace, [aging, observing]);
    expect((await stateOf(exempting, young))[0]).toBe(403);
  });

  it('gives way to a verdict that allows the version itself, and to no other one and no exemption', async () => {
    const name = published();
    await storeAdvisories('npm', name, [advisory({ versions: ['1.1.0'] })]);
    const repository = await remoteOf(npm, { minimumAgeHours: 0, exempt: [name, `${name}@1.1.0`] });
    const state = async () => [await listed(repository, name), await statuses(npm, repository, name, '1.1.0')];
    expect(await state()).toEqual([first, [403]]);
    await decide('npm', name, 'allow', ['*']);
    expect(await state()).toEqual([first, [403]]);
    await decide('npm', name, 'allow', ['1.1.0']);
    expect(await state()).toEqual([both, [200]]);
    expect(await check(repository, name, '1.1.0')).toMatchObject({ decision: 'passes', rule: 'verdict' });
  });

  it('comes before the age of a version', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 1 });
    await storeAdvisories('npm', name, [advisory()]);
    const repository = await remoteOf(npm, { minimumAgeHours: 72 });
    const [tarball = ''] = npm.files(name, '1.0.0');
    const { code, problem } = await ask(npm.file, 'npm', repository, tarball);
    expect(code).toBe('VERSION_BLOCKED');
    expect(problem?.detail).toContain(
      `${name} 1.0.0 is blocked: the advisory MAL-2026-1 reports malware, see https://osv.dev/vulnerability/MAL-2026-1.`,
    );
  });

  it('blocks a version from behind the first page, too', async () => {
    const name = published();
    const many = Array.from({ length: 5_000 }, (_, at) => `9.${at}.0`);
    const repository = await remoteOf(npm);
    expect(await statuses(npm, repository, name, '1.1.0')).toEqual([200]);
    await storeAdvisories('npm', name, [
      advisory({ versions: many }),
      advisory({ id: 'MAL-2026-2', versions: ['1.1.0'] }),
    ]);
    expect([await listed(repository, name), await statuses(npm, repository, name, '1.1.0')]).toEqual([first, [403]]);
    expect(await check(repository, name, '9.4999.0')).toMatchObject({ decision: 'blocked' });
  });
});
