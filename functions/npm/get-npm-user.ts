import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { getNpmUser } from './contracts.ts';
import { npm } from './type.ts';

export const handler = endpoint(getNpmUser, async ({ caller, repository }) => {
  requireType(repository, npm);
  return { username: caller.actor.name };
});
