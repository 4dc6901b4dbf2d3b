import { randomBytes } from 'node:crypto';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { fileFetchKey } from '../../shared/table/packages/package-keys.ts';
import { passADay } from '../harness/due-blobs.ts';
import { endLeaseOf } from '../harness/remote-repositories.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { serving, useUpstream } from '../harness/upstream.ts';
import type { Actor, Named } from '../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const functionId = getUniversalFile.id;
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
});

/** One is kept in the table, one goes into the store by one PUT, one through the staging area in two parts. */
const files = {
  tiny: () => Buffer.from(randomBytes(50).toString('hex')),
  small: () => Buffer.from(randomBytes(5_000).toString('hex')),
  large: () => randomBytes(9 * 1024 * 1024),
} as const;
type Size = keyof typeof files;

const remote = async (): Promise<Named> =>
  createRemote(service, workspace, {
    packageType: 'universal',
    remoteRepositoryUrl: `${upstream.url}/{package-name}/{version}/{file}`,
  });

const get = async (repository: Named) =>
  service.client.sendTo(getUniversalFile, {
    path: `/universal/${workspace.name}/${repository.name}/tool/1.0.0/tool.bin`,
    headers: [['Authorization', admin.bearer]],
  });

/** `npm run test:fetches` kills a fetch at every call, before it and after it. */
const step: Readonly<Record<Size, number>> =
  process.env.FETCH_KILLS === 'all' ? { tiny: 1, small: 1, large: 1 } : { tiny: 2, small: 3, large: 5 };

/** The bytes that a client ends up with. */
const bytesOf = async ({ status, text, headers }: Awaited<ReturnType<typeof get>>): Promise<number> =>
  status === 302 ? (await (await fetch(String(headers.location))).arrayBuffer()).byteLength : text.length;

/** The calls of one fetch of a new file, in their order. */
const callsOf = async (size: Size) => {
  upstream.answer = serving(files[size]());
  await get(await remote());
  upstream.answer = serving(files[size]());
  const repository = await remote();
  service.proxy.forget();
  service.store.forget();
  const { status } = await get(repository);
  expect(status).toBe(size === 'large' ? 302 : 200);
  return { table: service.proxy.callsOf(functionId), store: [...service.store.calls] };
};

/** Lets the process end at a call: from then on no call gets through. */
const killAt = (engine: 'table' | 'store', position: number, isCommitted: boolean): void => {
  const [last, rest] = [
    { functionId, fault: 'commit-then-drop', after: position, times: 1 },
    { functionId, fault: 'drop', after: isCommitted ? position + 1 : position },
  ] as const;
  for (const each of isCommitted ? [last, rest] : [rest])
    if (engine === 'table') service.proxy.inject(each);
    else service.store.inject(each);
};

/** Kills one fetch, lets its client try again, and says what was visible in between and what the client then got. */
const survive = async (size: Size, engine: 'table' | 'store', position: number, isCommitted: boolean) => {
  const bytes = files[size]();
  upstream.answer = serving(bytes);
  const repository = await remote();
  killAt(engine, position, isCommitted);
  const { status } = await get(repository);
  service.proxy.heal();
  service.store.heal();
  const broken = await brokenContent(service);
  // Nobody renews the lease of a process that ended: this is the time that it takes to be over.
  await endLeaseOf(fileFetchKey({ contentId: repository.id, name: 'tool' }, '1.0.0', 'tool.bin'));
  return { status, broken, received: (await bytesOf(await get(repository))) === bytes.length };
};

/** How many calls there are to be killed at, at least. */
const pointsMin: Readonly<Record<Size, number>> = { tiny: 7, small: 10, large: 20 };

describe.each(['tiny', 'small', 'large'] as const)('A fetch of a %s file', (size) => {
  it('leaves nothing half done at whatever call it is killed, and the next one succeeds', async () => {
    const { table, store } = await callsOf(size);
    const all: (readonly ['table' | 'store', number, boolean])[] = [
      ...table.flatMap(({ isWrite }, position) =>
        (isWrite ? [false, true] : [false]).map((isCommitted) => ['table', position, isCommitted] as const),
      ),
      ...store.flatMap((_, position) => [false, true].map((isCommitted) => ['store', position, isCommitted] as const)),
    ];
    expect(all.length).toBeGreaterThan(pointsMin[size]);
    const points = all.filter((_, position) => position % step[size] === 0);
    const failed: number[] = [];
    for (const point of points) {
      const outcome = await survive(size, ...point);
      expect({ point, ...outcome }).toEqual({ point, status: expect.any(Number), broken: [], received: true });
      failed.push(outcome.status);
    }
    // Beside what a fetch does only as well as it can, a call that is lost is a refusal that may be tried again.
    expect(failed.filter((status) => status === 503).length).toBeGreaterThan(points.length / 2);
    expect(failed.filter((status) => ![200, 302, 503].includes(status))).toEqual([]);
    await passADay();
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(await brokenContent(service)).toEqual([]);
  }, 600_000);
});
