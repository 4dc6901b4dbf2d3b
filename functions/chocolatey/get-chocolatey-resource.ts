import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { urlsOf } from '../../shared/packages/nupkg-protocol/addresses.ts';
import { completePackages } from '../../shared/packages/nupkg-protocol/completion.ts';
import { protocolEndpoint } from '../../shared/packages/nupkg-protocol/reading.ts';
import { answerSearch } from '../../shared/packages/nupkg-protocol/search.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { getChocolateyResource } from './contracts.ts';
import { chocolatey } from './type.ts';

/** Packages are published to the address of the repository, as in version 2. There are none with symbols. */
const paths = { search: 'v3/query', autocomplete: 'v3/autocomplete', packages: '' };

const protocol = protocolEndpoint(chocolatey, paths);

const withVersion = <P extends { readonly path: string }>(params: P): P => ({ ...params, path: `v3/${params.path}` });

export const handler = endpoint(
  getChocolateyResource,
  async (call) => {
    const sources = addressedSources(call, chocolatey);
    const { path } = withVersion(call.params);
    if (path === paths.search) return answerSearch(call, sources, urlsOf(chocolatey, call));
    if (path === paths.autocomplete) return completePackages(call, sources);
    const answer = await protocol.answer(call, sources, path);
    if (answer) return answer;
    throw new ApiError('FILE_NOT_FOUND', 'This is no address of the protocol: v3/index.json lists those that are.');
  },
  { alsoRead: ({ params, ...request }) => protocol.alsoRead({ ...request, params: withVersion(params) }) },
);
