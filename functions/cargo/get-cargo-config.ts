import { endpoint } from '../../shared/http/endpoint.ts';
import { demandType } from '../../shared/packages/sources/package-address.ts';
import { registryUrl } from './addresses.ts';
import { getCargoConfig } from './contracts.ts';

export const handler = endpoint(getCargoConfig, async (call) => {
  demandType(call.repository, 'cargo');
  const api = registryUrl(call);
  return { dl: `${api}/api/v1/crates`, api, 'auth-required': true };
});
