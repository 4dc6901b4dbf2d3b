import type { JsonObject } from '../formats/json-objects.ts';
import type { PackageUrls } from './addresses.ts';
import { folders } from './paths.ts';

/** The addresses of requests that a service index lists beside those of documents, below that of the repository. */
export interface ServicePaths {
  readonly search: string;
  readonly autocomplete: string;
  readonly packages: string;
  /** Absent if the type has no symbols. */
  readonly symbols?: string;
  /** Absent if nobody tells of vulnerabilities. */
  readonly vulnerabilities?: string | undefined;
}

export const servicePaths = {
  search: 'v3/query',
  autocomplete: 'v3/autocomplete',
  packages: 'v3/package',
  symbols: 'v3/symbolpackage',
  vulnerabilities: 'v3/vulnerabilities/index.json',
} as const satisfies ServicePaths;

const ifAny = (path: string | undefined, type: string): readonly (readonly [path: string, type: string])[] =>
  path === undefined ? [] : [[path, type]];

/** The types of resources by which clients of different ages look for the same address. */
const resourcesAt = ({
  search,
  autocomplete,
  packages,
  symbols,
  vulnerabilities,
}: ServicePaths): readonly (readonly [path: string, ...types: string[]])[] => [
  [`${folders.files}/`, 'PackageBaseAddress/3.0.0'],
  [
    `${folders.registrations}/`,
    'RegistrationsBaseUrl',
    'RegistrationsBaseUrl/3.0.0-beta',
    'RegistrationsBaseUrl/3.4.0',
    'RegistrationsBaseUrl/3.6.0',
  ],
  [search, 'SearchQueryService', 'SearchQueryService/3.0.0-beta', 'SearchQueryService/3.5.0'],
  // Without the second one, clients say that the source cannot search.
  [
    autocomplete,
    'SearchAutocompleteService',
    'SearchAutocompleteService/3.0.0-beta',
    'SearchAutocompleteService/3.5.0',
  ],
  [packages, 'PackagePublish/2.0.0'],
  ...ifAny(symbols, 'SymbolPackagePublish/4.9.0'),
  ...ifAny(vulnerabilities, 'VulnerabilityInfo/6.7.0'),
];

/** The document that a client reads first (learn.microsoft.com/nuget/api/service-index). */
export const serviceIndex = ({ of }: Pick<PackageUrls, 'of'>, paths: ServicePaths): JsonObject => ({
  version: '3.0.0',
  resources: resourcesAt(paths).flatMap(([path, ...types]) =>
    types.map((type) => ({ '@id': of(path), '@type': type })),
  ),
});
