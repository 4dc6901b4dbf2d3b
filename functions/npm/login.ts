import { buffer } from 'node:stream/consumers';
import { type Credential, decodeAuthorization, passwordCredential } from '../../shared/auth/authorization-header.ts';
import type { ByteBody } from '../../shared/http/payloads.ts';
import { refusing } from '../../shared/packages/formats/format-refusals.ts';
import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import { parsePath } from './paths.ts';

/** What a client sends to log in. */
interface Login {
  readonly params: { readonly path: string };
  readonly body: ByteBody | undefined;
  readonly authorization: readonly string[];
}

/** The user whom the path of a login names; undefined if it names none. */
export const loginName = (path: string): string | undefined => {
  const parsed = parsePath(`-/user/${path}`);
  return parsed.kind === 'user' ? parsed.username : undefined;
};

/**
 * The credential of a login: the name in the path with the password in the body. If the body has no password, it is the
 * one in the Authorization header, where clients also send the old credential that a login replaces.
 */
export const loginCredential = async ({ params, body, authorization }: Login): Promise<Credential | undefined> => {
  const bytes = body && (await buffer(body.stream()));
  const { password } = bytes?.length ? refusing(() => parseObject(bytes, 'The body')) : {};
  const username = loginName(params.path);
  return typeof password === 'string' && username !== undefined
    ? passwordCredential(username, password)
    : decodeAuthorization(authorization);
};
