import { decodeAuthorization } from '../../shared/auth/authorization-header.ts';
import type { Call } from '../../shared/http/call.ts';
import type { BytesResult } from '../../shared/http/payloads.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import type { createGemKey, getGemKey } from './contracts.ts';
import { gems } from './type.ts';

/** What gem sends as the whole `Authorization` header from now on: the token of the request, or what stands for a username and a password. */
export const answerKey = ({ repository, authorization }: Call<typeof getGemKey | typeof createGemKey>): BytesResult => {
  requireType(repository, gems);
  const credential = decodeAuthorization(authorization);
  const content = credential?.kind === 'token' ? credential.token : (authorization[0] ?? '');
  return { kind: 'bytes', mediaType: 'text/plain; charset=utf-8', content };
};
