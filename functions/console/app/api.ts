import type { Contract } from '../../../shared/http/contract.ts';
import type { Problem } from '../../../shared/http/problem.ts';
import type { Infer } from '../../../shared/http/schema.ts';
import type { createSession, renewSession } from '../../sessions/contracts.ts';
import { words } from './words.ts';

/** What a success tells. A changed field of a contract is an error of the compiler here. */
export type Result<C extends Contract> = C['answer'] extends { readonly kind: 'json'; readonly result: infer R }
  ? Infer<R>
  : C['answer'] extends { readonly kind: 'list'; readonly items: infer I }
    ? Infer<I>[]
    : string;

type Body<C extends Contract> = C['request'] extends { readonly kind: 'json'; readonly body: infer B }
  ? Infer<B>
  : undefined;

/** A path of the contract with its parameters filled in. */
type Filled<P extends string> = P extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : P;
export type PathOf<C extends Contract> = Filled<C['path']> | `${Filled<C['path']>}?${string}`;

/** What of a refusal is shown, and what the page acts on. */
type Told = Pick<Problem, 'code' | 'errors' | 'status'>;

/** A refusal, whose sentence is shown as it is. */
export class ShownRefusal extends Error {}

/** A refusal of the service. */
export class RefusedRequest extends ShownRefusal {
  readonly code: string;
  readonly status: number;

  constructor({ code, errors, status }: Told) {
    super(errors.join(' '));
    this.code = code;
    this.status = status;
  }
}

/** What kind of refusal it is. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof RefusedRequest ? error.code : undefined;

/** Whether the same request may succeed later: it got no answer, or the service could not decide. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof RefusedRequest) || error.status === 429 || error.status >= 500;

type SignedIn = Result<typeof createSession>;

/** Whether somebody is signed in, nobody is, or somebody was until their session ended. */
export type SessionState = 'open' | 'none' | 'ended';

/** What the page knows of its session, in its memory alone. */
let signedIn: SignedIn | undefined;
/** Who asks for the password when the service wants it again; null if the person gives up. */
let passwordAgain: () => Promise<string | null> = () => Promise.resolve(null);
let showSession = (_state: SessionState): void => undefined;
/** Settled when who was signed in is so again after their session has ended. */
let comeBack: PromiseWithResolvers<void> | undefined;

/** Says who asks for the password, and who shows whether somebody is signed in. */
export const onSession = (ask: typeof passwordAgain, show: typeof showSession): void => {
  passwordAgain = ask;
  showSession = show;
};

/** The address of the service, with a slash at its end. */
export const base = (): string => new URL(location.pathname.replace(/\/?$/, '/'), location.origin).href;

const problemOf = async (answer: Response): Promise<Told> => {
  const isProblem = answer.headers.get('content-type')?.includes('json') === true;
  if (isProblem) return (await answer.json()) as Told;
  return { code: 'INTERNAL_ERROR', errors: [words.answered(answer.status)], status: answer.status };
};

/** Only these three requests have the cookie: no other one may depend on it. */
const withCookie = async (method: string, path: string, body?: object): Promise<Response> =>
  fetch(base() + path, {
    method,
    credentials: 'same-origin',
    headers: { 'X-Stockroom-Console': '1', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Loads the page anew, and never settles: nothing goes on in the old one. */
const beginAnew = (): Promise<never> => {
  location.reload();
  return new Promise(() => undefined);
};

/** Takes a token. Tabs share the cookie: where somebody else has signed in, nothing of this page is theirs, and nothing is repeated for them. */
const accepted = async (answer: Response): Promise<SignedIn> => {
  if (!answer.ok) throw new RefusedRequest(await problemOf(answer));
  const next = (await answer.json()) as SignedIn;
  if (signedIn && signedIn.userId !== next.userId) return beginAnew();
  signedIn = next;
  comeBack?.resolve();
  comeBack = undefined;
  showSession('open');
  return signedIn;
};

export const beginSession = async (username: string, password: string): Promise<void> => {
  await accepted(await withCookie('POST', '1/sessions', { username, password }));
};

/** Renews the token. Tabs take turns, so that each has the cookie of the one before. */
const renew = async (body: Body<typeof renewSession> = {}): Promise<void> => {
  await navigator.locks.request('stockroom-session', async () =>
    accepted(await withCookie('POST', '1/sessions/renew', body)),
  );
};

/** Goes on with the session of the cookie, if there is one. Throws if nobody could say. */
export const resume = async (): Promise<void> =>
  renew().catch((error: unknown) => {
    if (codeOf(error) !== 'SESSION_ENDED') throw error;
  });

/** Ends the session. One that has ended already is as good. */
export const signOut = async (): Promise<void> => {
  const answer = await withCookie('DELETE', '1/sessions');
  if (!answer.ok && answer.status !== 401) throw new RefusedRequest(await problemOf(answer));
  signedIn = undefined;
  showSession('none');
};

/** How long before its end a token is renewed, in milliseconds. */
const early = 30_000;

const tokenNow = async (): Promise<string> => {
  if (!signedIn || Date.parse(signedIn.expiresAt) - early < Date.now()) await renew();
  return signedIn?.token ?? '';
};

/** Headers of one request beside those of all. */
type OwnHeaders = Readonly<Record<string, string>>;

const send = async (method: string, path: string, body: unknown, headers: OwnHeaders): Promise<Response> =>
  fetch(base() + path.slice(1), {
    method,
    credentials: 'omit',
    headers: {
      ...headers,
      Authorization: `Bearer ${await tokenNow()}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const answered = async (...request: Parameters<typeof send>): Promise<Response> => {
  const answer = await send(...request);
  if (!answer.ok) throw new RefusedRequest(await problemOf(answer));
  return answer;
};

/** Waits until who was signed in is so again after the end of their session. Throws any other error, and that of who has signed out. */
const signedInAgain = async (refusal: unknown): Promise<void> => {
  if (codeOf(refusal) !== 'SESSION_ENDED' || !signedIn) throw refusal;
  comeBack ??= Promise.withResolvers();
  showSession('ended');
  return comeBack.promise;
};

/**
 * Gets a new token where that may help: the clock of this machine can be late, and some changes need the password of the last
 * fifteen minutes. Throws if it does not help.
 */
const renewAfter = async (error: unknown): Promise<void> => {
  if (codeOf(error) === 'UNAUTHENTICATED') return renew();
  if (codeOf(error) !== 'PASSWORD_PROOF_EXPIRED') throw error;
  const password = await passwordAgain();
  if (password === null) throw error;
  return renew({ password });
};

/** Sends a request, and once more for the same person with a new token if the service asks for one. */
const sent = async (method: string, path: string, body?: unknown, headers: OwnHeaders = {}): Promise<Response> => {
  const asker = signedIn?.userId;
  try {
    return await answered(method, path, body, headers);
  } catch (error) {
    await renewAfter(error).catch(signedInAgain);
    if (signedIn?.userId !== asker) throw error;
    return answered(method, path, body, headers);
  }
};

/** Asks an endpoint for what it knows. */
export const get = async <C extends Contract>(path: PathOf<C>): Promise<Result<C>> =>
  (await (await sent('GET', path)).json()) as Result<C>;

/** A part of a list, and the query of the next part. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** Asks for a page of a list. */
export const getPage = async <C extends Contract>(
  path: PathOf<C>,
): Promise<Page<Result<C> extends readonly (infer T)[] ? T : never>> => {
  const answer = await sent('GET', path);
  const [, next] = /^<\?([^>]*)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
  return { items: await answer.json(), next };
};

/** Asks for a text, and for how it is written. */
export const getText = async <C extends Contract>(path: PathOf<C>): Promise<{ text: string; mediaType: string }> => {
  const answer = await sent('GET', path);
  return { text: await answer.text(), mediaType: answer.headers.get('content-type') ?? '' };
};

/** Makes a change. */
export const change = async <C extends Contract>(
  method: C['method'],
  path: PathOf<C>,
  ...[body]: Body<C> extends undefined ? [] : [Body<C>]
): Promise<Result<C>> => (await (await sent(method, path, body)).json()) as Result<C>;

/** Creates something once, however often that is repeated with the same key: the answer of an earlier try can be lost. */
export const create = async <C extends Contract & { readonly idempotencyKey: 'taken' }>(
  path: PathOf<C>,
  body: Body<C>,
  key: string,
): Promise<Result<C>> => (await (await sent('POST', path, body, { 'Idempotency-Key': key })).json()) as Result<C>;

/** A part of a path. */
export const part = (text: string): string => encodeURIComponent(text);
