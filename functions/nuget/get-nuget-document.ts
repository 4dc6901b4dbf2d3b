import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { order } from '../../shared/packages/nupkg/versions.ts';
import { protocolEndpoint } from '../../shared/packages/nupkg-protocol/reading.ts';
import { servicePaths } from '../../shared/packages/nupkg-protocol/service-index.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { getNugetDocument } from './contracts.ts';
import { nuget } from './type.ts';

const protocol = protocolEndpoint(nuget, servicePaths);

export const handler = endpoint(
  getNugetDocument,
  async (call) => {
    const answer = await protocol.answer(call, addressedSources(call, { ...nuget, order }), call.params.path);
    if (answer) return answer;
    throw new ApiError('FILE_NOT_FOUND', 'This is no address of the protocol: v3/index.json lists those that are.');
  },
  { alsoRead: protocol.alsoRead },
);
