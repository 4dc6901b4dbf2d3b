import { randomBytes, randomUUID } from 'node:crypto';
import { createUpload } from '../../functions/packages/contracts.ts';
import { partBytesMin } from '../../functions/packages/upload-limits.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { Table } from '../../shared/table/client.ts';
import { openUploadKey } from '../../shared/table/keys.ts';
import { openUploadBytes, type UploadKind } from '../../shared/table/packages/open-uploads.ts';
import { useImages } from '../harness/images.ts';
import { storedObjects } from '../harness/object-store.ts';
import { usePackageWorld } from '../harness/packages.ts';
import { useService } from '../harness/service.ts';
import { announced, bytesOf, putPart, useUploads } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const world = usePackageWorld(service);
const uploads = useUploads(service, world);
const images = useImages(service);

const limit = async ({ id }: Named, storageLimit: number | null): Promise<void> => {
  const body = { storageLimit };
  await service.client.succeed(updateWorkspace, { params: { workspace: id }, body, as: world.admin.bearer });
};

const used = async ({ id }: Named): Promise<number> => openUploadBytes(new Table(), id);

const append = async (location: string, body: string | Uint8Array) => images.send('PATCH', location, { body });

/** The last of two parts is shorter. */
const twoParts = randomBytes(partBytesMin + 900);

describe('What was sent to an open upload counts towards the storage limit:', () => {
  afterEach(async () => {
    await limit(world.workspace, null);
    await limit(images.setting.workspace, null);
  });

  it('sessions that are only announced, until they are published', async () => {
    const before = await used(world.workspace);
    const contents = { 'file.bin': 'x'.repeat(900) };
    await limit(world.workspace, 1_000 + before);
    const session = await uploads.arrived(contents);
    expect(await used(world.workspace)).toBe(before + 900);
    await expect(uploads.begin(contents)).rejects.toThrow(
      `${before + 900} of ${before + 1_000} bytes are used, and 900 more were sent. 0 of them are files, 0 metadata of versions, and ${before + 900} open uploads.`,
    );
    expect((await uploads.complete(session.id)).status).toBe(201);
    expect(await used(world.workspace)).toBe(before);
    await expect(uploads.begin(contents)).rejects.toThrow('900 of them are files, 0 metadata of versions');
  });

  it.each([
    ['another file than was announced', 'universal', 'file.bin', Buffer.alloc],
    ['a file that is no chart', 'helm', 'chart-1.0.0.tgz', () => twoParts],
  ] as const)('sessions until they end with %s', async (_, packageType, name, sentOf) => {
    const repository = await service.world.repository(world.workspace, undefined, packageType);
    const options = { repository, isNamed: packageType === 'universal', partSizeInBytes: partBytesMin };
    const before = await used(world.workspace);
    await limit(world.workspace, before + twoParts.length + 1_000);
    const session = await uploads.begin({ [name]: twoParts }, options);
    const sent = sentOf(twoParts.length);
    for (const part of session.files.flatMap(({ parts }) => parts)) await putPart(part, bytesOf(part, sent));
    expect(await used(world.workspace)).toBe(before + twoParts.length);
    const refused = await uploads.complete(session.id, { repository });
    expect(refused.status).toBe(400);
    expect(await used(world.workspace)).toBe(before);
    expect([...(await storedObjects(service, 'staging/'))].filter((key) => key.includes(session.id))).toEqual([]);
    const again = await uploads.complete(session.id, { repository });
    expect([again.status, again.problem?.detail]).toEqual([400, refused.problem?.detail]);
    await uploads.begin({ [name]: twoParts }, options);
  });

  it('pieces of a blob, which are refused before they are stored', async () => {
    const { workspace } = images.setting;
    const bytes = randomBytes(300);
    await limit(workspace, 1_000);
    let location = await images.begin('limited');
    for (const piece of [bytes, bytes, bytes]) location = images.locationOf(await append(location, piece));
    expect(await used(workspace)).toBe(900);
    const stored = await storedObjects(service, 'staging/');
    const refused = await append(location, bytes);
    expect([refused.status, refused.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    expect(await storedObjects(service, 'staging/')).toEqual(stored);
    // Its own bytes are counted once: as those of the upload, and then as those of the blob.
    expect((await images.complete(location, Buffer.concat([bytes, bytes, bytes]))).status).toBe(201);
    expect(await used(workspace)).toBe(0);
    await limit(workspace, 800);
    expect((await images.send('POST', 'limited/blobs/uploads/')).code).toBe('QUOTA_EXCEEDED');
  });
});

describe('What nothing needs any more is removed from the staging area', () => {
  const staged = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await storedObjects(service, 'staging/');
    await work();
    return [...(await storedObjects(service, 'staging/'))].filter((key) => !before.has(key)).length;
  };

  it('when a blob is complete, when its upload is ended, and when its pieces are merged', async () => {
    const small = [randomBytes(4_400_000), randomBytes(4_400_000)] as const;
    let location = await images.begin('pieces');
    expect(
      await staged(async () => {
        for (const piece of small) location = images.locationOf(await append(location, piece));
      }),
    ).toBe(1);
    const before = await storedObjects(service, 'staging/');
    location = images.locationOf(await append(location, 'the end'));
    expect((await images.complete(location, Buffer.concat([...small, Buffer.from('the end')]))).status).toBe(201);
    const after = await storedObjects(service, 'staging/');
    expect([...before].filter((key) => !after.has(key))).toHaveLength(1);
    expect(
      await staged(async () => {
        const begun = images.locationOf(await append(await images.begin('pieces'), 'some bytes'));
        expect((await images.remove(begun)).status).toBe(204);
      }),
    ).toBe(0);
  });

  it('when another request has continued the upload first', async () => {
    const begun = await images.begin('raced');
    const left = await staged(async () =>
      Promise.all(['one', 'two', 'six'].map(async (bytes) => append(begun, bytes))),
    );
    expect(left).toBe(1);
  });
});

/** Begins uploads in all slots of an actor but some. */
const fill = async (workspace: Named, actor: Actor, kind: UploadKind, count: number, end = 7_200): Promise<void> => {
  const now = Math.floor(Date.now() / 1_000);
  for (let from = 0; from < count; from += 50)
    await new Table().writeUnrecorded(
      Array.from({ length: Math.min(50, count - from) }, (_, at) => ({
        put: {
          ...openUploadKey(workspace.id, actor.userId, kind, from + at),
          uploadId: from + at === 0 ? 'the-oldest' : randomUUID(),
          bytes: 1,
          expiresAt: now + end + from + at,
        },
      })),
    );
};

describe('An actor has at most 100 open sessions in a workspace', () => {
  const announcement = { packageName: 'tool', packageVersion: '1.0.0', files: [announced('file', 'x')] };
  const create = async (workspace: Named, repository: Named, as: Actor) =>
    service.client.attempt(createUpload, {
      params: { workspace: workspace.id, repository: repository.id },
      body: announcement,
      as: as.bearer,
    });
  const setting = async () => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace, uniqueName(), 'universal');
    return { workspace, repository, actor: await service.world.systemAdmin() };
  };

  it('of all that are begun at once; the refusal names the oldest, and another actor begins more', async () => {
    const { workspace, repository, actor } = await setting();
    await fill(workspace, actor, 'session', 96);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => create(workspace, repository, actor)));
    expect(
      answers
        .map(({ status }) => String(status))
        .toSorted()
        .join(' '),
    ).toBe('201 201 201 201 403 403 403 403');
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.problem?.detail).toMatch(
      /^You have 100 open uploads in this workspace, and may have 100\. Complete those that you have begun, the oldest first: the-oldest, .* the next one at 20\d\d-/,
    );
    const other = await service.world.member(workspace, 'admin');
    expect((await create(workspace, repository, other)).status).toBe(201);
  });

  it('and not counted are those that have ended by themselves', async () => {
    const { workspace, repository, actor } = await setting();
    await fill(workspace, actor, 'session', 100, -200);
    expect(await used(workspace)).toBe(0);
    expect((await create(workspace, repository, actor)).status).toBe(201);
    await fill(workspace, actor, 'session', 100, -200);
    await fill(workspace, actor, 'session', 100);
    expect((await create(workspace, repository, actor)).code).toBe('QUOTA_EXCEEDED');
  });

  it('and 1,000 of images, because an image has many layers', async () => {
    const { workspace, admin } = images.setting;
    await fill(workspace, admin, 'image', 1_000);
    const { status, code, problem } = await images.send('POST', 'many/blobs/uploads/');
    expect([status, code]).toEqual([403, 'QUOTA_EXCEEDED']);
    expect(problem?.detail).toContain('You have 1000 open uploads in this workspace, and may have 1000.');
  });
});
