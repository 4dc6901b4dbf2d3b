import { setTimeout as pause } from 'node:timers/promises';
import { addMemberToRepositories } from '../../functions/members/contracts.ts';
import { createWorkspace } from '../../functions/workspaces/contracts.ts';
import { findSecret } from '../harness/secrets.ts';
import { useService } from '../harness/service.ts';
import { snapshot } from '../harness/snapshot.ts';
import { uniqueName } from '../harness/world.ts';
import { RandomChanges } from './changes.ts';
import { replayed, stored } from './replay.ts';

const service = useService();

/** `npm run test:records` makes 10,000. */
const changeCount = Number(process.env.RECORDED_CHANGES ?? 150);
const seed = Number(process.env.RECORDS_SEED ?? Date.now() % 1_000_000);
const recordsIn = (items: Awaited<ReturnType<typeof snapshot>>) =>
  [...items.values()].filter(({ pk }) => pk.startsWith('AUDIT#'));

describe('The records of changes', () => {
  it(`give the state of the table: ${changeCount} changes from seed ${seed}`, async () => {
    const { bearer } = await service.world.systemAdmin();
    const changes = new RandomChanges(service, bearer, seed);
    // One after the other: records of the same moment are in the order of their clocks, not of their transactions.
    for (let made = 0; made < changeCount; made += 1) await changes.make();
    const items = await snapshot();
    const [fromRecords, fromTable] = [replayed([...items.values()]), stored([...items.values()])];
    expect(fromRecords).toEqual(fromTable);
    // All of them may be deleted again.
    expect(recordsIn(items).filter(({ action }) => action === 'repository.created')).not.toEqual([]);
    expect(recordsIn(items).length).toBeGreaterThan(changes.succeeded / 2);
    expect(recordsIn(items).length).toBeGreaterThan(changeCount / 4);
  }, 3_600_000);

  it('are one for a change, with the caller, the address and the request, and a log line that says so', async () => {
    const { bearer, userId } = await service.world.systemAdmin();
    const before = await snapshot();
    const answer = await service.client.call(createWorkspace, { body: { name: uniqueName('ws') }, as: bearer });
    const made = recordsIn(await snapshot()).filter(({ pk, sk }) => !before.has(`${pk}\n${sk}`));
    expect(made).toMatchObject([{ action: 'workspace.created', requestId: answer.headers['x-request-id'] }]);
    const lines = service.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(
      lines.filter(({ message, recordId }) => message === 'change' && recordId === made[0]?.recordId),
    ).toMatchObject([
      { action: 'workspace.created', actor: { id: userId }, sourceAddress: '127.0.0.1', operation: createWorkspace.id },
    ]);
  });

  it('have no password, no token, no hash of one and no ciphertext', async () => {
    const items = [...(await snapshot()).values()];
    const text = JSON.stringify(recordsIn(await snapshot()));
    const hidden = items.flatMap(({ passwordHash, passwordVersion, tokenHash, passwordCiphertext }) =>
      [passwordHash, passwordVersion, tokenHash, passwordCiphertext].filter((value) => typeof value === 'string'),
    );
    expect(hidden.length).toBeGreaterThan(10);
    expect(hidden.filter((secret) => text.includes(secret))).toEqual([]);
    expect(findSecret(text)).toBeUndefined();
  });

  it('are none for what was refused, or changed nothing', async () => {
    const { bearer } = await service.world.systemAdmin();
    const { name, id } = await service.world.workspace();
    const before = await snapshot();
    const taken = await service.client.attempt(createWorkspace, { body: { name }, as: bearer });
    const invalid = await service.client.attempt(addMemberToRepositories, {
      params: { workspace: id },
      body: { userId: id, repositories: [] },
      as: bearer,
    });
    const wrong = await service.client.attempt(createWorkspace, { body: { name: uniqueName() }, as: 'Bearer wrong' });
    expect([taken.status, invalid.status, wrong.status]).toEqual([409, 400, 401]);
    expect(recordsIn(await snapshot())).toHaveLength(recordsIn(before).length);
    // Its lines reach the test a little after the answer.
    await pause(300);
    const lines = service.logs.filter((line) => line.includes(String(taken.headers['x-request-id'])));
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).not.toContain('change');
    expect(lines).not.toEqual([]);
  });
});
