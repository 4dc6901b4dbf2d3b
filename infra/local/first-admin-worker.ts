import { once } from 'node:events';
import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { hashPassword } from '../../shared/auth/passwords.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { passwordLength } from '../../shared/limits.ts';
import { Table } from '../../shared/table/client.ts';
import { tokenInsertion } from '../../shared/table/identity/tokens.ts';
import { insertUser } from '../../shared/table/identity/users.ts';
import { activeAdminsKey } from '../../shared/table/keys.ts';
import { isNewUsername, newUsernameRule } from '../../shared/usernames.ts';
import type { FirstAdmin, FirstAdminOutcome, FirstAdminWish, FromFirstAdminWorker } from './first-admin.ts';

const ownerOnly = 0o600;

const writeToken = (file: string, token: string): FirstAdminOutcome | undefined => {
  try {
    const descriptor = openSync(file, 'w', ownerOnly);
    // The mode of openSync is only for a new file. One that was there may be open to others, but a pipe or a device is left as it is.
    const isFile = fstatSync(descriptor).isFile();
    if (isFile) fchmodSync(descriptor, ownerOnly);
    writeFileSync(descriptor, `${token}\n`);
    if (isFile) fsyncSync(descriptor);
    closeSync(descriptor);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      problem: `STOCKROOM_ADMIN_TOKEN_FILE cannot be written (${code}): name a file in a folder that exists and that you may write to.`,
    };
  }
};

const tell = (message: FromFirstAdminWorker): void => parentPort?.postMessage(message);

const create = async ({ username, password, tokenFile }: FirstAdmin & FirstAdminWish): Promise<FirstAdminOutcome> => {
  const table = new Table();
  if ((await table.read([activeAdminsKey])).find(activeAdminsKey)) return 'not needed';
  if (!isNewUsername(username)) return { problem: `STOCKROOM_ADMIN_USERNAME must be ${newUsernameRule}.` };
  const { length } = Array.from(password);
  const { min, max } = passwordLength;
  if (length < min || length > max)
    return { problem: `STOCKROOM_ADMIN_PASSWORD must have ${min} to ${max} characters.` };
  const token = newToken();
  // Write the file first: an admin without the promised token could not get one later.
  const refused = tokenFile ? writeToken(tokenFile, token) : undefined;
  if (refused) return refused;
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
    const { name, message } =
      (error as Error).cause instanceof Error ? ((error as Error).cause as Error) : (error as Error);
    return {
      problem: `The table engine does not store the first system admin (${message || name}): check that it runs and that its disk has space, then start again.`,
    };
  }
};

tell(await outcomeOf(workerData as FirstAdmin & FirstAdminWish));
