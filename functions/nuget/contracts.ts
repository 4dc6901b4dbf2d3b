import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import {
  filePublishing,
  listingAddition,
  listingRemoval,
  packagePublishing,
} from '../../shared/packages/nupkg-protocol/endpoints.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads, searches } from '../../shared/packages/types/endpoint-rights.ts';

const base = '/nuget/{workspace}/{repository}';

export const getNugetDocument = contract({
  id: 'nuget/get-nuget-document',
  method: 'GET',
  head: true,
  path: `${base}/{path+}`,
  summary: 'Get a document or a package',
  description:
    'Version 3 of the protocol of NuGet. `v3/index.json` tells a client all other addresses; its own begin with the base URL of the request. `v3/flat/{id}/index.json` lists the versions of a package, and `v3/flat/{id}/{version}/{file}` is its file, its symbols or its nuspec. `v3/registration/{id}/index.json` has what is known of all versions: from 128 of them on, in pages. A page is answered as long as there is a version between its borders.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: ['application/json', 'application/xml', fileMediaType],
      description: 'The document or the file.',
    },
    fileRedirect('the document or the file'),
  ],
  errors: ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_HELD', 'FILE_NOT_FOUND', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  isHot: true,
});

export const getNugetVulnerabilities = contract({
  id: 'nuget/get-nuget-vulnerabilities',
  method: 'GET',
  head: true,
  path: `${base}/v3/vulnerabilities/{page}`,
  summary: 'Get known vulnerabilities',
  description:
    'What `dotnet restore` and `dotnet list package --vulnerable` read since NuGet 6.8, from repositories with an upstream. `index.json` lists pages, each with the time of its last change. Where advisories on NuGet were imported, there is one page with all of them. Otherwise, the pages are those of the first upstream that has any. A page is about names of packages, no matter which repository has them.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    { kind: 'bytes', success: 200, mediaTypes: ['application/json'], description: 'The index or the page.' },
    fileRedirect('the page'),
  ],
  errors: ['FILE_NOT_FOUND'],
  ...reads(),
});

// API Gateway takes 10 kB of request line and headers, and a character may need twelve bytes.
const text = (maxLength: number, example: string) => schema({ type: 'string', maxLength, examples: [example] });

/** What clients send with a search. */
const searchQuery = {
  q: text(500, 'acme logging'),
  skip: text(20, '0'),
  take: text(20, '20'),
  prerelease: text(20, 'true'),
  semVerLevel: text(20, '2.0.0'),
  packageType: text(100, 'DotnetTool'),
} as const;

export const getNugetSearch = contract({
  id: 'nuget/get-nuget-search',
  method: 'GET',
  head: true,
  path: `${base}/v3/query`,
  summary: 'Search for packages',
  description:
    '`dotnet package search` and editors send this request. It finds packages of local repositories whose IDs contain each word of `q`, and then what the upstreams of remote ones find. `packageid:` before a word means the whole ID. Versions that are not listed are left out, prereleases unless `prerelease` is `true`, and those of SemVer 2 unless `semVerLevel` is `2.0.0`.',
  access: 'repository-viewer',
  query: object(searchQuery, ['q', 'skip', 'take', 'prerelease', 'semVerLevel', 'packageType']),
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: ['application/json'],
    description: 'The packages, each with its highest version and all that are shown.',
  },
  errors: [],
  ...searches(),
});

export const getNugetCompletion = contract({
  id: 'nuget/get-nuget-completion',
  method: 'GET',
  head: true,
  path: `${base}/v3/autocomplete`,
  summary: 'Complete the ID of a package, or list its versions',
  description:
    'With `q`, the IDs of the packages that a search finds. With `id`, the versions of this package that a search shows.',
  access: 'repository-viewer',
  query: object({ ...searchQuery, id: text(100, 'Acme.Logging') }, [
    'q',
    'skip',
    'take',
    'prerelease',
    'semVerLevel',
    'packageType',
    'id',
  ]),
  answer: { kind: 'bytes', success: 200, mediaTypes: ['application/json'], description: 'The IDs, or the versions.' },
  errors: ['LIST_TOO_LONG'],
  ...reads('documents'),
  // No list of versions is too large for an answer.
  store: ['GetObject blobs/*', 'PutObject blobs/*', 'GetObject staging/*'],
});

export const publishNugetPackage = contract({
  id: 'nuget/publish-nuget-package',
  path: `${base}/v3/package`,
  summary: 'Publish a package',
  description:
    '`dotnet nuget push` sends this request: a form with one file, under any name. The package may also be the whole body. ID and version come from the nuspec in it. Versions that differ in case, in zeros before a number or in build metadata are one version.',
  ...packagePublishing,
});

export const publishNugetSymbols = contract({
  id: 'nuget/publish-nuget-symbols',
  path: `${base}/v3/symbolpackage`,
  summary: 'Publish the symbols of a package',
  description:
    '`dotnet nuget push` sends this request after a package that has a `.snupkg` beside it. The package must have been published. The file is stored beside it, at `v3/flat/{id}/{version}/{id}.{version}.snupkg`.',
  ...filePublishing,
  errors: [
    'BODY_MALFORMED',
    'PACKAGE_INVALID',
    'PACKAGE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'REPOSITORY_READ_ONLY',
    'VERSION_EXISTS',
    'QUOTA_EXCEEDED',
  ],
  ...publishes(),
});

const listing = `${base}/v3/package/{package}/{version}` as const;

export const removeNugetListing = contract({
  id: 'nuget/remove-nuget-listing',
  path: listing,
  description:
    '`dotnet nuget delete` sends this request. Searches no longer show the version, but it still installs: nothing is deleted.',
  ...listingRemoval,
});

export const addNugetListing = contract({ id: 'nuget/add-nuget-listing', path: listing, ...listingAddition });
