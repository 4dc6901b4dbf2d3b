import { randomUUID } from 'node:crypto';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { environment } from '../../shared/config.ts';
import { Table } from '../../shared/table/client.ts';
import { leaveWorkerSlot, takeWorkerSlot } from '../../shared/table/packages/worker-slots.ts';
import { createRemote } from '../harness/repositories.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { trickling, useUpstream } from '../harness/upstream.ts';
import type { Actor, Named } from '../harness/world.ts';

const answerMilliseconds = 4_000;
const service = useService({
  environment: { ...reachingLoopback, [environment.upstreamAnswerMilliseconds]: `${answerMilliseconds}` },
});
const upstream = useUpstream();
jest.setTimeout(60_000);

let admin: Actor;
beforeAll(async () => {
  admin = await service.world.systemAdmin();
});

/** Takes all slots of a workspace that are free. */
const fill = async ({ id }: Named) => {
  const held = [];
  for (;;) {
    const fetchId = randomUUID();
    const slot = await takeWorkerSlot(new Table(), id, fetchId);
    if (slot === undefined) return held;
    held.push({ workspaceId: id, slot, fetchId });
  }
};

/** A remote repository whose files take longer than a request. */
const slowRemote = async (workspace: Named) => {
  upstream.answer = trickling(1.2 * answerMilliseconds, undefined, 'x');
  const repository = await createRemote(service, workspace, {
    packageType: 'universal',
    remoteRepositoryUrl: `${upstream.url}/{package-name}/{version}/{file}`,
  });
  const send = async (path: string, headers: readonly (readonly [string, string])[] = []) =>
    service.client.sendTo(getUniversalFile, { path, headers: [['Authorization', admin.bearer], ...headers] });
  const get = async (file: string, headers?: Parameters<typeof send>[1]) =>
    send(`/universal/${workspace.name}/${repository.name}/tool/1.0.0/${file}`, headers);
  return { get, send };
};

describe('The fetches of a workspace that go on after their requests', () => {
  it('are five at most: a sixth is refused until one of them has ended, and those of others go on', async () => {
    const [workspace, other] = await Promise.all([service.world.workspace(), service.world.workspace()]);
    const held = await fill(workspace);
    expect(held.map(({ slot }) => slot)).toEqual([0, 1, 2, 3, 4]);
    const { get } = await slowRemote(workspace);
    const ofOther = await slowRemote(other);
    const [refused, pending] = await Promise.all([get('one'), ofOther.get('one')]);
    expect([refused.status, refused.code, refused.headers['retry-after']]).toEqual([503, 'UPSTREAM_BUSY', '15']);
    expect(refused.problem?.detail).toContain('five files or documents that are large or slow');
    expect(pending.code).not.toBe('UPSTREAM_BUSY');
    const [first] = held;
    if (!first) throw new Error('There is no slot.');
    await leaveWorkerSlot(new Table(), first);
    expect((await get('two')).code).not.toBe('UPSTREAM_BUSY');
  });

  it('give their slots back at their ends', async () => {
    const workspace = await service.world.workspace();
    const { get, send } = await slowRemote(workspace);
    let answer = await get('one');
    for (let hops = 0; answer.headers.location && hops < 6; hops += 1) {
      const location = answer.headers.location;
      if (!location.includes('wait=')) break;
      answer = await send(location.slice(service.runner.url.length));
    }
    expect(answer.status).toBe(200);
    for (let looks = 0; looks < 100 && !service.runner.isIdle(); looks += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await fill(workspace)).toHaveLength(5);
  });

  it('have the marks of the services that their requests have come through', async () => {
    const workspace = await service.world.workspace();
    const { get } = await slowRemote(workspace);
    const mark = '1.1 stockroom-0123456789abcdef';
    await get('one', [['Via', mark]]);
    for (let looks = 0; looks < 200 && upstream.requests.length < 2; looks += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const sent = upstream.requests.map(({ headers }) => headers.via);
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(sent[0]).toMatch(new RegExp(`^${mark}, 1\\.1 stockroom-[0-9a-f]{16}$`));
  });

  it('lose no slot to one that has taken it over', async () => {
    const workspace = await service.world.workspace();
    const [first] = await fill(workspace);
    if (!first) throw new Error('There is no slot.');
    await leaveWorkerSlot(new Table(), { ...first, fetchId: randomUUID() });
    expect(await fill(workspace)).toEqual([]);
  });
});
