import type { Violation } from '../errors.ts';
import type { Table } from '../table/client.ts';
import type { Remember } from '../table/creations.ts';
import type { Workspace } from '../table/identity/workspaces.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { Key } from '../table/keys.ts';
import type { PageRequest } from '../table/lists.ts';
import type { Repository } from '../table/repositories/repositories.ts';
import type { CallerOf } from './caller.ts';
import type { BodyOf, Contract, PathParams, QueryOf, ResultOf } from './contract.ts';
import type { UploadDestination } from './door-headers.ts';
import type { CredentialSource } from './password-check.ts';
import type { Principal } from './principal.ts';
import type { WorkspaceId } from './rights.ts';
import type { Infer } from './schema.ts';

/** The workspace in the path. Where a repository is read, that proves the workspace, whose item is not read. */
type WorkspaceOf<C extends Contract> = C['path'] extends `${string}{workspace}${string}`
  ? C['path'] extends `${string}{repository}${string}`
    ? C['method'] extends 'GET'
      ? WorkspaceId
      : Workspace
    : Workspace
  : undefined;

/** The argument of a use case: checked, and typed by the contract. */
export interface Call<C extends Contract> {
  /** Percent-decoded, except a greedy parameter, which is the rest of the path as the client sent it. */
  readonly params: PathParams<C['path']>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  readonly caller: CallerOf<C['access']>;
  readonly workspace: WorkspaceOf<C>;
  readonly repository: C['path'] extends `${string}{repository}${string}` ? Repository : undefined;
  /** The requested part of the list, if the answer is a list. */
  readonly page: PageRequest;
  /** The items of the first read. */
  readonly loaded: IdentityMap;
  readonly table: Table;
  /** Present if the contract takes an Idempotency-Key: its writes are part of the transaction that creates. */
  readonly remember: C extends { readonly idempotencyKey: 'taken' } ? Remember : undefined;
  /** Whether the method is HEAD: the client gets the headers only. */
  readonly isHead: boolean;
  /** The values of the Authorization headers. */
  readonly authorization: readonly string[];
  /** Where the request comes from, for the limit of wrong passwords. */
  readonly source: CredentialSource;
  /** A header of the request, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The base URL of the request, without a trailing slash. An installation may have several. */
  readonly baseUrl: string;
  /** The absolute URL of the request as it was sent, without its query. */
  readonly url: string;
}

/** The value of a use case: the result, with its status if the contract has two, and with the cookie if it sets one. */
type UseCaseResult<C extends Contract> = C extends {
  readonly answer: { readonly kind: 'json'; readonly success: readonly number[] };
}
  ? { readonly status: 200 | 201; readonly result: ResultOf<C> }
  : C extends { readonly answer: { readonly kind: 'json'; readonly setsCookie: true } }
    ? { readonly cookie: string; readonly result: ResultOf<C> }
    : ResultOf<C>;

export type UseCase<C extends Contract> = (call: Call<C>) => Promise<UseCaseResult<C>>;

/** The fields of a JSON body, each of which may be missing. */
type JsonFields<C extends Contract> = C extends { readonly request: { readonly kind: 'json'; readonly body: infer B } }
  ? Partial<NonNullable<Infer<B>>>
  : Readonly<Record<string, never>>;

/**
 * A rule that a schema cannot express, over the valid fields of a JSON body. Its violations are reported together with
 * those of the schema.
 */
export type Rule<C extends Contract> = (body: JsonFields<C>) => readonly Violation[];

/** What an endpoint adds to its contract and to its use case. */
export interface Extras<C extends Contract> {
  readonly rules?: readonly Rule<C>[];
  readonly alsoRead?: AlsoRead<C>;
  /** Required if the contract takes an Idempotency-Key. */
  readonly answerAgain?: C extends { readonly idempotencyKey: 'taken' } ? AnswerAgain<C> : never;
  /** Where a body of this length belongs, if the request names its SHA-256: the door puts it there at once. */
  readonly destination?: (call: Call<C>, bytes: number) => Promise<UploadDestination | undefined>;
  /** Where the contract says that the function itself proves who calls; without it, nobody is proven. */
  readonly authenticate?: C extends { readonly authenticates: string } ? Authenticate<C> : never;
}

/** A request that no authorizer has seen. */
export interface UnprovenRequest<C extends Contract> {
  readonly params: PathParams<C['path']>;
  /** Undefined if the body breaks a rule. */
  readonly body: BodyOf<C> | undefined;
  /** The values of the Authorization headers. */
  readonly authorization: readonly string[];
  readonly source: CredentialSource;
  readonly table: Table;
}

/** Proves who sent a request; undefined if it proves nobody. */
export type Authenticate<C extends Contract> = (request: UnprovenRequest<C>) => Promise<Principal | undefined>;

/**
 * Answers a request that was sent again: with what it created, found by its ID, as it is now. Undefined if that is gone.
 */
export type AnswerAgain<C extends Contract> = (call: Call<C>, id: string) => Promise<UseCaseResult<C> | undefined>;

/**
 * Returns further keys for the first read, so that the use case finds their items in `loaded` without another round
 * trip. It is called again after each read until it returns no new key. If the path has a workspace, the first call
 * comes when its ID is known. `body` contains the valid fields of a JSON body; `query` is as it was sent, also where it breaks a rule.
 */
type AlsoRead<C extends Contract> = (request: {
  readonly params: PathParams<C['path']>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: JsonFields<C>;
  /** Whom the authorizer recognised; undefined if the contract has no caller. */
  readonly actorId: string | undefined;
  readonly workspaceId: C['path'] extends `${string}{workspace}${string}` ? string : undefined;
  readonly loaded: IdentityMap;
  /** A header of the request, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}) => readonly Key[];
