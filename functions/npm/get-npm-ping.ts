import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { getNpmPing } from './contracts.ts';
import { npm } from './type.ts';

export const handler = endpoint(getNpmPing, async ({ repository }) => {
  requireType(repository, npm);
  return {};
});
