import { createSession, renewSession } from '../../functions/sessions/contracts.ts';
import { consoleHeader } from '../../shared/http/console-header.ts';
import { Table } from '../../shared/table/client.ts';
import type { Session } from '../../shared/table/identity/sessions.ts';
import { sessionKey } from '../../shared/table/keys.ts';
import type { Answer, Client } from '../harness/client.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { whenAvailable } from '../harness/retry.ts';
import { putItems } from '../harness/stored-items.ts';
import type { Actor } from '../harness/world.ts';

/** What a page knows that has signed in, and what its browser keeps. */
export interface SignedInPage {
  readonly sessionId: string;
  readonly token: string;
  readonly bearer: string;
  /** The value of the cookie. */
  readonly cookie: string;
}

/** The headers with which a page sends the cookie. */
export const pageHeaders = (cookie: string) => ({ [consoleHeader]: '1', Cookie: `other=1; stockroom=${cookie}` });

/** What the browser stores of an answer. */
export const cookieOf = ({ headers }: Answer): string =>
  /^stockroom=([^;]*);/.exec(String(headers['set-cookie']?.[0]))?.[1] ?? '';

const pageOf = (answer: Answer<{ readonly id: string; readonly token: string }>): SignedInPage => {
  const { id, token } = answer.result ?? { id: '', token: '' };
  return { sessionId: id, token, bearer: bearerHeader(token), cookie: cookieOf(answer) };
};

/** Signs a user in. */
export const signIn = async (
  client: Client,
  { username, password }: Pick<Actor, 'username' | 'password'>,
): Promise<SignedInPage> => {
  const answer = await whenAvailable(() => client.attempt(createSession, { body: { username, password } }));
  if (answer.status !== 201) throw new Error(`The sign-in answered ${answer.status}: ${answer.text}`);
  return pageOf(answer);
};

/** Renews the session of a cookie. */
export const renew = (client: Client, cookie: string, body: { readonly password?: string } = {}) =>
  client.attempt(renewSession, { body, headers: pageHeaders(cookie) });

/** Renews the session of a cookie that is good for it. */
export const renewed = async (client: Client, cookie: string): Promise<SignedInPage> => {
  const answer = await renew(client, cookie);
  if (answer.status !== 200) throw new Error(`The renewal answered ${answer.status}: ${answer.text}`);
  return pageOf(answer);
};

/** Changes the stored session: so a test need not wait for hours. */
export const changeStoredSession = async (sessionId: string, change: Partial<Session>): Promise<void> => {
  const key = sessionKey(sessionId);
  const session = (await new Table().read([key])).find(key);
  if (!session) throw new Error('There is no such session.');
  await putItems([{ ...key, ...session, ...change }]);
};

/** The time some seconds ago. */
export const secondsAgo = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
