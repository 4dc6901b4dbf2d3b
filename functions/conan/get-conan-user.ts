import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { plainAnswer } from './answers.ts';
import { getConanUser } from './contracts.ts';
import { conan } from './type.ts';

export const handler = endpoint(getConanUser, async ({ repository, caller }) => {
  requireType(repository, conan);
  return plainAnswer(caller.actor.name);
});
