import { once } from 'node:events';
import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { hashPassword } from '../../shared/auth/passwords.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { Table } from '../../shared/table/client.ts';
import { tokenInsertion } from '../../shared/table/identity/tokens.ts';
import { insertUser } from '../../shared/table/identity/users.ts';
import { activeAdminsKey } from '../../shared/table/keys.ts';
import {
  checkFirstAdmin,
  type FirstAdmin,
  type FirstAdminOutcome,
  type FirstAdminWish,
  type FromFirstAdminWorker,
  unwritableTokenFile,
} from './first-admin.ts';
import { StartError } from './start-error.ts';

const ownerOnly = 0o600;

const writeToken = (file: string, token: string): void => {
  try {
    const descriptor = openSync(file, 'w', ownerOnly);
    // The mode of openSync is only for a new file. One that was there may be open to others, but a pipe or a device is left as it is.
    const isFile = fstatSync(descriptor).isFile();
    if (isFile) fchmodSync(descriptor, ownerOnly);
    writeFileSync(descriptor, `${token}\n`);
    if (isFile) fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (error) {
    throw unwritableTokenFile(error);
  }
};

const tell = (message: FromFirstAdminWorker): void => parentPort?.postMessage(message);

const create = async (wish: FirstAdmin & FirstAdminWish): Promise<FirstAdminOutcome> => {
  const { username, password, tokenFile } = wish;
  const table = new Table();
  if ((await table.read([activeAdminsKey])).find(activeAdminsKey)) return 'not needed';
  checkFirstAdmin(wish);
  const token = newToken();
  // Write the file first: an admin without the promised token could not get one later.
  if (tokenFile) writeToken(tokenFile, token);
  const passwordHash = await hashPassword(password);
  tell('about to create');
  if (parentPort) await once(parentPort, 'message');
  const user = await insertUser(table, { username, passwordHash, userRole: 'system-admin' }, (userId) =>
    tokenFile ? tokenInsertion(token, { userId, username, name: 'first start', expirationDate: null }).writes : [],
  );
  return typeof user === 'string' ? 'not needed' : 'created';
};

const outcomeOf = async (wish: FirstAdmin & FirstAdminWish): Promise<FirstAdminOutcome> => {
  try {
    return await create(wish);
  } catch (error) {
    if (error instanceof StartError) return { problem: error.message };
    const { name, message } =
      (error as Error).cause instanceof Error ? ((error as Error).cause as Error) : (error as Error);
    return {
      problem: `The table engine does not store the first system admin (${message || name}): check that it runs and that its disk has space, then start again.`,
    };
  }
};

tell(await outcomeOf(workerData as FirstAdmin & FirstAdminWish));
