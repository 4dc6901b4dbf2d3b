import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { updateVerdict } from '../../functions/verdicts/contracts.ts';
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

const onName = (name: string) => ({
  params: { workspace: npm.setting.workspace.id, packageType: 'npm', package: name },
  as: npm.setting.admin.bearer,
});

const block = async (name: string, versions: string[]): Promise<void> => {
  const body = { verdict: 'block' as const, versions, reason: 'Hijacked' };
  await service.client.succeed(updateVerdict, { ...onName(name), body });
};

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
