import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { getPypiDocument } from '../../functions/pypi/contracts.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { packumentOf } from '../harness/npm.ts';
import { passSeconds } from '../harness/remote-repositories.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { serving, Upstream } from '../harness/upstream.ts';
import type { Actor, Named } from '../harness/world.ts';

const service = useService();
let workspace: Named;
let admin: Actor;
const upstreams: Upstream[] = [];

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
});
afterAll(() => Promise.all(upstreams.map((upstream) => upstream.stop())));

const types = {
  npm: {
    contract: getNpmDocument,
    path: (name: string) => name,
    document: (url: string) => JSON.stringify(packumentOf(url, 'kept', { '1.0.0': {} })),
  },
  pypi: {
    contract: getPypiDocument,
    path: (name: string) => `simple/${name}/`,
    document: () => JSON.stringify({ meta: { 'api-version': '1.0' }, name: 'kept', files: [] }),
  },
} as const;

/** A remote repository that has kept a document, and whose upstream was away for five questions and is there again. */
const withOpenCircuit = async (packageType: keyof typeof types) => {
  const { contract, path, document } = types[packageType];
  const upstream = new Upstream();
  upstreams.push(upstream);
  await upstream.start();
  const { url } = upstream;
  const repository = await createRemote(service, workspace, {
    packageType,
    remoteRepositoryUrl: url,
    metadataCacheTimeTillRevalidation: 1,
  });
  const get = async (name: string) =>
    service.client.sendTo(contract, {
      path: `/${packageType}/${workspace.name}/${repository.name}/${path(name)}`,
      headers: [['Authorization', admin.bearer]],
    });
  upstream.answer = serving(document(url));
  expect((await get('kept')).status).toBe(200);
  await upstream.stop();
  const fail = async (name: string) => {
    const { status, text } = await get(name);
    expect([status, text.includes('could not be reached')]).toEqual([504, true]);
  };
  for (const name of ['one', 'two', 'three', 'four']) await fail(name);
  await passSeconds(repository.id);
  await fail('five');
  const again = new Upstream();
  upstreams.push(again);
  again.answer = serving(document(url));
  await again.start(Number(new URL(url).port));
  const startedAt = Date.now();
  const [kept, unknown] = [await get('kept'), await get('unknown')];
  return { kept, unknown, milliseconds: Date.now() - startedAt, asked: again.requests.length };
};

describe.each(['npm', 'pypi'] as const)(
  'A document of %s, from an upstream that left five questions unanswered',
  (type) => {
    let outcome: Awaited<ReturnType<typeof withOpenCircuit>>;
    beforeAll(async () => {
      outcome = await withOpenCircuit(type);
    });

    itAnswers('200 with the stale copy at once, and the upstream is not asked', async () => {
      const { kept, milliseconds, asked } = outcome;
      expect([kept.headers['x-stockroom-cache'], kept.headers.warning]).toEqual(['stale', '110 - "Response is Stale"']);
      expect({ milliseconds, isAtOnce: milliseconds < 5_000, asked }).toEqual({
        milliseconds,
        isAtOnce: true,
        asked: 0,
      });
      return kept;
    });

    itAnswers('504 UPSTREAM_TIMEOUT at once where there is no copy, with when to come back', async () => {
      const { unknown } = outcome;
      expect(unknown.text).toMatch(/did not answer the last requests, and is not asked until 20/);
      const seconds = Number(unknown.headers['retry-after']);
      expect({ seconds, isRight: seconds > 0 && seconds <= 30 }).toEqual({ seconds, isRight: true });
      return unknown;
    });
  },
);
