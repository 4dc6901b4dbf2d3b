import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deleteUpload } from '../../../functions/packages/contracts.ts';
import { partBytesMin } from '../../../functions/packages/upload-limits.ts';
import { deleteRepository } from '../../../functions/repositories/contracts.ts';
import { updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { openUploadKey, uploadKey } from '../../../shared/table/keys.ts';
import { openSessions, openUploadBytes } from '../../../shared/table/packages/open-uploads.ts';
import { endUpload } from '../../../shared/table/packages/uploads.ts';
import { Race } from '../../harness/concurrency.ts';
import { bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { storedObjects } from '../../harness/object-store.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';
import { bytesOf, putPart, useUploads } from '../../harness/uploads.ts';

const service = useService();
const world = usePackageWorld(service);
const { begin, arrived, complete, urlsOf } = useUploads(service, world);

const remove = async (upload: string, as = world.admin.bearer) =>
  service.client.attempt(deleteUpload, { params: { workspace: world.workspace.id, upload }, as });

const used = async (): Promise<number> => openUploadBytes(new Table(), world.workspace.id);

const staged = async (id: string): Promise<readonly string[]> =>
  [...(await storedObjects(service, 'staging/'))].filter((key) => key.includes(id));

/** A deployer of a repository of its own, with a session there. */
const deployer = async () => {
  const repository = await service.world.repository(world.workspace, undefined, 'universal');
  const actor = await service.world.member(world.workspace);
  await service.world.grant(world.workspace, repository, actor, 'canDeploy');
  return { repository, actor, session: await begin({ 'file.txt': 'the file' }, { repository, as: actor.bearer }) };
};

/** A session as a request has found it that is about to end it. */
const found = async (uploadId: string) => {
  const all = await openSessions(new Table(), world.workspace.id);
  const open = all.find(({ item }) => item.uploadId === uploadId)?.item;
  if (!open) throw new Error(`The session ${uploadId} is not open.`);
  return open;
};

describe('DELETE /1/workspaces/{workspace}/uploads/{upload}', () => {
  itAnswers('200 to who created the session, whose bytes count no longer and are gone', async () => {
    const before = await used();
    const session = await arrived({ 'file.txt': 'the file' });
    expect([await used(), await staged(session.id)]).toEqual([before + 8, [expect.any(String)]]);
    const answer = await remove(session.id.toUpperCase());
    expect(answer.result).toEqual({ id: session.id, status: 'deleted' });
    expect([await used(), await staged(session.id)]).toEqual([before, []]);
    for (const later of [await complete(session.id), await urlsOf(session.id)])
      expect(later.code).toBe('UPLOAD_NOT_FOUND');
    return answer;
  });

  it('ends what is sent in parts, of which no other one arrives', async () => {
    const bytes = randomBytes(partBytesMin + 1_000);
    const { id, files } = await begin({ 'file.bin': bytes }, { partSizeInBytes: partBytesMin });
    const [one, two] = files[0]?.parts ?? [];
    if (!one || !two) throw new Error('The file is not sent in two parts.');
    expect((await putPart(one, bytesOf(one, bytes))).status).toBe(200);
    expect((await remove(id)).status).toBe(200);
    expect((await putPart(two, bytesOf(two, bytes))).status).toBe(404);
  });

  itAnswers(
    '200 to a Workspace Admin, also when the repository is gone, and when the session can be completed no more',
    async () => {
      const before = await used();
      const [one, two] = [await deployer(), await deployer()];
      const admin = await service.world.member(world.workspace, 'admin');
      const params = { workspace: world.workspace.id, repository: one.repository.id };
      await service.client.succeed(deleteRepository, { params, as: admin.bearer });
      await new Table().writeUnrecorded([{ remove: uploadKey(two.session.id) }]);
      expect(await used()).toBe(before + 16);
      const answers = [await remove(one.session.id, admin.bearer), await remove(two.session.id, admin.bearer)];
      expect(await used()).toBe(before);
      return answers;
    },
  );

  it('makes room in a workspace that a session fills', async () => {
    const limit = async (storageLimit: number | null) => {
      const params = { workspace: world.workspace.id };
      await service.client.succeed(updateWorkspace, { params, body: { storageLimit }, as: world.admin.bearer });
    };
    const { id } = await begin({ file: Buffer.alloc(1_000_000) });
    await limit(1_000_000);
    expect((await world.attempt('blocked/1.0.0/file')).code).toBe('QUOTA_EXCEEDED');
    expect((await remove(id)).status).toBe(200);
    await world.publish('blocked/1.0.0/file');
    await limit(null);
  });

  itAnswers('404 UPLOAD_NOT_FOUND to others, and for one that was published or deleted before', async () => {
    const { actor, session } = await deployer();
    const other = await service.world.member(world.workspace);
    const machine = await service.world.workspaceToken(world.workspace, 'canManage');
    const published = await arrived({ 'file.txt': 'the file' });
    expect((await complete(published.id)).status).toBe(201);
    const before = await used();
    const refused = [
      await remove(session.id, other.bearer),
      await remove(session.id, machine.bearer),
      await remove(published.id),
      await remove('0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11'),
      await remove('none'),
    ];
    expect(new Set(refused.map(({ problem }) => problem?.detail)).size).toBe(1);
    expect([(await complete(published.id)).status, await used()]).toEqual([201, before]);
    expect((await remove(session.id, actor.bearer)).status).toBe(200);
    return [...refused, await remove(session.id, actor.bearer)];
  });

  itAnswers('404 UPLOAD_NOT_FOUND to a token with limits that leave out the repository, or to publish', async () => {
    const { actor, repository, session } = await deployer();
    const { id: workspace } = world.workspace;
    const within = async (limits: Parameters<typeof service.world.token>[2]) =>
      remove(session.id, bearerHeader((await service.world.token(actor, null, limits)).token));
    const refused = [
      await within({ workspaces: { [workspace]: [world.repository.id] } }),
      await within({ level: 'canView' }),
    ];
    expect((await within({ workspaces: { [workspace]: [repository.id] }, level: 'canDeploy' })).status).toBe(200);
    return refused;
  });

  it('publishes a session or ends it, when both are asked at once, and gives its bytes back once', async () => {
    const race = new Race('Deletion of a session against its completion', 'deleted', 'published');
    for (let round = 0; round < 12; round += 1) {
      const before = await used();
      const session = await arrived({ 'file.txt': `the file ${round}`, 'large.bin': randomBytes(100_000) });
      const [ended, done] = await Promise.all([
        race.start(0, async () => remove(session.id)),
        race.start(1, async () => complete(session.id)),
      ]);
      const isDeleted = ended.status === 200;
      if (!isDeleted) expect([ended.code, done.status]).toEqual(['UPLOAD_NOT_FOUND', 201]);
      // A file that goes while it is read is a failure of the store.
      else if (done.code !== 'SERVICE_UNAVAILABLE') expect(done.code).toBe('UPLOAD_NOT_FOUND');
      expect((await complete(session.id)).code).toBe(isDeleted ? 'UPLOAD_NOT_FOUND' : undefined);
      const isThere = (await world.statusOf(`${session.name}/1.0.0/file.txt`)) === 200;
      expect([isThere, await used()]).toEqual([!isDeleted, before]);
      race.won(isDeleted ? 0 : 1);
    }
    race.report();
  });

  itAnswers('404 UPLOAD_NOT_FOUND to a completion that looks for the files when they are gone', async () => {
    const { id } = await arrived({ 'file.txt': 'the file' });
    service.store.forget();
    service.store.inject({ fault: 'hang', method: 'HEAD', keyPrefix: 'staging/', times: 1 });
    const completing = complete(id);
    while (service.store.calls.length === 0) await pause(5);
    expect((await remove(id)).status).toBe(200);
    const answer = await completing;
    service.store.heal();
    return answer;
  });

  it('changes nothing when the session was published, was refused or expired meanwhile', async () => {
    const published = await arrived({ 'file.txt': 'the file' });
    const [open, before] = [await found(published.id), await used()];
    expect((await complete(published.id)).status).toBe(201);
    expect(await endUpload(new Table(), open)).toBe(false);
    expect([(await complete(published.id)).status, await used()]).toEqual([201, before - 8]);

    const repository = await service.world.repository(world.workspace, undefined, 'helm');
    const noChart = await arrived({ 'chart-1.0.0.tgz': 'no chart' }, { repository, isNamed: false });
    const failing = await found(noChart.id);
    const refused = await complete(noChart.id, { repository });
    expect(refused.status).toBe(400);
    expect(await endUpload(new Table(), failing)).toBe(false);
    expect((await complete(noChart.id, { repository })).problem?.detail).toBe(refused.problem?.detail);

    // Another one has the slot of a session that has expired.
    const expired = await begin({ 'file.txt': 'the file' });
    const { slot, owner, ...place } = await found(expired.id);
    const next = { uploadId: published.id, bytes: 30, expiresAt: place.expiresAt };
    const key = openUploadKey(owner.workspaceId, owner.actorId, 'session', slot);
    await new Table().writeUnrecorded([{ put: { ...key, ...next } }]);
    expect(await endUpload(new Table(), { ...place, slot, owner })).toBe(false);
    expect(await used()).toBe(before - 8 + 30);
  });
});
