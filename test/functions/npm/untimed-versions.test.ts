import { checkVersion } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { cachedDocumentKey } from '../../../shared/table/packages/package-keys.ts';
import { askIn, json, newName, sent, timeOf } from '../../gates/gated-type.ts';
import { npmGate } from '../../gates/npm.ts';
import { abbreviatedType, packumentOf, upstreamTarballOf } from '../../harness/npm.ts';
import { age, useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import type { Named } from '../../harness/world.ts';

const { service, upstream, setting } = useRemotes();
const ask = askIn(service, setting);
const npm = npmGate({ upstream, ask });

const forms = { abbreviated: abbreviatedType, full: 'application/json' } as const;
type Form = keyof typeof forms;

/** An upstream whose abbreviated packuments do not say when they changed, and whose full ones say these ages, in hours. */
const publish = (name: string, ages: Readonly<Record<string, number | undefined>>): void => {
  const versions = Object.fromEntries(Object.keys(ages).map((version) => [version, {}]));
  const times = Object.entries(ages).flatMap(([version, hours]) => (hours ? [[version, timeOf(hours)]] : []));
  const tarballs = Object.keys(ages).map((version) => [
    `/${name}/-/${name}-${version}.tgz`,
    upstreamTarballOf(name, version),
  ]);
  upstream.answer = (request, response) => {
    const isFull = !request.headers.accept?.includes(abbreviatedType);
    const time = times.length > 0 && isFull ? { time: Object.fromEntries(times) } : {};
    const packument = { ...packumentOf(upstream.url, name, versions, isFull && times.length > 0), ...time };
    sent({ [`/${name}`]: JSON.stringify(packument), ...Object.fromEntries(tarballs) })(request, response);
  };
};

const remote = async (fields: object): Promise<Named> =>
  createRemote(service, setting.workspace, {
    remoteRepositoryUrl: upstream.url,
    metadataCacheTimeTillRevalidation: 60_000,
    ...fields,
  });

const setGate = async ({ id }: Named, releaseGate: object): Promise<unknown> =>
  service.client.succeed(updateRepository, {
    params: { workspace: setting.workspace.id, repository: id },
    body: { releaseGate },
    as: setting.admin.bearer,
  });

const listed = async (repository: Named, name: string, form: Form): Promise<string[]> => {
  const answer = await ask(npm.file, 'npm', repository, name, { Accept: forms[form] });
  return Object.keys((json(answer) as { versions: object }).versions);
};

const passTime = async ({ id: contentId }: Named, name: string): Promise<void> => {
  for (const form of Object.keys(forms)) {
    const key = cachedDocumentKey({ contentId, name }, `packument ${form}`);
    await age(key, 60_000).catch(() => undefined);
  }
};

/** Which versions each form lists, which tarballs leave, and what a check says of a version: all by one rule. */
const expectPassing = async (repository: Named, name: string, all: Readonly<Record<string, boolean>>) => {
  const passing = Object.keys(all).filter((version) => all[version]);
  const virtual = await createVirtual(service, setting.workspace, [repository]);
  for (const from of [repository, virtual]) {
    for (const form of ['abbreviated', 'full'] as const)
      expect([form, await listed(from, name, form)]).toEqual([form, passing]);
    for (const [version, passes] of Object.entries(all)) {
      for (const path of npm.files(name, version))
        expect([path, (await ask(npm.file, 'npm', from, path)).status]).toEqual([path, passes ? 200 : 403]);
      const { repositories } = await service.client.succeed(checkVersion, {
        params: { workspace: setting.workspace.id, repository: from.id },
        body: { packageName: name, version },
        as: setting.admin.bearer,
      });
      expect(repositories).toMatchObject([{ decision: passes ? 'passes' : 'held' }]);
    }
  }
};

describe('A version of npm of which the upstream says no time', () => {
  it.each([
    ['abbreviated', 'abbreviated'],
    ['full', 'abbreviated'],
    ['abbreviated', 'full'],
    ['full', 'full'],
  ] as const)('is new after the %s form without it was read, to who reads the %s one', async (before, after) => {
    const name = newName();
    const repository = await remote({ releaseGate: { minimumAgeHours: 72 } });
    publish(name, { '1.0.0': undefined });
    expect(await listed(repository, name, before)).toEqual(['1.0.0']);
    publish(name, { '1.0.0': undefined, '1.1.0': undefined });
    await passTime(repository, name);
    expect(await listed(repository, name, after)).toEqual(['1.0.0']);
    await expectPassing(repository, name, { '1.0.0': true, '1.1.0': false });
  });

  it('is new if the form that is asked for now was never asked for before', async () => {
    const name = newName();
    const repository = await remote({});
    publish(name, { '1.0.0': undefined });
    await listed(repository, name, 'abbreviated');
    await setGate(repository, { minimumAgeHours: 72 });
    publish(name, { '1.0.0': undefined, '1.1.0': undefined });
    await passTime(repository, name);
    await expectPassing(repository, name, { '1.0.0': true, '1.1.0': false });
  });
});

describe('A version of npm of which the full packument says the time', () => {
  it('stays held back where the next one does not say it', async () => {
    const name = newName();
    publish(name, { '1.0.0': 100, '1.1.0': 2 });
    const repository = await remote({ releaseGate: { minimumAgeHours: 72 } });
    await expectPassing(repository, name, { '1.0.0': true, '1.1.0': false });
    publish(name, { '1.0.0': 100, '1.1.0': undefined });
    await passTime(repository, name);
    await expectPassing(repository, name, { '1.0.0': true, '1.1.0': false });
  });

  it('is held back where the abbreviated one does not say when it changed', async () => {
    const name = newName();
    publish(name, { '1.0.0': 100, '1.1.0': 1 });
    const repository = await remote({ releaseGate: { minimumAgeHours: 72 } });
    expect(await listed(repository, name, 'abbreviated')).toEqual(['1.0.0']);
    await expectPassing(repository, name, { '1.0.0': true, '1.1.0': false });
    await setGate(repository, { untimed: 'pass' });
    await expectPassing(repository, name, { '1.0.0': true, '1.1.0': false });
  });
});
