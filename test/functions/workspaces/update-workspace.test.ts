import { randomUUID } from 'node:crypto';
import { deletePackage } from '../../../functions/packages/contracts.ts';
import { publishUniversalFile } from '../../../functions/universal/contracts.ts';
import { createWorkspace, getWorkspace, updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);

const update = (body: unknown, as = world.admin.bearer) =>
  service.client.attempt(updateWorkspace, { params: { workspace: world.workspace.id }, body, as });

const get = () =>
  service.client.succeed(getWorkspace, { params: { workspace: world.workspace.id }, as: world.admin.bearer });

describe('PATCH /1/workspaces/{workspace}', () => {
  itAnswers('200 with the new limits and the usage, which the next read shows', async () => {
    await world.publish('used/1.0.0/file', '123456');
    const answer = await update({ storageLimit: 100, packageLimit: 7, bandwidthLimit: null, comments: 'Limited' });
    expect(answer.result).toMatchObject({
      comments: 'Limited',
      repositoryCount: 1,
      storageUsageInByte: 6,
      storageLimitInByte: 100,
      packageUsage: 1,
      packageLimit: 7,
    });
    expect(await get()).toEqual(answer.result);
    return answer;
  });

  itAnswers('200 with comments that the client calls comment, also for null', async () => {
    const changed = await update({ comment: 'Builds' });
    expect(changed.result).toMatchObject({ comments: 'Builds' });
    expect(changed.result).not.toHaveProperty('comment');
    const cleared = await update({ comment: null });
    expect(cleared.result).toMatchObject({ comments: '' });
    expect(await get()).toEqual(cleared.result);
    return [changed, cleared];
  });

  itAnswers('400 REQUEST_INVALID with both names of the comments, which then stay', async () => {
    await update({ comments: 'Builds' });
    const both = await update({ comments: 'one', comment: 'two' });
    expect(both.problem?.errors).toEqual(['comment is another name of comments: send one of them.']);
    expect(await get()).toMatchObject({ comments: 'Builds' });
    return [both, await update({ comment: 'x'.repeat(51) })];
  });

  it('keeps what is absent, and clears by null', async () => {
    await update({ storageLimit: 100, packageLimit: 7, comments: 'Limited' });
    expect((await update({})).result).toMatchObject({ storageLimitInByte: 100, packageLimit: 7, comments: 'Limited' });
    const { result } = await update({ storageLimit: null, comments: null });
    expect(result).toMatchObject({ storageLimitInByte: null, packageLimit: 7, comments: '' });
    expect(await get()).toEqual(result);
  });

  itAnswers(
    '403 QUOTA_EXCEEDED to a publish beyond the storage limit, with the figures, until there is room',
    async () => {
      const { storageUsageInByte: used } = await get();
      await update({ storageLimit: used + 10, packageLimit: null });
      await world.publish('room/1.0.0/file', '1234567');
      const refused = await world.attempt('room/1.0.0/other', '1234');
      expect(refused.problem?.detail).toContain(`${used + 7} of ${used + 10} bytes`);
      expect(refused.problem?.detail).toMatch(
        /\. Delete packages or versions that nobody needs, end upload sessions that nobody goes on with, or ask a System Admin for a higher limit\.$/,
      );
      const params = world.params({ package: 'room' });
      await service.client.succeed(deletePackage, { params, as: world.admin.bearer });
      await world.publish('other-room/1.0.0/file', '12345678');
      return refused;
    },
  );

  itAnswers('403 QUOTA_EXCEEDED to a new package beyond the package limit, and none to one that is there', async () => {
    await update({ storageLimit: null });
    await world.publish('there/1.0.0/file');
    const { packageUsage } = await get();
    await update({ packageLimit: packageUsage });
    await world.publish('there/2.0.0/file');
    const refused = await world.attempt('one-more/1.0.0/file');
    expect(refused.problem?.detail).toContain(`${packageUsage} of ${packageUsage} packages`);
    expect(refused.problem?.detail).toMatch(
      /\. Delete packages or versions that nobody needs, or ask a System Admin for a higher limit\.$/,
    );
    await update({ packageLimit: null });
    return refused;
  });

  itAnswers('403 QUOTA_EXCEEDED to the first package and to the first byte where the limit is 0', async () => {
    const { world: made, client } = service;
    const answers = [];
    for (const [limits, shown] of [
      [{ packageLimit: 0 }, { packageLimit: 0, storageLimitInByte: null }],
      [{ storageLimit: 0 }, { packageLimit: null, storageLimitInByte: 0 }],
    ] as const) {
      const body = { name: uniqueName(), ...limits };
      const created = await client.succeed(createWorkspace, { body, as: world.admin.bearer });
      expect(created).toMatchObject(shown);
      const repository = await made.repository(created, undefined, 'universal');
      const params = { workspace: created.id, repository: repository.id, path: 'tool/1.0.0/file' };
      const bytes = { content: 'x', mediaType: 'application/octet-stream' };
      const publish = async () => client.attempt(publishUniversalFile, { params, bytes, as: world.admin.bearer });
      answers.push(await publish());
      // Null, and not 0, is no limit.
      const none = { storageLimit: null, packageLimit: null };
      await client.succeed(updateWorkspace, { params: { workspace: created.id }, body: none, as: world.admin.bearer });
      expect((await publish()).status).toBe(201);
      const cleared = { params: { workspace: created.id }, body: limits, as: world.admin.bearer };
      expect((await client.attempt(updateWorkspace, cleared)).result).toMatchObject(shown);
      const next = { ...params, path: 'other/1.0.0/file' };
      answers.push(await client.attempt(publishUniversalFile, { params: next, bytes, as: world.admin.bearer }));
    }
    return answers;
  });

  itAnswers('201 to a creation with limits, which the record shows', async () => {
    const body = { name: uniqueName(), storageLimit: 5, packageLimit: null, bandwidthLimit: null };
    const answer = await service.client.attempt(createWorkspace, { body, as: world.admin.bearer });
    expect(answer.result).toMatchObject({
      storageUsageInByte: 0,
      storageLimitInByte: 5,
      packageUsage: 0,
      packageLimit: null,
    });
    const params = { workspace: answer.result?.id ?? '' };
    expect(await service.client.succeed(getWorkspace, { params, as: world.admin.bearer })).toEqual(answer.result);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for what is no limit, for a bandwidth limit and for the name', async () => {
    const answers = await Promise.all(
      [
        { storageLimit: -1 },
        { packageLimit: '1' },
        { storageLimit: 1.5 },
        { bandwidthLimit: 1 },
        { name: 'other' },
      ].map((body) => update(body)),
    );
    expect(answers[3]?.problem?.detail).toContain('this service does not limit bandwidth');
    return answers;
  });

  itAnswers('404 WORKSPACE_NOT_FOUND to who does not see it, as for one that does not exist', async () => {
    const { bearer } = await service.world.user();
    const unseen = await update({ comments: 'Mine' }, bearer);
    const params = { workspace: randomUUID() };
    const unknown = await service.client.attempt(updateWorkspace, { params, body: { comments: 'Mine' }, as: bearer });
    expect({ ...unseen.problem, requestId: '' }).toEqual({ ...unknown.problem, requestId: '' });
    return [unseen, unknown];
  });

  itAnswers('403 FORBIDDEN for a Workspace Admin', async () =>
    update({ storageLimit: null }, (await service.world.member(world.workspace, 'admin')).bearer),
  );
});
