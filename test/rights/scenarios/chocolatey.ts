import {
  addChocolateyListing,
  addChocolateyPackage,
  getChocolateyDocument,
  getChocolateyResource,
  publishChocolateyPackage,
  removeChocolateyListing,
} from '../../../functions/chocolatey/contracts.ts';
import { typedRepository } from '../../harness/repositories.ts';
import { serving } from '../../harness/upstream.ts';
import { nupkgOf, pushForm } from '../../types/nupkgs.ts';
import { manyVersionsOfNupkgs, nupkgFetching } from './nuget.ts';
import { fileWords, placeIn, type RightsScenario } from './scenario.ts';

const manyVersions: RightsScenario['manyVersions'] = async (fixture) => {
  const repository = await typedRepository(fixture, 'chocolatey');
  const listed = { id: true, other: true, unlisted: true, relisted: false };
  const { id, other, unlisted, relisted } = await manyVersionsOfNupkgs(fixture, repository, listed);
  const params = placeIn(fixture, repository);
  const ofVersion = (each: string) => ({ params: { ...params, path: `${each}/1.0.0` } });
  return [
    [publishChocolateyPackage, { params, bytes: pushForm(nupkgOf({ id, version: '2.0.0' })) }],
    [addChocolateyPackage, { params, bytes: pushForm(nupkgOf({ id: other, version: '2.0.0' })) }],
    [getChocolateyDocument, { params: { ...params, path: 'FindPackagesById()' }, query: { id: `'${id}'` } }],
    [getChocolateyResource, { params: { ...params, path: `registration/${id}/index.json` } }],
    [removeChocolateyListing, ofVersion(unlisted)],
    [addChocolateyListing, ofVersion(relisted)],
  ];
};

const entryOf = (url: string, end: string): string =>
  `<entry><title>tool</title><content src="${url}/${end}"/><properties><Version>1.0.0-${end}</Version></properties></entry>`;

export const chocolateyScenario: RightsScenario = {
  manyVersions,
  fetching: {
    contract: getChocolateyDocument,
    beginning: nupkgFetching.beginning,
    urlOf: (url) => `${url}/api/v2/`,
    paramsOf: (file) => ({ path: `package/tool/1.0.0-${file}` }),
    answering: (file, _, url) => (request, response) => {
      const isFeed = request.url?.includes('FindPackagesById') ?? false;
      const feed = `<feed>${fileWords.map((end) => entryOf(url, end)).join('')}</feed>`;
      (isFeed ? serving(feed) : file)(request, response);
    },
  },
  otherFetchings: [
    {
      ...nupkgFetching,
      contract: getChocolateyResource,
      paramsOf: (file) => ({ path: `flat/tool/1.0.0-${file}/tool.1.0.0-${file}.nupkg` }),
    },
  ],
};
