import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { registryUrl } from './addresses.ts';
import { getCargoConfig } from './contracts.ts';
import { cargo } from './type.ts';

export const handler = endpoint(getCargoConfig, async (call) => {
  requireType(call.repository, cargo);
  const api = registryUrl(call);
  return { dl: `${api}/api/v1/crates`, api, 'auth-required': true };
});
