import { createHash, createHmac, hash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError, errors, invalid } from '../errors.ts';
import { sortedEntries } from '../sorted-entries.ts';
import type { Table } from '../table/client.ts';
import { type Creation, isKept, keepCreation, type Remember } from '../table/creations.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import { creationKey, type Key } from '../table/keys.ts';
import type { Contract } from './contract.ts';
import { headerValuesOf } from './input.ts';
import type { ByteBody, MultipartBody } from './payloads.ts';

/** Reads the Idempotency-Key of a request of an actor. Undefined if there is none. */
export type IdempotencyKeyReader = (
  contract: Contract,
  event: APIGatewayProxyEvent,
  actorId: string,
) => KeyedRequest | undefined;

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  /** The item of the key, to be read with what decides access. */
  readonly keys: readonly Key[];
  /** Checks the key and binds it to what the request is about. `scope` has the IDs that its path leads to. */
  readonly bind: (scope: readonly unknown[], body: unknown) => Promise<BoundRequest>;
}

/** A request whose Idempotency-Key stands for its caller, its path and its body. */
export interface BoundRequest {
  readonly remember: Remember;
  /** Creates, or answers again what an earlier request with the same key created. */
  readonly answer: <Result>(
    { loaded, table }: { readonly loaded: IdentityMap; readonly table: Table },
    create: () => Promise<Result>,
    answerAgain: (id: string) => Promise<Result | undefined>,
  ) => Promise<Result>;
}

/** A string of structured fields (RFC 9651), as draft-ietf-httpapi-idempotency-key-header has it, or its bare text. */
const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const bare = /^[ !#-~][ -~]*$/;
const lengthMax = 200;

const keyIn = (value: string): string | undefined => {
  const text = quoted.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? (bare.test(value) ? value : '');
  return text.length > 0 && text.length <= lengthMax ? text : undefined;
};

const refused = (message: string): ApiError => invalid([{ pointer: '', rule: 'idempotencyKey', message }]);

const refusalOf = ({ idempotencyKey }: Contract, text: string | undefined): ApiError | undefined => {
  if (idempotencyKey === 'refused')
    return refused(
      'This endpoint takes no Idempotency-Key, because its answer contains a secret that is not stored: leave the header out.',
    );
  return text === undefined
    ? refused(`The header Idempotency-Key must be sent once, with 1 to ${lengthMax} printable ASCII characters.`)
    : undefined;
};

/** Reads the key. It is refused only by `bind`, so that callers without access learn nothing about the rules. */
export const readIdempotencyKey: IdempotencyKeyReader = (contract, event, actorId) => {
  const values = headerValuesOf(event, 'idempotency-key');
  if (values.length === 0) return undefined;
  const text = keyIn(values.length === 1 ? (values[0] ?? '') : '');
  const refusal = refusalOf(contract, text);
  const key = creationKey(actorId, hash('sha256', String(text), 'base64url'));
  return {
    keys: refusal ? [] : [key],
    bind: async (scope, body) => {
      if (refusal) throw refusal;
      // The hash of a body with a password must not help to guess it: its key is in no item.
      const keyed = createHmac('sha256', String(text)).update(JSON.stringify([actorId, contract.id, scope]));
      const kind = contract.request?.kind;
      if (kind === 'multipart') await (body as MultipartBody<unknown>).addTo(keyed);
      else keyed.update(kind === 'bytes' ? await sha256Of(body as ByteBody) : canonical(body));
      return boundRequest(key, keyed.digest('base64url'));
    },
  };
};

/** The hash of a body of bytes. Whoever staged it has computed it. */
const sha256Of = async ({ staged, stream }: ByteBody): Promise<string> => {
  if (staged) return staged.hashes.sha256;
  const sum = createHash('sha256');
  for await (const piece of stream() as AsyncIterable<Buffer>) sum.update(piece);
  return sum.digest('hex');
};

/** JSON whose fields are in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(sortedEntries(part as Record<string, unknown>))
      : part,
  ) ?? '';

const boundRequest = (key: Key<Creation>, fingerprint: string): BoundRequest => ({
  remember: (id) => [keepCreation(key, { id, fingerprint })],
  answer: async ({ loaded, table }, create, answerAgain) => {
    const earlier = (found: IdentityMap): Creation | undefined => {
      const creation = found.find(key);
      return creation && isKept(creation) ? creation : undefined;
    };
    const repeat = async ({ id, fingerprint: of }: Creation) => {
      if (of !== fingerprint) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
      const result = await answerAgain(id);
      if (result === undefined) throw new ApiError('IDEMPOTENCY_KEY_SPENT');
      return result;
    };
    const known = earlier(loaded);
    if (known) return repeat(known);
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof ApiError) || errors[error.code].status >= 500) throw error;
      // Whatever refused it, the same request may have been answered at the same time.
      const meanwhile = earlier(await table.read([key]));
      if (!meanwhile) throw error;
      return repeat(meanwhile);
    }
  },
});
