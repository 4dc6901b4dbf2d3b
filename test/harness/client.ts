import { createRemoteRepository } from '../../functions/repositories/contracts.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { BodyOf, Contract, PathParams, QueryOf } from '../../shared/http/contract.ts';
import type { Problem } from '../../shared/http/problem.ts';
import type { Infer } from '../../shared/http/schema.ts';
import type { readProblem, readReply } from './reply-rules.ts';
import { whenAvailable } from './retry.ts';
import { exchange, type Reply, Wire, type WireRequest } from './wire.ts';

declare global {
  /** Of the environment in which jest runs a suite: its schemas are compiled once for all suites. */
  var replyRules: { readonly readProblem: typeof readProblem; readonly readReply: typeof readReply };
}

/** What a success tells, on the wire. */
export type WireResult<C extends Contract> = C['answer'] extends { readonly kind: 'json'; readonly result: infer R }
  ? Infer<R>
  : C['answer'] extends { readonly kind: 'list'; readonly items: infer I }
    ? Infer<I>[]
    : string;

/** An answer that was checked against the contract of its endpoint. */
export interface Answer<Result = unknown> extends Reply {
  /** The result of a success. */
  readonly result: Result | undefined;
  readonly problem: Problem | undefined;
  /** The error code of a refusal. */
  readonly code: ErrorCode | undefined;
}

/** What a call may carry, when the test breaks the rules of the contract. */
export interface LooseInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** A body that is no JSON. */
  readonly bytes?: { readonly content: string | Uint8Array; readonly mediaType: string };
  readonly idempotencyKey?: string | undefined;
  readonly accept?: string | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The value of the Authorization header. */
  readonly as?: string | undefined;
  /** Set where the test provokes a failure of the service itself. */
  readonly mayFail?: boolean;
}

type ParamsInput<C extends Contract> = [keyof PathParams<C['path']>] extends [never]
  ? { params?: undefined }
  : { params: PathParams<C['path']> };
type BodyInput<C extends Contract> = C extends { readonly request: { readonly kind: 'json' } }
  ? { body: BodyOf<C> }
  : { body?: undefined };

/** What a call carries, by its contract. */
export type Input<C extends Contract> = ParamsInput<C> &
  BodyInput<C> & { readonly query?: QueryOf<C> } & Pick<LooseInput, 'as' | 'mayFail'>;

/** Fills in a path, its parameters encoded, but for a greedy one: that is given as it is sent. */
export const pathOf = (contract: Contract, params: LooseInput['params'] = {}): string =>
  contract.path.replaceAll(/\{(\w+)(\+?)\}/g, (_, name: string, greedy: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${contract.id} needs the path parameter ${name}.`);
    return greedy ? value : encodeURIComponent(value);
  });

const queryText = (query: LooseInput['query'] = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
};

/** A function URL sends the challenge of a function under another name. */
const withChallenge = ({ headers, ...reply }: Reply): Reply => {
  const { 'x-amzn-remapped-www-authenticate': challenge, ...others } = headers;
  return {
    ...reply,
    headers: challenge === undefined ? headers : { ...others, 'www-authenticate': String(challenge) },
  };
};

/** Calls the service over HTTP; every answer is checked before a test sees it. */
export class Client {
  private readonly wire: Wire;
  private readonly echoesUpstreamPassword: () => boolean;

  constructor(baseUrl: string, echoesUpstreamPassword = () => false) {
    this.wire = new Wire(baseUrl);
    this.echoesUpstreamPassword = echoesUpstreamPassword;
  }

  /** Calls an endpoint with what its contract allows. */
  async call<const C extends Contract>(contract: C, input: NoInfer<Input<C>>): Promise<Answer<WireResult<C>>> {
    return this.attempt(contract, input as LooseInput);
  }

  /** Calls an endpoint, again while the service has no time for it, and expects that it succeeds. */
  async succeed<const C extends Contract>(contract: C, input: NoInfer<Input<C>>): Promise<WireResult<C>> {
    const { result, status, text } = await whenAvailable(() => this.attempt(contract, input as LooseInput));
    if (result === undefined) throw new Error(`${contract.id} answered ${status}: ${text}`);
    return result;
  }

  /** Calls an endpoint with anything. */
  async attempt<const C extends Contract>(contract: C, input: LooseInput): Promise<Answer<WireResult<C>>> {
    const { params, query, body, bytes, idempotencyKey, accept, as, mayFail = false } = input;
    const headers: (readonly [string, string])[] = Object.entries(input.headers ?? {});
    if (as !== undefined) headers.push(['Authorization', as]);
    if (accept !== undefined) headers.push(['Accept', accept]);
    if (idempotencyKey !== undefined) headers.push(['Idempotency-Key', idempotencyKey]);
    if (bytes ?? body !== undefined) headers.push(['Content-Type', bytes?.mediaType ?? 'application/json']);
    const reply = await this.wire.send({
      method: contract.method,
      path: pathOf(contract, params) + queryText(query),
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(bytes && { body: bytes.content }),
    });
    return this.check(contract, reply, mayFail, this.echoOf(contract, body));
  }

  /** Sends any bytes to an endpoint; the answer still has to be one that its contract announces. */
  async sendTo(contract: Contract, request: Partial<WireRequest>, params?: LooseInput['params']): Promise<Answer> {
    const path = request.path ?? pathOf(contract, params);
    return this.check(contract, await this.wire.send({ method: contract.method, ...request, path }), false);
  }

  /** Sends any bytes anywhere, and expects the problem body of the service. */
  async raw(request: WireRequest): Promise<Answer> {
    const reply = withChallenge(await this.wire.send(request));
    if (request.method === 'HEAD') return { ...reply, result: undefined, problem: undefined, code: undefined };
    const problem = replyRules.readProblem(reply);
    return { ...reply, result: undefined, problem, code: problem.code };
  }

  /** Sends bytes of any number of requests over one connection, and expects a success or the problem body for each. */
  async pipeline(bytes: string): Promise<Answer[]> {
    const replies = await exchange(this.wire.baseUrl, bytes);
    return replies.map(({ status, headers, text }) => {
      const problem = status < 400 ? undefined : replyRules.readProblem({ status, headers, text });
      return { status, headers, text, result: undefined, problem, code: problem?.code };
    });
  }

  close(): void {
    this.wire.close();
  }

  /** The password of the body that the result must repeat. */
  private echoOf(contract: Contract, body: unknown): string | undefined {
    if (!this.echoesUpstreamPassword() || contract.id !== createRemoteRepository.id) return undefined;
    return (body as Partial<BodyOf<typeof createRemoteRepository>>).remoteRepositoryPassword ?? undefined;
  }

  private check<C extends Contract>(contract: C, sent: Reply, mayFail: boolean, echo?: string): Answer<WireResult<C>> {
    const reply = withChallenge(sent);
    const { result, problem } = replyRules.readReply(contract, reply, { baseUrl: this.wire.baseUrl, echo });
    if (reply.status === 500 && !mayFail) throw new Error(`${contract.id} failed: ${reply.text}`);
    return { ...reply, result: result as WireResult<C> | undefined, problem, code: problem?.code };
  }
}

/**
 * Asks with `fetch`, which inflates what is compressed and keeps bytes as they are. The answer is checked as every other one,
 * and what it redirects to is fetched.
 */
export const fetchChecked = async (
  contract: Contract,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> => {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  const reply = {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text: await answer.clone().text(),
  };
  replyRules.readReply(contract, reply, { baseUrl: new URL(url).origin });
  const { location } = reply.headers;
  return answer.status === 302 && location !== undefined ? fetch(location) : answer;
};
