import * as packageTypes from '../../../functions/package-types.ts';
import { checkVersion } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { updateVerdict } from '../../../functions/verdicts/contracts.ts';
import type { PackageType } from '../../../shared/package-types.ts';
import type { PackageTypeDefinition } from '../../../shared/packages/types/package-type.ts';
import { sampledGates } from '../../gates/all.ts';
import { cargoGate } from '../../gates/cargo.ts';
import { type Ask, newName } from '../../gates/gated-type.ts';
import { npmGate } from '../../gates/npm.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useRemotes } from '../../harness/remote-repositories.ts';
import { createLocal, createRemote, createVirtual } from '../../harness/repositories.ts';
import type { Named } from '../../harness/world.ts';

const { service, upstream, setting } = useRemotes();

const ask: Ask = () => {
  throw new Error('Nothing is asked by a client.');
};
const npm = npmGate({ upstream, ask });
const cargo = cargoGate({ upstream, ask });

type Gate = NonNullable<Parameters<typeof createRemote>[2]>['releaseGate'];

const remote = async (
  releaseGate: Gate,
  { type, urlPath = '' }: { readonly type: PackageType; readonly urlPath?: string } = npm,
): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: type,
    remoteRepositoryUrl: upstream.url + urlPath,
    releaseGate,
  });

const attempt = async ({ id }: Pick<Named, 'id'>, packageName: string, version: string) =>
  service.client.attempt(checkVersion, {
    params: { workspace: setting.workspace.id, repository: id },
    body: { packageName, version },
    as: setting.admin.bearer,
  });

const check = async (repository: Pick<Named, 'id'>, name: string, version: string) => {
  const { result, status } = await attempt(repository, name, version);
  expect(status).toBe(200);
  return result?.repositories ?? [];
};

const block = async (name: string, versions: string[], verdict: 'block' | 'allow' = 'block'): Promise<void> => {
  await service.client.succeed(updateVerdict, {
    params: { workspace: setting.workspace.id, packageType: 'npm', package: name },
    body: { verdict, versions, reason: 'Hijacked' },
    as: setting.admin.bearer,
  });
};

/** A package with an old version, a young one, and one of which the upstream says no time. */
const published = (): string => {
  const name = newName();
  upstream.answer = npm.answer(name, { '1.0.0': 100, '1.1.0': 1 });
  return name;
};

describe('The check of a version', () => {
  it('says which rule of the gate decides, why, and until when', async () => {
    const name = published();
    const frozenAt = new Date(Date.now() - 50 * 3_600_000).toISOString();
    const rules = [
      [{ minimumAgeHours: 72 }, 'held', 'minimumAgeHours'],
      [{ minimumAgeHours: 72, mode: 'observe' }, 'held', 'minimumAgeHours'],
      [{ minimumAgeHours: 0, frozenAt }, 'held', 'frozenAt'],
      [{ minimumAgeHours: 72, exempt: [`${name}@1.1.0`] }, 'passes', 'exempt'],
      [{ minimumAgeHours: 0 }, 'passes', null],
      [null, 'passes', null],
    ] as const;
    for (const [gate, decision, rule] of rules) {
      const [found, ...others] = await check(await remote(gate as Gate), name, '1.1.0');
      expect(others).toEqual([]);
      expect(found).toMatchObject({ decision, rule });
      expect(found?.isEnforced).toBe(decision === 'held' && !(gate && 'mode' in gate));
      expect(found?.until !== null).toBe(rule === 'minimumAgeHours');
      if (decision === 'held') expect(found?.reason).toMatch(/^it was published on 20/);
    }
    expect(await check(await remote({ minimumAgeHours: 72 }), name, '1.0.0')).toMatchObject([{ decision: 'passes' }]);
    expect(await check(await remote({ minimumAgeHours: 72 }), name, '9.0.0')).toMatchObject([
      { decision: 'unlisted', rule: null, isEnforced: false },
    ]);
  });

  it('says what a verdict decides, of each remote repository of a virtual one', async () => {
    const name = published();
    const [gated, open] = [await remote({ minimumAgeHours: 72 }), await remote(null)];
    const virtual = await createVirtual(service, setting.workspace, [gated, open]);
    const decisions = async () =>
      (await check(virtual, name, '1.1.0')).map(({ repositoryName, decision }) => [repositoryName, decision]);
    expect(await decisions()).toEqual([
      [gated.name, 'held'],
      [open.name, 'passes'],
    ]);
    await block(name, ['1.1.0', '9.0.0']);
    expect(await check(open, name, '9.0.0')).toMatchObject([{ decision: 'blocked' }]);
    expect(await decisions()).toEqual([
      [gated.name, 'blocked'],
      [open.name, 'blocked'],
    ]);
    expect(await check(open, name, '1.1.0')).toMatchObject([
      { rule: 'verdict', reason: `the verdict on '${name}' says: Hijacked`, isEnforced: true },
    ]);
    await block(name, ['*'], 'allow');
    expect(await decisions()).toEqual([
      [gated.name, 'passes'],
      [open.name, 'passes'],
    ]);
  });

  it('names no remote repository where local ones alone answer', async () => {
    expect(await check(await createLocal(service, setting.workspace), 'axios', '1.0.0')).toEqual([]);
    const blocking = await createVirtual(service, setting.workspace, [await remote(null)]);
    await service.client.succeed(updateRepository, {
      params: { workspace: setting.workspace.id, repository: blocking.id },
      body: { upstreamNames: { block: ['axios'] } },
      as: setting.admin.bearer,
    });
    expect(await check(blocking, 'axios', '1.0.0')).toEqual([]);
  });

  itAnswers('502 UPSTREAM_FAILED when the upstream does not say what it lists', async () => {
    upstream.answer = (_, response) => response.writeHead(500).end();
    return attempt(await remote(null), newName(), '1.0.0');
  });
  itAnswers('400 REQUEST_INVALID when it names no version', async () => attempt(await remote(null), 'axios', ''));
});

describe.each(sampledGates({ upstream, ask }))('The check of a version of $type', (each) => {
  it('knows the times that its gate knows', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const spelled = (version: string) => each.versionOf?.(version).split('#')[0] ?? version;
    const repository = await remote({ minimumAgeHours: 72, untimed: 'hold' }, each);
    expect(await check(repository, name, spelled('1.0.0'))).toMatchObject([{ decision: 'passes' }]);
    expect(await check(repository, name, spelled('1.1.0'))).toMatchObject([
      { decision: 'held', rule: 'minimumAgeHours' },
    ]);
    expect(await check(repository, name, spelled('7.0.0'))).toMatchObject([{ decision: 'unlisted' }]);
  });
});

describe('The check of a version of a crate', () => {
  it('finds crates with _ in their names', async () => {
    const name = `${newName()}_of_two`;
    upstream.answer = cargo.answer(name, { '1.0.0': 100 });
    const repository = await remote({ minimumAgeHours: 72 }, cargo);
    expect(await check(repository, name, '1.0.0')).toMatchObject([{ decision: 'passes' }]);
  });
});

describe('A package type whose versions a gate or a verdict holds back', () => {
  it('says what upstreams say of versions, and no other does', () => {
    const modules = Object.values(packageTypes) as readonly { definition: PackageTypeDefinition }[];
    const named = (some: typeof modules) => some.map(({ definition: { name } }) => name);
    const byVerdictsAlone = named(modules.filter((each) => 'releases' in each && !each.definition.hasGate));
    expect(byVerdictsAlone).toEqual(['docker', 'universal']);
    expect(modules.filter((each) => each.definition.hasGate && !('releases' in each))).toEqual([]);
  });
});
