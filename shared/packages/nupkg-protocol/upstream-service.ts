import { ApiError } from '../../errors.ts';
import type { Key } from '../../table/keys.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { documentKeys, type LoadedDocument, loadDocument, type UpstreamDocument } from '../fetch/remote-documents.ts';
import { malformed } from '../formats/format-problem.ts';
import { isObject, type JsonObject, parseObject } from '../formats/json-objects.ts';
import type { FetchRequest } from '../upstream/upstream-request.ts';
import { urlBelow } from '../upstream/url-below.ts';

/** The addresses of an upstream that speaks version 3 of the protocol, each undefined if it has none. */
export interface UpstreamService {
  readonly files?: string;
  readonly registrations?: string;
  readonly search?: string;
  readonly autocomplete?: string;
  readonly vulnerabilities?: string;
  /** The hosts of all its addresses: what leads there is no address for clients of this service. */
  readonly hosts: readonly string[];
}

/** The types of a resource in these versions, and without one. */
const versioned = (type: string, ...versions: string[]): readonly string[] => [
  ...versions.map((version) => `${type}/${version}`),
  type,
];

const searchVersions = ['3.5.0', 'Versioned', '3.0.0-rc', '3.0.0-beta'];

/** The types of a resource, those that are preferred first. */
const wantedTypes = {
  files: ['PackageBaseAddress/3.0.0'],
  registrations: versioned('RegistrationsBaseUrl', '3.6.0', 'Versioned', '3.4.0', '3.0.0-rc', '3.0.0-beta'),
  search: versioned('SearchQueryService', ...searchVersions),
  autocomplete: versioned('SearchAutocompleteService', ...searchVersions),
  vulnerabilities: ['VulnerabilityInfo/6.7.0'],
} as const;

interface Resource {
  readonly type: string;
  readonly url: string;
}

const resourcesIn = (list: readonly unknown[], base: string): readonly Resource[] =>
  list
    .filter(isObject)
    .flatMap(({ '@id': id, '@type': type }) =>
      typeof id === 'string' && URL.canParse(id, base)
        ? [type]
            .flat()
            .flatMap((each) => (typeof each === 'string' ? [{ type: each, url: new URL(id, base).href }] : []))
        : [],
    );

/** Reads a service index. Throws if the document is none. */
export const readService = (document: JsonObject, url: string): UpstreamService => {
  if (!Array.isArray(document.resources)) throw malformed('The service index of the upstream lists no resources.');
  const found = resourcesIn(document.resources, url);
  const addresses = Object.entries(wantedTypes).flatMap(([name, types]) => {
    const [first] = types.flatMap((type) => found.filter((resource) => resource.type === type));
    return first ? [[name, first.url] as const] : [];
  });
  const hosts = new Set([url, ...found.map((resource) => resource.url)].map((each) => new URL(each).host));
  return { ...Object.fromEntries(addresses), hosts: [...hosts] };
};

/**
 * The URL of the service index of an upstream; undefined if its URL is one of version 2 of the protocol. The URL of a remote
 * repository is that of the service index, or leads to the folder of it.
 */
export const serviceIndexUrl = (remoteRepositoryUrl: string): string | undefined => {
  const { pathname } = new URL(remoteRepositoryUrl);
  if (pathname.endsWith('.json')) return remoteRepositoryUrl;
  return /\/v2(?:\/|$)/i.test(pathname) ? undefined : urlBelow(remoteRepositoryUrl, 'index.json');
};

/** No package has this name: an ID does not begin with a hyphen. */
const documentName = '-service';

const serviceDocument = (url: string): UpstreamDocument<UpstreamService> => ({
  name: documentName,
  document: 'service index',
  url,
  accept: 'application/json',
  parse: (kept) => readService(parseObject(kept, 'The service index of the upstream'), url),
});

/** The keys of the items that say what an upstream speaks. */
export const serviceKeys = (source: RemoteRepository): readonly Key[] =>
  documentKeys(source, { name: documentName, document: 'service index' });

/** What an upstream speaks: version 3 of the protocol, or version 2, where that is all there is. */
export type SpokenProtocol =
  | { readonly version: 3; readonly service: UpstreamService; readonly document: LoadedDocument<unknown> }
  | { readonly version: 2 };

/** Learns what an upstream speaks. Throws as `loadDocument`. */
export const spokenProtocol = async (request: FetchRequest, source: RemoteRepository): Promise<SpokenProtocol> => {
  const url = serviceIndexUrl(source.remoteRepositoryUrl);
  const document = url === undefined ? undefined : await loadDocument(request, source, serviceDocument(url));
  if (document) return { version: 3, service: await document.read(), document };
  if (url === source.remoteRepositoryUrl)
    throw new ApiError(
      'UPSTREAM_FAILED',
      `${new URL(url).host} has no service index at the URL of '${source.name}': correct its remoteRepositoryUrl.`,
    );
  return { version: 2 };
};
