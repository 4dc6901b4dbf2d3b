import type { Access, AccessOf } from '../access.ts';
import type { ErrorCode } from '../errors.ts';
import type { List } from '../table/lists.ts';
import type { InvokedFunction, LogRights, StoreRight, TableAction } from './function-rights.ts';
import type { ByteBody, BytesResult, BytesStatus, FormBody, MultipartBody, RedirectResult } from './payloads.ts';
import type { Infer, ObjectSchema, Schema } from './schema.ts';

type ParameterName<S extends string> = S extends `${infer Name}+` ? Name : S;
type Segments<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? ParameterName<Name> | Segments<Rest>
  : never;

/** The parameters of a path, by name. */
export type PathParams<P extends string> = {
  readonly [K in Segments<P>]: string;
};

/**
 * The body that an endpoint takes. Each kind has a module in `requests/`, which reads it and describes it; `none` there is for endpoints
 * without. A body of more than `bytesMax`, up to `stagedBytesMax`, comes through the door: it is in the staging area when the endpoint is called.
 */
export type RequestKind =
  | {
      readonly kind: 'json';
      readonly body: ObjectSchema;
      /** Fields of the record that never change: a body with one of them is refused. */
      readonly immutable?: readonly string[];
      /** Set if the body may also come as the parameters of a form (`application/x-www-form-urlencoded`), as OAuth says: `requests/parameters.ts` reads it. */
      readonly isAlsoForm?: true;
      /** An example of the body, if the examples of its fields do not make a good one. */
      readonly example?: Readonly<Record<string, unknown>>;
    }
  /** `multipart/form-data`: files under one name, and text fields. */
  | {
      readonly kind: 'multipart';
      readonly fileField: string;
      readonly fields: ObjectSchema;
      readonly bytesMax: number;
      readonly stagedBytesMax?: number;
    }
  /**
   * `multipart/form-data` as the clients of a package type send it: files under the names of `fileFields` (with `takesAnyName`,
   * under any), and any text fields, each once or several times. With `bodyField`, a body of another media type is the file of that name.
   */
  | {
      readonly kind: 'form';
      readonly fileFields: readonly string[];
      readonly takesAnyName?: true;
      readonly bodyField?: string;
      readonly bytesMax: number;
      readonly stagedBytesMax?: number;
    }
  /** Bytes that the use case reads as a stream. Without `mediaTypes`, any media type is accepted. */
  | {
      readonly kind: 'bytes';
      readonly mediaTypes?: readonly string[];
      readonly bytesMax: number;
      readonly stagedBytesMax?: number;
      /** Set if a staged body is not the file that is stored: the function reads it, and passes on what is in it. */
      readonly isPassedOn?: true;
      /** The hashes of a staged body that the use case needs, if those are not all. */
      readonly hashes?: readonly ['sha256'];
      /** Set if later requests still need the staged body. */
      readonly keepsBody?: true;
      readonly takesParts?: true; // Elsewhere a PUT with Content-Range is refused: a part would be taken for the whole.
      readonly isAlsoGzipped?: true; // The bound is that of the bytes in the compressed body.
    };

/** What an endpoint answers when it succeeds. Each kind has a module in `answers/`, which responds and describes it. */
export type AnswerKind =
  | {
      readonly kind: 'json';
      /** Two statuses if a call either creates (201) or changes (200) a resource. The use case then returns the status. */
      readonly success: 200 | 201 | readonly [200, 201];
      readonly result: Schema;
      /** The path of the created resource under the base. Its parameters are fields of the result. */
      readonly location?: string;
      /** Set if the answer sets a cookie: the use case returns it beside the result. */
      readonly setsCookie?: true;
    }
  /** An array, which a request can divide into pages. */
  | {
      readonly kind: 'list';
      readonly items: Schema;
      /** The size of a page if the request has no limit; without it, that is the whole list. */
      readonly pageSize?: number;
      /** Set if a client can get a line of JSON for each entry instead. */
      readonly isAlsoLines?: true;
    }
  /** A file that the build makes. The use case returns its bytes, compressed by gzip. */
  | {
      readonly kind: 'file';
      /** The name of the file in the build. */
      readonly name: 'openapi.json' | 'reference.html' | 'reference.js' | 'console.html' | 'console.js';
      readonly mediaType: string;
      readonly description: string;
      /** Set if the file is compressed whatever the client accepts, because only browsers load it and it is large. */
      readonly isAlwaysCompressed?: true;
      /** Headers that the file needs in addition to those of every response, or instead of them. */
      readonly headers?: Readonly<Record<string, string>>;
      /** The beginning of the file. */
      readonly example: unknown;
    }
  /** Bytes of any media type, with ETag, conditional requests and ranges. */
  | {
      readonly kind: 'bytes';
      readonly success: BytesStatus | readonly BytesStatus[];
      readonly mediaTypes: readonly string[];
      /** The headers of these answers that others do not have. */
      readonly headers?: readonly string[];
      readonly description: string;
    }
  /** 302 to an address that serves the bytes itself. */
  | {
      readonly kind: 'redirect';
      readonly description: string;
      /** The headers of these answers that others do not have. */
      readonly headers?: readonly string[];
    };

/**
 * The wire format and the rules of one endpoint, as pure data. Everything but the use case follows from it: the route,
 * the Lambda, its rights, validation, access, the OpenAPI document and the tests of all endpoints.
 */
export interface Contract extends LogRights {
  /** `<resource>/<verb-noun>`: the file, the Lambda, the operationId, the metric and the test. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Adds HEAD: a route of its own to the Lambda of this GET. */
  readonly head?: true;
  /** `{name}` is one segment, and `{name+}` at the end is all the rest. A path below `/1/` is never greedy. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Set if the function itself proves who calls, and no authorizer: the sentence of each 401, whatever is wrong. The access is decided as everywhere. */
  readonly authenticates?: string;
  /** Set if the path contains a secret: the log has the path of the contract instead. */
  readonly pathIsSecret?: true;
  /** Set if only users may call: a token without a user behind it is refused, whatever its level. */
  readonly isForUsers?: true;
  /** The code that refuses a caller without the role. The default is FORBIDDEN. */
  readonly refusal?: ErrorCode;
  /**
   * What a personal access token with limits may do here, where its method does not say it: nothing, because what is made here would
   * outlive or exceed it; only what is about itself, even if it may only read; or to ask, because what is sent as POST is a question.
   */
  readonly limitedTokens?: 'refused' | 'themselves' | 'ask';
  /** Set if what is made here outlives a session or an account: the token of a session may do it for minutes after the password was sent. */
  readonly isDelicate?: true;
  /** Set if the endpoint reads the cookie of a session: only a page of this service may call it, with `X-Stockroom-Console: 1`. */
  readonly readsCookie?: true;
  /** Set if GET changes something, as the clients of a package type want it: no page of another site may send it. */
  readonly changesByGet?: true;
  readonly query?: ObjectSchema;
  readonly request?: RequestKind;
  /** Several kinds if the use case chooses between them. */
  readonly answer: AnswerKind | readonly AnswerKind[];
  /** The error codes of this endpoint, in addition to those that follow from its access, its path and its body. */
  readonly errors: readonly ErrorCode[];
  /** The actions on the table that the function needs beside the consistent read of every endpoint that is not public. */
  readonly table: readonly TableAction[];
  /** The actions on objects of the store that the function needs. */
  readonly store?: readonly StoreRight[];
  /**
   * Set if a request that is sent again must not create a second thing, or fail because of the first one. `taken`: a repeated
   * Idempotency-Key is answered with what exists. `refused`: the answer contains a secret, which is not stored.
   */
  readonly idempotencyKey?: 'taken' | 'refused';
  /** Set if the function encrypts with the key of the upstream passwords. */
  readonly encrypts?: true;
  /** Set if the function sends requests to upstreams: it decrypts their passwords with that key, and has 29 seconds. */
  readonly decrypts?: true;
  /** Set if the function signs documents with the keys of the stage. */
  readonly signs?: true;
  /** The functions that the endpoint invokes asynchronously. */
  readonly invokes?: readonly InvokedFunction[];
  /** Set if anybody can make the function check a password: only so many of its calls run at once that others have room. */
  readonly checksPasswords?: true;
  /** Set if the function may take as long as the gateway waits. */
  readonly isLong?: true;
  /** Set if much of the traffic comes here: a new version then gets a part of it first, where the stage says so. */
  readonly isHot?: true;
}

/** Refuses fields that a contract does not have: TypeScript does not look for them in a literal with an inferred type. */
type OnlyKnownFields<C> = { readonly [Field in keyof C]: Field extends keyof Contract ? C[Field] : never };

/** A contract whose access is one that its path allows: the compiler names these where it is another one. */
type ContractAt<P extends string> = Contract & { readonly path: P; readonly access: AccessOf<P> };

/** Declares an endpoint. The types of its parameters, its body and its result follow from the literal. */
export const contract = <const P extends string, const C extends ContractAt<P>>(
  definition: C & { readonly path: P } & OnlyKnownFields<C>,
): C => definition;

/** The methods of an endpoint, each a route of its own. */
export const methodsOf = ({ method, head }: Contract): readonly string[] => (head ? [method, 'HEAD'] : [method]);

/** Whether API Gateway lets every request reach the function, without asking the authorizer. */
export const isOpen = ({ access, authenticates }: Contract): boolean => access === 'public' || Boolean(authenticates);

/** The kinds of answers of a contract. */
export const answersOf = ({ answer }: Contract): readonly AnswerKind[] => [answer].flat();

/** The answer of an endpoint that answers a list. */
export const listOf = (declared: Contract) => answersOf(declared).find((answer) => answer.kind === 'list');

/** Whether the endpoint answers a list. */
export const isPaged = (declared: Contract): boolean => listOf(declared) !== undefined;

/** The statuses of a success. */
export const successStatuses = (answer: AnswerKind): readonly number[] => {
  if (answer.kind === 'redirect') return [302];
  return 'success' in answer ? [answer.success].flat() : [200];
};

/** The schema of the JSON body that an endpoint takes, if it takes one. */
export const jsonBodyOf = ({ request }: Contract): ObjectSchema | undefined =>
  request?.kind === 'json' ? request.body : undefined;

/** The schema of the fields of a body, whatever the kind of the body. */
export const bodySchemaOf = (declared: Contract): ObjectSchema | undefined =>
  declared.request?.kind === 'multipart' ? declared.request.fields : jsonBodyOf(declared);

export type BodyOf<C extends Contract> = C['request'] extends { readonly kind: 'json'; readonly body: infer B }
  ? Infer<B>
  : C['request'] extends { readonly kind: 'multipart'; readonly fields: infer F }
    ? MultipartBody<Infer<F>>
    : C['request'] extends { readonly kind: 'form' }
      ? FormBody
      : C['request'] extends { readonly kind: 'bytes' }
        ? ByteBody
        : undefined;
export type QueryOf<C extends Contract> = C['query'] extends ObjectSchema ? Infer<C['query']> : undefined;

type ResultOfKind<A> = A extends { readonly kind: 'json'; readonly result: infer R }
  ? Infer<R>
  : A extends { readonly kind: 'list'; readonly items: infer I }
    ? List<Infer<I>>
    : A extends { readonly kind: 'file' }
      ? Uint8Array
      : A extends { readonly kind: 'bytes' }
        ? BytesResult
        : A extends { readonly kind: 'redirect' }
          ? RedirectResult
          : never;

/** The result of a success. */
export type ResultOf<C extends Contract> = ResultOfKind<C['answer'] extends readonly (infer A)[] ? A : C['answer']>;
