import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { accountRefusal } from './account-routes.ts';
import { updateNpmAccount } from './contracts.ts';
import { npm } from './type.ts';

export const handler = endpoint(updateNpmAccount, async ({ params, repository }) => {
  requireType(repository, npm);
  throw accountRefusal(`-/${params.path}`) ?? new ApiError('ROUTE_NOT_FOUND');
});
