import { randomBytes } from 'node:crypto';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import { getUniversalFile, publishUniversalFile } from '../../functions/universal/contracts.ts';
import { Table } from '../../shared/table/client.ts';
import { blobKey } from '../../shared/table/keys.ts';
import { type Blob, endBlob, listDueBlobs } from '../../shared/table/packages/blobs.ts';
import { sha256 } from '../harness/bytes.ts';
import { passADay } from '../harness/due-blobs.ts';
import { packumentOf } from '../harness/npm.ts';
import { storedObjects } from '../harness/object-store.ts';
import { useRemoteClient } from '../harness/remote-repositories.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { refusing, serving } from '../harness/upstream.ts';
import type { Named } from '../harness/world.ts';

const { service, upstream, setting, remote, get } = useRemoteClient();

const path = 'tool/1.0.0/tool.bin';
const newBytes = (size = 100): Buffer => Buffer.from(randomBytes(size).toString('hex').slice(0, size));

const newRemote = async (): Promise<Named> => remote({ packageType: 'universal' });
const read = async (repository: Named) => {
  const { status, text } = await get(getUniversalFile, 'universal', repository, path);
  return { status, text };
};
const served = (bytes: Buffer) => ({ status: 200, text: bytes.toString() });

/** Lets the upstream have these bytes, and a new repository keep them. */
const fetched = async (bytes: Buffer): Promise<Named> => {
  upstream.answer = serving(bytes);
  const repository = await newRemote();
  expect(await read(repository)).toEqual(served(bytes));
  return repository;
};

/** What a repository keeps, read by a new process while the upstream has nothing. */
const readKept = async (repository: Named) => {
  await service.runner.reload();
  upstream.answer = refusing(404);
  return read(repository);
};

const publish = async (bytes: Buffer): Promise<Named> => {
  const local = await service.world.repository(setting.workspace, undefined, 'universal');
  const params = { workspace: setting.workspace.id, repository: local.id, path };
  const sent = { content: bytes, mediaType: 'application/octet-stream' };
  const as = setting.admin.bearer;
  expect((await service.client.attempt(publishUniversalFile, { params, bytes: sent, as })).status).toBe(201);
  return local;
};

const empty = async ({ id: repository }: Named): Promise<unknown> => {
  const params = { workspace: setting.workspace.id, repository };
  return service.client.succeed(deleteContent, { params, as: setting.admin.bearer });
};

const blobOf = async (bytes: Uint8Array): Promise<Blob | undefined> => {
  const key = blobKey(setting.workspace.id, sha256(bytes));
  return (await new Table().read([key])).find(key);
};
const objectsOf = async (bytes: Uint8Array): Promise<number> =>
  [...(await storedObjects(service))].filter((key) => key.includes(sha256(bytes))).length;

const sweep = async (): Promise<void> => expect(await service.runner.runScheduled('sweeper')).toBe(true);

/** Lets nothing refer to the bytes any more, and the sweeper begin to delete them. */
const beginDeletion = async (repository: Named, bytes: Uint8Array): Promise<void> => {
  await empty(repository);
  await sweep();
  await passADay();
  for (const due of await listDueBlobs(new Table(), 1_000))
    if (due.sha256 === sha256(bytes)) await endBlob(new Table(), due);
  expect((await blobOf(bytes))?.state).toBe('deleting');
};

describe('Bytes from an upstream that an item can keep', () => {
  afterEach(async () => expect(await brokenContent(service)).toEqual([]));

  it.each([
    ['8 KiB', 8_192, 0],
    ['a byte more', 8_193, 1],
  ])('have no object, up to 8 KiB: %s', async (_, size, objects) => {
    const bytes = newBytes(size);
    const repository = await fetched(bytes);
    expect(await objectsOf(bytes)).toBe(objects);
    expect(await readKept(repository)).toEqual(served(bytes));
  });

  it('are kept once for all repositories of the workspace, as long as one of them has them', async () => {
    const bytes = newBytes();
    const [one, other] = [await fetched(bytes), await fetched(bytes)];
    expect((await blobOf(bytes))?.references).toBe(2);
    await empty(one);
    await sweep();
    await passADay();
    await sweep();
    expect(await readKept(other)).toEqual(served(bytes));
    await empty(other);
    await sweep();
    await passADay();
    await sweep();
    expect(await blobOf(bytes)).toBeUndefined();
  });

  it('are taken from their object, if the workspace has them already', async () => {
    const bytes = newBytes();
    await publish(bytes);
    const repository = await fetched(bytes);
    expect((await blobOf(bytes))?.content).toBeUndefined();
    expect(await objectsOf(bytes)).toBe(1);
    expect(await readKept(repository)).toEqual(served(bytes));
  });

  it('serve a publish of the same, too', async () => {
    const bytes = newBytes();
    await fetched(bytes);
    const local = await publish(bytes);
    expect(await objectsOf(bytes)).toBe(0);
    expect(await readKept(local)).toEqual(served(bytes));
  });

  it('get an object while the sweeper deletes the item', async () => {
    const bytes = newBytes();
    await beginDeletion(await fetched(bytes), bytes);
    const repository = await fetched(bytes);
    expect(await objectsOf(bytes)).toBe(1);
    await sweep();
    expect(await readKept(repository)).toEqual(served(bytes));
  });

  it('may be a document, which gets an object in the same case', async () => {
    upstream.answer = serving(JSON.stringify(packumentOf(upstream.url, 'left-pad', { '1.0.0': {} })));
    const kept = async (): Promise<Named> => {
      const repository = await remote({ packageType: 'npm' });
      expect((await get(getNpmDocument, 'npm', repository, 'left-pad')).status).toBe(200);
      return repository;
    };
    const before = await storedObjects(service);
    const first = await kept();
    expect(await storedObjects(service)).toEqual(before);
    await empty(first);
    await sweep();
    await passADay();
    for (const due of await listDueBlobs(new Table(), 1_000)) await endBlob(new Table(), due);
    const second = await kept();
    expect((await storedObjects(service)).size).toBe(before.size + 1);
    await sweep();
    await service.runner.reload();
    upstream.answer = refusing(503);
    expect((await get(getNpmDocument, 'npm', second, 'left-pad')).status).toBe(200);
  });
});
