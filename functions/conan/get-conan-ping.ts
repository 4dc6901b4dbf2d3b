import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { plainAnswer } from './answers.ts';
import { getConanPing } from './contracts.ts';
import { conan } from './type.ts';

export const handler = endpoint(getConanPing, async ({ repository }) => {
  requireType(repository, conan);
  return { ...plainAnswer(''), headers: { 'X-Conan-Server-Capabilities': 'revisions' } };
});
