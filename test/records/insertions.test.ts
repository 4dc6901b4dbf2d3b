import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { useProxiedTable } from '../harness/proxied-table.ts';
import { insertNewRepository, insertNewUser, insertNewWorkspace } from '../harness/stored-items.ts';
import { uniqueName } from '../harness/world.ts';

const table = useProxiedTable('authorizer');

const fieldsOfUser = { username: uniqueName(), passwordHash: 'hash', userRole: 'user' } as const;
const workspaceName = uniqueName();
const repository = {
  repositoryType: 'local',
  packageType: 'npm',
  createdBy: randomUUID(),
  name: uniqueName(),
} as const;

/** The tries that the SDK makes of one call, each of which it gives up before this time. */
const triesOfSdk = 3;
const answerMilliseconds = 3_000;

const writesSeen = (): number => table.proxy.calls.filter(({ operation }) => operation === 'TransactWriteItems').length;

it('What prepares a test is stored once, though no answer came to the tries before', async () => {
  const workspace = await insertNewWorkspace(uniqueName());
  const repositoryId = randomUUID();
  // As on a busy machine: the table writes, and nobody waits for its answer any more.
  table.proxy.forget();
  table.proxy.answerMilliseconds = answerMilliseconds;
  const inserted = [
    insertNewUser(fieldsOfUser),
    insertNewWorkspace(workspaceName),
    insertNewRepository(workspace, { ...repository, repositoryId }),
  ];
  while (writesSeen() < triesOfSdk * inserted.length) await pause(20);
  await pause(500);
  table.proxy.answerMilliseconds = 0;
  expect(await Promise.all(inserted)).toEqual([
    expect.objectContaining(fieldsOfUser),
    expect.objectContaining({ name: workspaceName }),
    repositoryId,
  ]);
  expect(writesSeen()).toBe(triesOfSdk * inserted.length);

  // Without such a try before, the same is refused.
  await expect(insertNewUser(fieldsOfUser)).rejects.toThrow(`No user ${fieldsOfUser.username}`);
  await expect(insertNewWorkspace(workspaceName)).rejects.toThrow(`There is a workspace ${workspaceName} already.`);
  const other = insertNewRepository(workspace, { ...repository, repositoryId: randomUUID() });
  await expect(other).rejects.toThrow(`${repository.name}: `);
});
