import { randomBytes } from 'node:crypto';
import { partBytesMin } from '../../functions/packages/upload-limits.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { Table } from '../../shared/table/client.ts';
import { uploadKey } from '../../shared/table/keys.ts';
import { beginRun } from '../../shared/table/packages/uploads.ts';
import { passADay } from '../harness/due-blobs.ts';
import { usePackageWorld } from '../harness/packages.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { type TestUpload, useUploads } from '../harness/uploads.ts';

const service = useService();
const world = usePackageWorld(service);
const { arrived, complete } = useUploads(service, world);
const functionId = 'verifier';

/** Two pieces, each of which is read, copied and noted by itself. */
const begin = async () => {
  const bytes = randomBytes(partBytesMin + 1_000);
  return { bytes, session: await arrived({ 'file.bin': bytes }, { partSizeInBytes: partBytesMin }) };
};

/** Lets the worker verify a session, as a request does that does not wait for it; returns whether it got to its end. */
const verify = async ({ id: uploadId }: TestUpload): Promise<boolean> => {
  const table = new Table();
  const key = uploadKey(uploadId);
  const session = (await table.read([key])).find(key);
  const runId = session && (await beginRun(table, uploadId, session));
  if (runId === undefined) throw new Error('Another run is going on.');
  service.proxy.forget();
  service.store.forget();
  return service.runner.invoke(functionId, { uploadId, runId }).then(
    () => true,
    () => false,
  );
};

/** Nobody renews the lease of a worker that ended: this is the time that it takes to be over. */
const endLease = async ({ id }: TestUpload): Promise<void> => {
  await new Table().writeUnrecorded([{ update: uploadKey(id), set: 'SET #runUntil = :past', values: { ':past': 0 } }]);
};

const downloaded = async ({ name }: TestUpload): Promise<Buffer> => {
  const params = world.params({ path: `${name}/1.0.0/file.bin` });
  const { headers } = await service.client.attempt(getUniversalFile, { params, as: world.admin.bearer });
  return Buffer.from(await (await fetch(String(headers.location))).arrayBuffer());
};

/** The pieces that were copied since the proxy forgot. */
const copiedPieces = (): number =>
  service.store.calls.filter(
    ({ method, key, status }) => method === 'PUT' && key.startsWith('blobs/') && status === 200,
  ).length;

/** A call at which the worker ends: before it arrives, or before its answer comes. */
interface Kill {
  readonly of: 'table' | 'store';
  readonly after: number;
  readonly isCommitted: boolean;
}

/** Runs the worker until a call; from then on no call gets through. */
const verifyAndDie = async (session: TestUpload, { of, after, isCommitted }: Kill): Promise<boolean> => {
  const proxy = { table: service.proxy, store: service.store }[of];
  const only = of === 'table' ? { functionId } : {};
  if (isCommitted) proxy.inject({ ...only, fault: 'commit-then-drop', after, times: 1 });
  proxy.inject({ ...only, fault: 'drop', after: isCommitted ? after + 1 : after });
  const isDone = await verify(session);
  service.proxy.heal();
  service.store.heal();
  await endLease(session);
  return isDone;
};

/** `npm run test:uploads` kills the worker at every call, before it and after it. */
const step = process.env.UPLOAD_KILLS === 'all' ? 1 : 9;

describe('A worker that is killed while it verifies an upload', () => {
  it('leaves nothing half done at whatever call, and the next completion publishes the file', async () => {
    const { session: first } = await begin();
    expect(await verify(first)).toBe(true);
    const killsAt = (of: Kill['of'], count: number): Kill[] =>
      Array.from({ length: 2 * count }, (_, each) => ({ of, after: each >> 1, isCommitted: each % 2 === 1 }));
    const all = [
      ...killsAt('table', service.proxy.callsOf(functionId).length),
      ...killsAt('store', service.store.calls.length),
    ];
    expect(all.length).toBeGreaterThan(30);
    const ended: boolean[] = [];
    for (const kill of all.filter((_, position) => position % step === 0)) {
      const { bytes, session } = await begin();
      const isDone = await verifyAndDie(session, kill);
      expect({ kill, broken: await brokenContent(service) }).toEqual({ kill, broken: [] });
      const { status } = await complete(session.id);
      const isWhole = (await downloaded(session)).equals(bytes);
      expect({ kill, status, isWhole }).toEqual({ kill, status: 201, isWhole: true });
      ended.push(isDone);
    }
    // Beside what it does only as well as it can, a worker does not get to its end when a call is lost.
    expect(ended.filter((isDone) => !isDone).length).toBeGreaterThan(ended.length / 2);
    expect(await brokenContent(service)).toEqual([]);
  }, 600_000);

  it('loses only the piece that it was at', async () => {
    const { bytes, session } = await begin();
    // The list and the completion of the parts, a look at both objects, the begin of the copy, the first piece.
    await verifyAndDie(session, { of: 'store', after: 7, isCommitted: false });
    const copied = copiedPieces();
    service.store.forget();
    expect((await complete(session.id)).status).toBe(201);
    expect([copied, copiedPieces()]).toEqual([1, 1]);
    expect((await downloaded(session)).equals(bytes)).toBe(true);
  });

  it('leaves bytes that are gone a day later, and the next completion stores them again', async () => {
    const { bytes, session } = await begin();
    expect(await verify(session)).toBe(true);
    await passADay();
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(await brokenContent(service)).toEqual([]);
    service.store.forget();
    expect((await complete(session.id)).status).toBe(201);
    expect(copiedPieces()).toBe(2);
    expect((await downloaded(session)).equals(bytes)).toBe(true);
  });

  it('is not waited for by a second worker with the same event, which does nothing', async () => {
    const { session } = await begin();
    const table = new Table();
    const key = uploadKey(session.id);
    const stored = (await table.read([key])).find(key);
    const runId = stored && (await beginRun(table, session.id, stored));
    const event = { uploadId: session.id, runId };
    service.store.forget();
    await Promise.all([service.runner.invoke(functionId, event), service.runner.invoke(functionId, event)]);
    expect(copiedPieces()).toBe(2);
    expect((await complete(session.id)).status).toBe(201);
  });
});
