import {
  type LoadedDocument,
  loadDocument,
  type UpstreamDocument,
} from '../../shared/packages/fetch/remote-documents.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { spokenProtocol } from '../../shared/packages/nupkg-protocol/upstream-service.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';

/** A page of vulnerabilities at an upstream. */
export interface UpstreamPage {
  readonly name: string;
  /** When it last changed. */
  readonly updated: string;
  readonly url: string;
}

/** No package has this name: an ID does not begin with a hyphen. */
const documentName = '-vulnerabilities';

const pagesIn = (kept: Uint8Array, url: string, hosts: readonly string[]): readonly UpstreamPage[] => {
  const list: unknown = JSON.parse(Buffer.from(kept).toString());
  if (!Array.isArray(list)) throw malformed('The index of vulnerabilities of the upstream is no list.');
  return list.filter(isObject).flatMap(({ '@name': name, '@id': id, '@updated': updated }) => {
    if (typeof name !== 'string' || typeof updated !== 'string' || Number.isNaN(Date.parse(updated))) return [];
    if (typeof id !== 'string' || !URL.canParse(id, url) || !hosts.includes(new URL(id, url).host)) return [];
    return [{ name, updated, url: new URL(id, url).href }];
  });
};

/** The pages that the upstream of a repository lists; undefined if it has none. Throws as `loadDocument`. */
export const upstreamPages = async (
  request: FetchRequest,
  source: RemoteRepository,
): Promise<LoadedDocument<readonly UpstreamPage[]> | undefined> => {
  const spoken = await spokenProtocol(request, source);
  if (spoken.version !== 3 || spoken.service.vulnerabilities === undefined) return undefined;
  const { vulnerabilities: url, hosts } = spoken.service;
  return loadDocument(request, source, {
    name: documentName,
    document: 'index',
    url,
    accept: 'application/json',
    parse: (kept) => pagesIn(kept, url, hosts),
  });
};

const pageDocument = ({ name, url }: UpstreamPage): UpstreamDocument<Buffer> => ({
  name: documentName,
  document: `page ${name}`,
  url,
  accept: 'application/json',
  parse: (kept) => {
    parseObject(kept, 'The page of vulnerabilities of the upstream');
    return Buffer.from(kept);
  },
});

/** A page as the upstream has it; undefined if it is not there. A copy is fresh as long as the index says no later time. Throws as `loadDocument`. */
export const upstreamPage = async (
  request: FetchRequest,
  source: RemoteRepository,
  page: UpstreamPage,
): Promise<LoadedDocument<Buffer> | undefined> => {
  const metadataCacheTimeTillRevalidation = Math.max(0, Date.now() - Date.parse(page.updated));
  return loadDocument(request, { ...source, metadataCacheTimeTillRevalidation }, pageDocument(page));
};
