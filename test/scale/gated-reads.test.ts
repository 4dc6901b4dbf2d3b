import { getNpmDocument } from '../../functions/npm/contracts.ts';
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
