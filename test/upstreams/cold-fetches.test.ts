import { getGoFile } from '../../functions/go/contracts.ts';
import { getMavenFile } from '../../functions/maven/contracts.ts';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { listPackages } from '../../functions/packages/contracts.ts';
import { getPypiDocument } from '../../functions/pypi/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { itemBytesMax } from '../../shared/table/packages/blobs.ts';
import { sha256 } from '../harness/bytes.ts';
import { packumentOf, upstreamTarballOf } from '../harness/npm.ts';
import { wheelName, wheelOf } from '../harness/pypi.ts';
import { useRemoteClient } from '../harness/remote-repositories.ts';
import { refusing, serving } from '../harness/upstream.ts';

const { service, upstream, setting, remote, get: ask } = useRemoteClient();

const wheel = { name: 'left-pad', version: '1.0.0' };
const filename = wheelName(wheel);

/** What the upstreams have, by path. */
const contents = (): Readonly<Record<string, string | Uint8Array>> => ({
  '/left-pad': JSON.stringify(packumentOf(upstream.url, 'left-pad', { '1.0.0': {} })),
  '/left-pad/-/left-pad-1.0.0.tgz': upstreamTarballOf('left-pad', '1.0.0'),
  '/left-pad/1.0.0/left-pad.bin': 'the file',
  '/left-pad/1.0.0/long.bin': 'long'.repeat(itemBytesMax),
  '/simple/left-pad/': JSON.stringify({
    meta: { 'api-version': '1.0' },
    name: 'left-pad',
    files: [{ filename, url: `../../${filename}`, hashes: { sha256: sha256(wheelOf(wheel)) } }],
  }),
  [`/${filename}`]: wheelOf(wheel),
});

/** A request for something that nobody has asked for yet, after those of its client before it. */
interface Cold {
  readonly packageType: 'npm' | 'pypi' | 'universal';
  readonly contract: Contract;
  readonly before: readonly string[];
  readonly path: string;
}

const npm = { packageType: 'npm', contract: getNpmDocument } as const;
const pypi = { packageType: 'pypi', contract: getPypiDocument } as const;
const universal = { packageType: 'universal', contract: getUniversalFile } as const;

const colds: readonly (readonly [what: string, cold: Cold, calls: readonly [table: number, store: number]])[] = [
  ['a packument', { ...npm, before: [], path: 'left-pad' }, [3, 0]],
  ['a tarball', { ...npm, before: ['left-pad'], path: 'left-pad/-/left-pad-1.0.0.tgz' }, [4, 0]],
  ['a page of Python files', { ...pypi, before: ['simple/unknown/'], path: 'simple/left-pad/' }, [3, 0]],
  ['a Python file', { ...pypi, before: ['simple/left-pad/'], path: `files/left-pad/1.0.0/${filename}` }, [4, 0]],
  [
    'a universal file',
    { ...universal, before: ['left-pad/1.0.0/unknown.bin'], path: 'left-pad/1.0.0/left-pad.bin' },
    [4, 0],
  ],
  [
    'a universal file that is longer than an item keeps',
    { ...universal, before: ['left-pad/1.0.0/unknown.bin'], path: 'left-pad/1.0.0/long.bin' },
    [5, 1],
  ],
];

const serve = (): void => {
  upstream.answer = (request, response) => {
    const content = contents()[request.url ?? ''];
    (content === undefined ? refusing(404) : serving(content))(request, response);
  };
};

/** A client of a new remote repository that the process knows, after what it asks before its path. */
const asked = async ({ packageType, contract, before }: Cold) => {
  const repository = await remote({ packageType });
  const get = async (path: string) => ask(contract, packageType, repository, path);
  await get('unknown');
  for (const path of before) await get(path);
  return get;
};

/** The calls of a request that is answered as the cache state says. */
const callsOf = async (get: Awaited<ReturnType<typeof asked>>, { contract, path }: Cold, cache: 'miss' | 'hit') => {
  service.proxy.forget();
  service.store.forget();
  const { status, headers } = await get(path);
  expect([status, headers['x-stockroom-cache']]).toEqual([200, cache]);
  return [service.proxy.callsOf(contract.id).length, service.store.calls.length];
};

describe('Calls of the table and of the store, in a warm process', () => {
  beforeEach(serve);

  it.each(colds)('by a first fetch of %s', async (_, cold, expected) => {
    await callsOf(await asked(cold), cold, 'miss');
    expect(await callsOf(await asked(cold), cold, 'miss')).toEqual(expected);
  });

  it.each(colds)('by the next read of %s: one of the table', async (_, cold) => {
    const get = await asked(cold);
    await callsOf(get, cold, 'miss');
    expect(await callsOf(get, cold, 'hit')).toEqual([1, 0]);
  });
});

describe('Documents of one package that arrive together', () => {
  it('are all kept, although nothing is kept of the package yet', async () => {
    const repository = await remote({ packageType: 'go' });
    const [Time, waiting] = ['2026-01-02T03:04:05Z', new Set<() => void>()];
    upstream.answer = (request, response) => {
      const Version = request.url?.match(/v\d+\.0\.0/)?.[0];
      waiting.add(() => serving(JSON.stringify({ Version, Time }))(request, response));
      if (waiting.size === 3) for (const answer of waiting) answer();
    };
    const ask3 = async () =>
      Promise.all(
        [1, 2, 3].map(async (major) => {
          const { status, headers } = await ask(getGoFile, 'go', repository, `example.com/acme/@v/v${major}.0.0.info`);
          return [status, headers['x-stockroom-cache']];
        }),
      );
    expect(await ask3()).toEqual(Array.from({ length: 3 }, () => [200, 'miss']));
    expect(await ask3()).toEqual(Array.from({ length: 3 }, () => [200, 'hit']));
    expect(upstream.requests).toHaveLength(3);
  });

  it('hide no package of which a file has arrived meanwhile', async () => {
    const repository = await remote({ packageType: 'maven' });
    const get = async (path: string) => ask(getMavenFile, 'maven', repository, `com/example/app/${path}`);
    const [isAsked, isReleased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    upstream.answer = (request, response) => {
      if (request.url?.endsWith('/maven-metadata.xml') !== true) return serving('PK the jar')(request, response);
      isAsked.resolve();
      const xml = '<metadata><versioning><versions><version>1.0</version></versions></versioning></metadata>';
      return void isReleased.promise.then(() => serving(xml)(request, response));
    };
    const document = get('maven-metadata.xml');
    await isAsked.promise;
    expect((await get('1.0/app-1.0.jar')).status).toBe(200);
    isReleased.resolve();
    expect((await document).status).toBe(200);
    const params = { workspace: setting.workspace.id, repository: repository.id };
    const { packages } = await service.client.succeed(listPackages, { params, as: setting.admin.bearer });
    expect(packages).toMatchObject([{ name: 'com.example:app' }]);
    expect((await get('maven-metadata.xml')).headers['x-stockroom-cache']).toBe('hit');
  });
});
