import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { countMediaType, feedMediaType } from '../../shared/packages/nupkg-feed/queries.ts';
import { listingAddition, listingRemoval, packagePublishing } from '../../shared/packages/nupkg-protocol/endpoints.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { reads } from '../../shared/packages/types/endpoint-rights.ts';

const base = '/chocolatey/{workspace}/{repository}';

export const getChocolateyService = contract({
  id: 'chocolatey/get-chocolatey-service',
  method: 'GET',
  head: true,
  path: base,
  summary: 'Get the service document',
  description: 'Clients send this request to learn that the address is a feed of version 2 of the protocol.',
  access: 'repository-viewer',
  answer: { kind: 'bytes', success: 200, mediaTypes: ['application/xml'], description: 'The service document.' },
  errors: [],
  table: [],
});

// API Gateway takes 10 kB of request line and headers, and a character may need twelve bytes.
const text = (maxLength: number, example: string) => schema({ type: 'string', maxLength, examples: [example] });
const count = (example: number) => schema({ type: 'integer', minimum: 0, maximum: 1_000_000, examples: [example] });

const query = {
  ...waitParameter,
  // As long as it can be, it names some dozens of packages.
  $filter: text(700, "(tolower(Id) eq 'acme.tool') and IsLatestVersion"),
  $orderby: text(60, 'Id'),
  $skip: count(0),
  $top: count(30),
  $inlinecount: schema({ type: 'string', enum: ['none', 'allpages'], examples: ['allpages'] }),
  id: text(110, "'Acme.Tool'"),
  searchTerm: text(200, "'acme'"),
  // Of all projects of a solution.
  targetFramework: text(300, "''"),
  includePrerelease: text(20, 'false'),
  semVerLevel: text(20, '2.0.0'),
  partialId: text(100, 'acme'),
} as const;

const resourceQuery = {
  ...waitParameter,
  q: text(500, 'acme tool'),
  skip: text(20, '0'),
  take: text(20, '20'),
  prerelease: text(20, 'true'),
  semVerLevel: text(20, '2.0.0'),
  packageType: text(100, 'Dependency'),
  id: text(100, 'Acme.Tool'),
} as const;

const reading = ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_HELD', 'FILE_NOT_FOUND', 'LIST_TOO_LONG'] as const;

export const getChocolateyDocument = contract({
  id: 'chocolatey/get-chocolatey-document',
  method: 'GET',
  head: true,
  path: `${base}/{path+}`,
  summary: 'Get versions or a package',
  description:
    "Version 2 of the protocol of NuGet (OData): `FindPackagesById()?id='{id}'`, `Packages()`, `Packages(Id='{id}',Version='{version}')` and `Search()?searchTerm='{text}'` answer with versions, at most 100 on a page, and `/$count` behind them with their number; `package/{id}/{version}` is the file. `$filter` and `$orderby` take what clients send, and refuse all else.",
  access: 'repository-viewer',
  query: object(query, Object.keys(query) as (keyof typeof query)[]),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: [feedMediaType, 'application/xml', 'application/json', countMediaType, fileMediaType],
      description: 'The versions, another document, or the file.',
    },
    fileRedirect('the document or the file'),
  ],
  errors: reading,
  ...reads('files', 'documents'),
  isHot: true,
});

export const getChocolateyResource = contract({
  id: 'chocolatey/get-chocolatey-resource',
  method: 'GET',
  head: true,
  path: `${base}/v3/{path+}`,
  summary: 'Get a document or a package, by version 3 of the protocol',
  description:
    '`v3/index.json` tells a client all other addresses, and `v3/query` and `v3/autocomplete` search. To publish and to unlist, a client is told the addresses of version 2. There are no symbols.',
  access: 'repository-viewer',
  query: object(resourceQuery, Object.keys(resourceQuery) as (keyof typeof resourceQuery)[]),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: ['application/json', 'application/xml', fileMediaType],
      description: 'The document or the file.',
    },
    fileRedirect('the document or the file'),
  ],
  errors: reading,
  ...reads('files', 'documents'),
  isHot: true,
});

export const publishChocolateyPackage = contract({
  id: 'chocolatey/publish-chocolatey-package',
  path: base,
  summary: 'Publish a package',
  description:
    '`choco push` and `nuget push` send this request: a form with one file, under any name. The package may also be the whole body. ID and version come from the nuspec in it. Versions that differ in case, in zeros before a number or in build metadata are one version.',
  ...packagePublishing,
});

export const addChocolateyPackage = contract({
  id: 'chocolatey/add-chocolatey-package',
  path: `${base}/package`,
  summary: 'Publish a package, at the address of galleries',
  description: 'Some clients send a package to `package/` below the address of a feed.',
  ...packagePublishing,
});

const version = `${base}/{path+}` as const;

export const removeChocolateyListing = contract({
  id: 'chocolatey/remove-chocolatey-listing',
  path: version,
  description:
    '`nuget delete` sends this request, with `{id}/{version}`. Searches no longer show the version, but it still installs: nothing is deleted.',
  ...listingRemoval,
});

export const addChocolateyListing = contract({
  id: 'chocolatey/add-chocolatey-listing',
  path: version,
  description: 'The path is `{id}/{version}`.',
  ...listingAddition,
});
