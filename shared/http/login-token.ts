import { newToken } from '../auth/tokens.ts';
import type { Table } from '../table/client.ts';
import { insertToken } from '../table/identity/tokens.ts';
import type { Caller } from './caller.ts';
import type { Contract } from './contract.ts';
import { userRefusal } from './role-refusal.ts';

/** Who logged in to a client with a password. */
interface Login {
  readonly caller: Pick<Caller, 'user'>;
  readonly table: Table;
}

/** The client, and how long its token lasts. Tokens that last longer, or for ever, come from the management API. */
interface LoginToken {
  readonly name: string;
  readonly days: number;
}

const dayMilliseconds = 86_400_000;

/** Makes a personal access token for a login. It is named after the login and the day, expires, and is then removed. */
export const newLoginToken = async (
  { caller: { user }, table }: Login,
  contract: Pick<Contract, 'summary'>,
  { name, days }: LoginToken,
): Promise<string> => {
  if (!user) throw userRefusal(contract);
  const { userId, username, tokenGeneration } = user;
  const token = newToken();
  const now = Date.now();
  const until = now + days * dayMilliseconds;
  await insertToken(table, token, {
    userId,
    username,
    name: `${name} ${new Date(now).toISOString().slice(0, 10)}`,
    expirationDate: new Date(until).toISOString(),
    expiresAt: Math.ceil(until / 1000),
    tokenGeneration,
  });
  return token;
};
