import { dirname } from 'node:path/posix';
import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { order } from '../../shared/packages/nupkg/versions.ts';
import { urlsOf } from '../../shared/packages/nupkg-protocol/addresses.ts';
import { servicePaths } from '../../shared/packages/nupkg-protocol/service-index.ts';
import { type AnsweredDocument, answerLargeDocument } from '../../shared/packages/serve/document-answers.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { FeedList } from '../../shared/table/repositories/advisory-items.ts';
import { advisoryFeedKey } from '../../shared/table/repositories/advisory-keys.ts';
import { readList } from '../../shared/table/repositories/advisory-lists.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { getNugetVulnerabilities } from './contracts.ts';
import { nuget } from './type.ts';
import { upstreamPage, upstreamPages } from './upstream-vulnerabilities.ts';
import { vulnerabilityPage } from './vulnerability-page.ts';

type VulnerabilitiesCall = Call<typeof getNugetVulnerabilities>;
type Answered = Pick<AnsweredDocument, 'revision' | 'headers' | 'render'>;

/** The pages that an index lists, and how one of them is answered; undefined if it is not there. */
interface FoundPages {
  readonly pages: readonly { readonly name: string; readonly updated: string }[];
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: (name: string) => Promise<Answered | undefined>;
}

/** What was imported, as one page. */
const importedPages = ({ table, repository }: VulnerabilitiesCall, list: FeedList): FoundPages => {
  const headers = originHeaders({ origins: [repository.name] });
  return {
    pages: [{ name: 'imported', updated: list.updatedAt }],
    headers,
    answer: async () => ({
      revision: list.updatedAt,
      headers,
      render: async () => Buffer.from(JSON.stringify(vulnerabilityPage(await readList(table, nuget.name, list)))),
    }),
  };
};

/** The pages of the first of these repositories whose upstream has any. */
const pagesOfUpstreams = async (
  call: VulnerabilitiesCall,
  sources: readonly RemoteRepository[],
): Promise<FoundPages> => {
  const request = fetchRequest(call);
  for (const source of sources) {
    const index = await upstreamPages(request, source);
    if (!index) continue;
    const pages = await index.read();
    return {
      pages,
      headers: originHeaders({ origins: [source.name], caches: [index.cache] }),
      answer: async (name) => {
        const page = pages.find((each) => each.name === name);
        const found = page && (await upstreamPage(request, source, page));
        if (!found) return undefined;
        const headers = originHeaders({ origins: [source.name], caches: [found.cache] });
        return { revision: found.revision, headers, render: found.read };
      },
    };
  }
  return { pages: [], headers: originHeaders({ origins: [call.repository.name] }), answer: async () => undefined };
};

/** The folder of the pages. */
const folder = dirname(servicePaths.vulnerabilities);

/** An index of pages (learn.microsoft.com/nuget/api/vulnerability-info, "Vulnerability index"). */
const indexOf = (call: VulnerabilitiesCall, { pages, headers }: FoundPages): Answered => {
  const { of } = urlsOf(nuget, call);
  const index = pages.map(({ name, updated }) => ({
    '@name': name,
    '@id': of(`${folder}/${encodeURIComponent(name)}.json`),
    '@updated': updated,
  }));
  const content = JSON.stringify(index);
  return { revision: content, headers, render: async () => Buffer.from(content) };
};

const feedKey = advisoryFeedKey(nuget.name);

export const handler = endpoint(
  getNugetVulnerabilities,
  async (call) =>
    orPending(nuget, call, async () => {
      const { page } = call.params;
      const remotes = addressedSources(call, { ...nuget, order }).all.filter(isRemote);
      const [list] = remotes.length > 0 ? (call.loaded.find(feedKey)?.lists ?? []) : [];
      const found = list ? importedPages(call, list) : await pagesOfUpstreams(call, remotes);
      const isIndex = page === 'index.json';
      const answered = isIndex ? indexOf(call, found) : await found.answer(page.replace(/\.json$/, ''));
      if (!answered)
        throw new ApiError(
          'FILE_NOT_FOUND',
          'There is no such page of vulnerabilities: v3/vulnerabilities/index.json lists those that are.',
        );
      return answerLargeDocument(call, {
        ...answered,
        name: folder,
        fileName: page,
        mediaType: 'application/json',
      });
    }),
  { alsoRead: (request) => [...alsoReadSources(request), feedKey] },
);
