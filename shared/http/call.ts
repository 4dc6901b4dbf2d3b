import type { Violation } from '../errors.ts';
import type { Table } from '../table/client.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { Key } from '../table/keys.ts';
import type { PageRequest } from '../table/lists.ts';
import type { Repository } from '../table/repositories.ts';
import type { Workspace } from '../table/workspaces.ts';
import type { Caller } from './authorization.ts';
import type { BodyOf, Contract, PathParams, QueryOf, ResultOf } from './contract.ts';
import type { Infer } from './schema.ts';

/** What a use case is called with: all of it checked, typed by the contract. */
export interface Call<C extends Contract> {
  /** Decoded, but for a greedy parameter: that is the rest of the path as it was sent. */
  readonly params: PathParams<C['path']>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  readonly caller: C['access'] extends 'public' ? undefined : Caller;
  readonly workspace: C['path'] extends `${string}{workspace}${string}` ? Workspace : undefined;
  readonly repository: C['path'] extends `${string}{repository}${string}` ? Repository : undefined;
  /** The part of the list that is asked for, where the answer is a list. */
  readonly page: PageRequest;
  /** What the first read brought. */
  readonly loaded: IdentityMap;
  readonly table: Table;
  /** Whether only the headers are asked for. */
  readonly isHead: boolean;
  /** A header of the request, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The URL that the client reached the API under, without a trailing slash. */
  readonly baseUrl: string;
}

/** What a use case returns: the result, with its status where the contract leaves a choice. */
type UseCaseResult<C extends Contract> = C extends {
  readonly answer: { readonly kind: 'json'; readonly success: readonly number[] };
}
  ? { readonly status: 200 | 201; readonly result: ResultOf<C> }
  : ResultOf<C>;

export type UseCase<C extends Contract> = (call: Call<C>) => Promise<UseCaseResult<C>>;

/** The fields of a JSON body, each of which may be missing. */
type JsonFields<C extends Contract> = C extends { readonly request: { readonly kind: 'json'; readonly body: infer B } }
  ? Partial<NonNullable<Infer<B>>>
  : Readonly<Record<string, never>>;

/**
 * A rule that a schema cannot say, over the fields of a JSON body that obey the schema; its violations are reported together
 * with the schema's.
 */
export type Rule<C extends Contract> = (body: JsonFields<C>) => readonly Violation[];

/** What an endpoint adds to its contract and use case. */
export interface Extras<C extends Contract> {
  readonly rules?: readonly Rule<C>[];
  readonly alsoRead?: AlsoRead<C>;
}

/**
 * Keys that the first read should bring beside what decides access, so that the use case finds them in `loaded` without
 * another round trip. Called again with what was loaded until it asks for nothing new; where the path has a workspace,
 * once its ID is known. The body holds the fields of a JSON body that obey their schema.
 */
type AlsoRead<C extends Contract> = (request: {
  readonly params: PathParams<C['path']>;
  readonly body: JsonFields<C>;
  readonly workspaceId: C['path'] extends `${string}{workspace}${string}` ? string : undefined;
  readonly loaded: IdentityMap;
}) => readonly Key[];
