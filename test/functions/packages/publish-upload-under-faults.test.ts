import { randomBytes } from 'node:crypto';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { deletePackage, getRepositoryUsage, publishUpload } from '../../../functions/packages/contracts.ts';
import { getUniversalFile } from '../../../functions/universal/contracts.ts';
import { passADay } from '../../harness/due-blobs.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { today } from '../../harness/sampling.ts';
import { useService } from '../../harness/service.ts';
import { snapshot } from '../../harness/snapshot.ts';
import { type TestUpload, useUploads } from '../../harness/uploads.ts';
import type { Named } from '../../harness/world.ts';

jest.setTimeout(120_000);

const service = useService();
const world = usePackageWorld(service);
const { arrived, complete } = useUploads(service, world);

/** A file that is copied inside the store, and one that the service reads. */
const sizes = { large: 9 * 1024 * 1024, small: 1_000 } as const;
type Size = keyof typeof sizes;

/** The calls of a completion, in their order: one file at a time, so that there is an order. */
const calls = {
  large: { store: ['HEAD', 'POST', 'PUT', 'POST', 'DELETE'], table: 4 },
  small: { store: ['HEAD', 'GET', 'PUT', 'DELETE'], table: 4 },
} as const;

/** A call at which the function dies: before it arrives, or before its answer comes. */
interface Kill {
  readonly size: Size;
  readonly of: 'store' | 'table';
  readonly after: number;
  readonly fault: 'drop' | 'commit-then-drop';
}

const killsAt = (size: Size, of: Kill['of'], positions: readonly number[]): Kill[] =>
  positions.flatMap((after) => (['drop', 'commit-then-drop'] as const).map((fault) => ({ size, of, after, fault })));

/** The calls of the table, and the first and the last one of the store, are the same for both files. */
const kills = [
  ...killsAt('large', 'store', [0, 1, 2, 3, 4]),
  ...killsAt('small', 'store', [1, 2]),
  ...killsAt('small', 'table', [0, 1, 2, 3]),
];

/** `npm run test:uploads` meets all of them; `npm test` a third, others every day. */
const killsInTurn = kills.filter((_, at) => process.env.UPLOAD_KILLS === 'all' || (at + today) % 3 === 0);

/** Those after which bytes lie in the store that nothing refers to. */
const leavingBytes = kills.filter(({ size, after }) => (size === 'large' ? after === 2 || after === 3 : after === 3));

interface Attempt {
  readonly kill: Kill;
  readonly repository: Named;
  readonly upload: TestUpload;
  readonly bytes: Buffer;
}

const begin = async (kill: Kill): Promise<Attempt> => {
  const repository = await service.world.repository(world.workspace, undefined, 'universal');
  const bytes = randomBytes(sizes[kill.size]);
  return { kill, repository, bytes, upload: await arrived({ file: bytes }, { repository }) };
};

/** Completes a session while the function dies; returns what the client saw. */
const completeAndDie = async ({ kill: { of, after, fault }, upload, repository }: Attempt): Promise<number> => {
  if (of === 'store') service.store.inject({ fault, after });
  else service.proxy.inject({ fault, after, functionId: publishUpload.id });
  const { status } = await complete(upload.id, { repository });
  service.store.heal();
  service.proxy.heal();
  return status;
};

const filesOf = async ({ repository }: Attempt): Promise<number> => {
  const params = world.params({ repository: repository.id });
  return (await service.client.succeed(getRepositoryUsage, { params, as: world.admin.bearer })).files;
};

/** What a client downloads: nothing, or bytes. */
const downloaded = async ({ repository, upload }: Attempt): Promise<Buffer | undefined> => {
  const params = world.params({ repository: repository.id, path: `${upload.name}/1.0.0/file` });
  const answer = await service.client.attempt(getUniversalFile, { params, as: world.admin.bearer });
  if (answer.status === 404) return undefined;
  const { location } = answer.headers;
  return location === undefined ? Buffer.from(answer.text) : Buffer.from(await (await fetch(location)).arrayBuffer());
};

const expectNothingOrAll = async (attempt: Attempt): Promise<void> => {
  const bytes = await downloaded(attempt);
  const isWhole = attempt.kill.size === 'small' ? bytes !== undefined : bytes?.equals(attempt.bytes);
  expect({ ...attempt.kill, files: await filesOf(attempt), isWhole: isWhole ?? false }).toEqual({
    ...attempt.kill,
    files: bytes ? 1 : 0,
    isWhole: bytes !== undefined,
  });
};

const expectRetrySucceeds = async (attempt: Attempt): Promise<void> => {
  const { status } = await complete(attempt.upload.id, { repository: attempt.repository });
  expect({ ...attempt.kill, status, files: await filesOf(attempt) }).toEqual({
    ...attempt.kill,
    status: 201,
    files: 1,
  });
  await expectNothingOrAll(attempt);
};

const remove = async ({ repository, upload }: Attempt): Promise<unknown> =>
  service.client.succeed(deletePackage, {
    params: world.params({ repository: repository.id, package: upload.name }),
    as: world.admin.bearer,
  });

const sweepADayLater = async (): Promise<void> => {
  await passADay();
  expect(await service.runner.runScheduled('sweeper')).toBe(true);
};

const objects = async (prefix: string): Promise<string[]> => {
  const s3 = new S3Client({ endpoint: service.runner.storeUrl, forcePathStyle: true });
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: service.runner.bucket, Prefix: prefix }));
  s3.destroy();
  return Contents.map(({ Key = '' }) => Key);
};

const blobItems = async (): Promise<string[]> =>
  [...(await snapshot()).keys()].filter((key) => /^(?:BLOB#|SWEEPBLOBS)/.test(key));

describe('A completion whose function dies at a call', () => {
  it.each(['large', 'small'] as const)('makes the calls that are meant: %s', async (size) => {
    const attempt = await begin({ size, of: 'store', after: 0, fault: 'drop' });
    const { upload, repository } = attempt;
    service.store.forget();
    service.proxy.forget();
    expect((await complete(upload.id, { repository })).status).toBe(201);
    expect(service.store.calls.map(({ method }) => method)).toEqual(calls[size].store);
    expect(service.proxy.callsOf(publishUpload.id)).toHaveLength(calls[size].table);
    await remove(attempt);
  });

  it('publishes all or nothing, and the retry of the client succeeds', async () => {
    for (const kill of killsInTurn) {
      const attempt = await begin(kill);
      const status = await completeAndDie(attempt);
      // To remove what was staged is good to have.
      const isOver = kill.of === 'store' && kill.after === calls[kill.size].store.length - 1;
      expect({ ...kill, status }).toEqual({ ...kill, status: isOver ? 201 : 503 });
      await expectNothingOrAll(attempt);
      await expectRetrySucceeds(attempt);
      await remove(attempt);
    }
    await sweepADayLater();
    expect([await objects('blobs/'), await blobItems()]).toEqual([[], []]);
  });

  it('leaves nothing behind if nobody comes back within a day, and the retry still succeeds then', async () => {
    const attempts: Attempt[] = [];
    for (const kill of leavingBytes) {
      const attempt = await begin(kill);
      await completeAndDie(attempt);
      if (await downloaded(attempt)) await remove(attempt);
      else attempts.push(attempt);
    }
    expect(await blobItems()).not.toEqual([]);
    await sweepADayLater();
    expect([await objects('blobs/'), await blobItems()]).toEqual([[], []]);
    for (const attempt of attempts) await expectRetrySucceeds(attempt);
  });
});
