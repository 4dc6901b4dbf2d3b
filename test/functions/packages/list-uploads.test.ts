import { randomUUID } from 'node:crypto';
import { listUploads } from '../../../functions/packages/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { openUploadKey } from '../../../shared/table/keys.ts';
import { bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { type Query, rowsOf, walkPages } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import { useUploads } from '../../harness/uploads.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);
const { begin, arrived, complete } = useUploads(service, world);

const daySeconds = 86_400;

const ask = async (as: string, query: Query = {}) =>
  service.client.attempt(listUploads, { params: { workspace: world.workspace.id }, query, as });

const idsOf = async (as: string): Promise<readonly string[]> => rowsOf<Named>(await ask(as)).map(({ id }) => id);

/** Puts uploads of an actor into slots, as if they had begun so many seconds ago. */
const put = async (actorId: string, kind: 'session' | 'image', uploadIds: readonly string[], age = 0) =>
  new Table().writeUnrecorded(
    uploadIds.map((uploadId, slot) => ({
      put: {
        ...openUploadKey(world.workspace.id, actorId, kind, slot),
        uploadId,
        bytes: 7,
        expiresAt: Math.floor(Date.now() / 1_000) + 2 * daySeconds - age,
      },
    })),
  );

const idOf = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;

describe('GET /1/workspaces/{workspace}/uploads', () => {
  itAnswers('200 to an admin with who announced how much, for which repository, and until when it counts', async () => {
    const deployer = await service.world.member(world.workspace);
    await service.world.grant(world.workspace, world.repository, deployer, 'canDeploy');
    const start = Date.now();
    const { id } = await begin({ one: '123', two: '4567' }, { as: deployer.bearer });
    const admin = await service.world.member(world.workspace, 'admin');
    const answer = await ask(admin.bearer);
    const [session] = rowsOf<{ createdAt: string; countsUntil: string }>(answer);
    expect(answer.result).toEqual([
      {
        id,
        sizeInBytes: 7,
        actor: { kind: 'user', id: deployer.userId, name: deployer.username, tokenId: deployer.tokenId },
        repositoryId: world.repository.id,
        createdAt: session?.createdAt,
        countsUntil: session?.countsUntil,
      },
    ]);
    const createdAt = Date.parse(String(session?.createdAt));
    expect(Math.abs(createdAt - start)).toBeLessThan(10_000);
    expect(Date.parse(String(session?.countsUntil)) - createdAt).toBe(2 * daySeconds * 1_000);
    return answer;
  });

  it('shows others their own, until they are published', async () => {
    const member = await service.world.member(world.workspace);
    await service.world.grant(world.workspace, world.repository, member, 'canDeploy');
    const machine = await service.world.workspaceToken(world.workspace, 'canDeploy', [world.repository]);
    const [one, two] = [
      await arrived({ file: 'x' }, { as: member.bearer }),
      await begin({ file: 'x' }, { as: machine.bearer }),
    ];
    expect(await idsOf(member.bearer)).toEqual([one.id]);
    expect(await idsOf(machine.bearer)).toEqual([two.id]);
    expect(await idsOf((await service.world.member(world.workspace)).bearer)).toEqual([]);
    expect(await idsOf(world.admin.bearer)).toEqual(expect.arrayContaining([one.id, two.id]));
    expect((await complete(one.id, { as: member.bearer })).status).toBe(201);
    expect(await idsOf(member.bearer)).toEqual([]);
    expect(await idsOf(world.admin.bearer)).not.toContain(one.id);
  });

  it('shows a token with limits what it could have announced', async () => {
    const user = await service.world.member(world.workspace);
    const other = await service.world.repository(world.workspace, undefined, 'universal');
    for (const repository of [world.repository, other])
      await service.world.grant(world.workspace, repository, user, 'canDeploy');
    const one = await begin({ file: 'x' }, { as: user.bearer });
    const two = await begin({ file: 'x' }, { as: user.bearer, repository: other });
    const { id: workspace } = world.workspace;
    const seen = async (limits: Parameters<typeof service.world.token>[2]) =>
      (await idsOf(bearerHeader((await service.world.token(user, null, limits)).token))).toSorted();
    expect(await seen({ workspaces: { [workspace]: [other.id] } })).toEqual([two.id]);
    expect(await seen({ workspaces: { [workspace]: null }, readOnly: true })).toEqual([one.id, two.id].toSorted());
    expect(await seen({ level: 'canView' })).toEqual([]);
  });

  it('has what an earlier release began, in pages too, and neither images nor what has ended', async () => {
    const { id: workspaceId } = await service.world.workspace();
    const { userId, bearer } = await service.world.member(world.workspace);
    await put(userId, 'image', [idOf(8)]);
    await put(userId, 'session', [idOf(0), idOf(1), idOf(2)]);
    await put(workspaceId, 'session', [idOf(9)], 2 * daySeconds);
    for (const limit of [1, 2, 3])
      expect((await walkPages<Named>((query) => ask(bearer, query), { limit })).flat().map(({ id }) => id)).toEqual(
        [0, 1, 2].map(idOf),
      );
    const pages = await walkPages<Named & { actor: unknown }>((query) => ask(world.admin.bearer, query), { limit: 1 });
    const ids = pages.flat().map(({ id }) => id);
    expect(ids).toEqual(await idsOf(world.admin.bearer));
    expect(ids.filter((id) => id.startsWith('00000000'))).toEqual([0, 1, 2].map(idOf));
    expect(pages.flat().find(({ id }) => id === idOf(0))).toMatchObject({ actor: null, repositoryId: null });
  });

  itAnswers('400 LIST_TOO_LONG for more than 5,000 at once, which pages show', async () => {
    const actors = Array.from({ length: 51 }, () => randomUUID());
    for (const actor of actors)
      await put(
        actor,
        'session',
        Array.from({ length: 99 }, () => randomUUID()),
      );
    const pages = await walkPages<Named>((query) => ask(world.admin.bearer, query), { limit: 1_000 });
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBeGreaterThan(5_000);
    return ask(world.admin.bearer);
  });
});
