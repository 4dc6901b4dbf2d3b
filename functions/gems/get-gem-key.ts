import { decodeAuthorization } from '../../shared/auth/authorization-header.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { getGemKey } from './contracts.ts';
import { gems } from './type.ts';

export const handler = endpoint(getGemKey, async ({ repository, authorization }) => {
  requireType(repository, gems);
  const credential = decodeAuthorization(authorization);
  // gem sends the key as the whole header.
  const content = credential?.kind === 'token' ? credential.token : (authorization[0] ?? '');
  return { kind: 'bytes', mediaType: 'text/plain; charset=utf-8', content };
});
