import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { feedEndpoint } from '../../shared/packages/nupkg-feed/reading.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { getChocolateyDocument } from './contracts.ts';
import { chocolatey } from './type.ts';

const feed = feedEndpoint(chocolatey);

export const handler = endpoint(
  getChocolateyDocument,
  async (call) => {
    const answer = await feed.answer(call, addressedSources(call, chocolatey), call.params.path);
    if (answer) return answer;
    throw new ApiError('FILE_NOT_FOUND', 'This is no address of the protocol: $metadata names those that are.');
  },
  { alsoRead: feed.alsoRead },
);
