import { randomBytes } from 'node:crypto';
import { findStoredBlob, storeBlob } from '../../shared/packages/blobs/blob-storage.ts';
import { blobObjectKey } from '../../shared/store/keys.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { Table } from '../../shared/table/client.ts';
import { blobKey } from '../../shared/table/keys.ts';
import { referToBlob, releaseBlob } from '../../shared/table/packages/blobs.ts';
import { digestOf, newImage, useImages } from '../harness/images.ts';
import { loseObjects, storedBlobs, storedObjects } from '../harness/object-store.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { mirrorOf, useUpstream } from '../harness/upstream.ts';
import { uniqueName } from '../harness/world.ts';

jest.setTimeout(120_000);

const service = useService({ environment: { ALLOWED_PRIVATE_UPSTREAMS: '127.0.0.1,localhost' } });
const images = useImages(service);
const upstream = useUpstream();

const lose = async (workspaceId = images.setting.workspace.id): Promise<string[]> => {
  const keys = await storedBlobs(service, workspaceId);
  await loseObjects(service, keys);
  await service.runner.reload();
  return keys;
};

/** What a client is told that asks whether it must push. */
const headOf = async (path: string): Promise<number> => {
  const headers = [['Authorization', images.setting.admin.bearer]] as const;
  return (await service.client.raw({ method: 'HEAD', path: `${images.base()}/${path}`, headers })).status;
};

/** The client of the tests takes any 500 for a failure. */
const expectLost = async (answer: Promise<unknown>): Promise<void> => {
  await expect(answer).rejects.toThrow(/"status":500.*"code":"CONTENT_LOST"/);
};

describe('An image whose bytes the store has lost', () => {
  it('is an error, is pushed again because HEAD does not find it, and is whole then', async () => {
    const image = { ...newImage(), layers: ['small', randomBytes(300_000)] };
    const { manifest, digest } = await images.push('app', '1', image);
    const blobs = [image.config, ...image.layers].map((bytes) => `app/blobs/${digestOf(bytes)}`);
    const keys = await lose();
    expect(keys).toHaveLength(4);
    for (const path of [...blobs, 'app/manifests/1', `app/manifests/${digest}`]) {
      await expectLost(images.get(path));
      expect(await headOf(path)).toBe(404);
    }
    await images.push('app', '1', image);
    expect((await images.get('app/manifests/1')).text).toBe(manifest);
    for (const [at, path] of blobs.entries()) {
      expect([200, 302]).toContain(await headOf(path));
      expect(await storedObjects(service, `blobs/${images.setting.workspace.id}/`)).toContain(keys[at]);
    }
    expect(await brokenContent(service)).toEqual([]);
  });

  it('does not give its blobs to another image: the client must send them', async () => {
    const image = newImage();
    await images.push('origin', '1', image);
    const digest = digestOf(image.config);
    const from = `${images.setting.workspace.name}/${images.setting.repository.name}/origin`;
    const mount = async (name: string) =>
      (await images.send('POST', `${name}/blobs/uploads/?mount=${digest}&from=${encodeURIComponent(from)}`)).status;
    expect(await mount('first')).toBe(201);
    await lose();
    expect(await mount('second')).toBe(202);
    expect((await images.pushBlob('second', image.config)).status).toBe(201);
    expect((await images.get(`origin/blobs/${digest}`)).text).toBe(image.config);
  });

  it('is fetched anew by a remote repository', async () => {
    const image = newImage();
    const { manifest } = await images.push('mirrored', '1', image);
    upstream.answer = mirrorOf(service, upstream, images.setting.admin.bearer);
    const workspace = await service.world.workspace();
    const repository = await createRemote(service, workspace, {
      packageType: 'docker',
      remoteRepositoryUrl: upstream.url,
    });
    const name = `${images.setting.workspace.name}/${images.setting.repository.name}/mirrored`;
    const base = `/v2/${workspace.name}/${repository.name}/${name}`;
    const pull = async () => [
      (await images.get(`${base}/manifests/1`)).text,
      (await images.get(`${base}/blobs/${digestOf(image.config)}`)).text,
    ];
    expect(await pull()).toEqual([manifest, image.config]);
    const keys = await lose(workspace.id);
    expect(await pull()).toEqual([manifest, image.config]);
    expect(await storedBlobs(service, workspace.id)).toEqual(keys);
  });
});

describe('A life of a blob that soon ends', () => {
  it('is prolonged before its bytes are stored again, so that no sweep leaves them behind', async () => {
    const { id: workspaceId } = await service.world.workspace();
    const file = fileInMemory(Buffer.from(uniqueName('content')));
    const ref = await storeBlob(new Table(), workspaceId, file);
    await new Table().writeUnrecorded([referToBlob(ref)]);
    await new Table().writeUnrecorded(releaseBlob(ref));
    const key = blobKey(workspaceId, ref.sha256);
    const soon = new Date(Date.now() + 1_000).toISOString();
    await new Table().writeUnrecorded([{ update: key, set: 'SET #dueAt = :soon', values: { ':soon': soon } }]);
    await loseObjects(service, [blobObjectKey(ref)]);
    expect(await findStoredBlob(new Table(), workspaceId, ref.sha256)).toBeUndefined();
    expect(await storeBlob(new Table(), workspaceId, file)).toEqual(ref);
    const blob = (await new Table().read([key])).find(key);
    expect(blob?.dueAt && blob.dueAt > soon).toBe(true);
    expect(await findStoredBlob(new Table(), workspaceId, ref.sha256)).toBe(ref.objectId);
  });
});
