import { decodeAuthorization } from '../../shared/auth/authorization-header.ts';
import type { Call } from '../../shared/http/call.ts';
import type { BytesResult } from '../../shared/http/payloads.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import type { createGemKey, getGemKey } from './contracts.ts';
import { gems } from './type.ts';

/** The token of the request; undefined if it has a username and a password. */
export const sentToken = ({
  repository,
  authorization,
}: Call<typeof getGemKey | typeof createGemKey>): string | undefined => {
  requireType(repository, gems);
  const credential = decodeAuthorization(authorization);
  return credential?.kind === 'token' ? credential.token : undefined;
};

/** What gem sends as the whole `Authorization` header from now on. */
export const keyAnswer = (token: string): BytesResult => ({
  kind: 'bytes',
  mediaType: 'text/plain; charset=utf-8',
  content: token,
});
