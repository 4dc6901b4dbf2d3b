import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { documentKeys } from '../../shared/packages/fetch/remote-documents.ts';
import { answerLargeDocument } from '../../shared/packages/serve/document-answers.ts';
import { fileEndpoint, fileIn } from '../../shared/packages/serve/file-endpoint.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { addressedSources, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { getPypiDocument } from './contracts.ts';
import { pageTypes, preferredForm } from './page-forms.ts';
import { parsePath } from './paths.ts';
import { mergeFiles, renderHtmlPage, renderJsonPage } from './project-pages.ts';
import { findProject, urlOf } from './reading.ts';
import { projectNames, renderRootPage, revisionOf } from './root-page.ts';
import { pypi } from './type.ts';
import { locateFile, pageName, releaseOf } from './upstream-pages.ts';
import { order } from './version-order.ts';

type GetCall = Call<typeof getPypiDocument>;
type Answer = Promise<BytesResult | RedirectResult>;

/** The form of a page that the client of a request prefers. */
const formOf = (call: GetCall) => preferredForm(call.header('accept'));

const rootAnswer = async (call: GetCall, sources: Sources): Answer => {
  const names = await projectNames(call.table, sources);
  const form = formOf(call);
  return answerLargeDocument(call, {
    name: 'simple',
    fileName: form === 'json' ? 'simple.json' : 'simple.html',
    revision: revisionOf(names),
    headers: originHeaders({ origins: sources.all.map(({ name }) => name) }),
    mediaType: pageTypes[form],
    render: async () => renderRootPage(names, form),
  });
};

/** Links are relative, so that they are right behind every proxy. A larger page may be sent from another host. */
const relativePageBytesMax = 4_500_000;

const projectAnswer = async (call: GetCall, sources: Sources, name: string): Answer => {
  const found = await findProject(call, sources, name);
  const form = formOf(call);
  const render = async (): Promise<Buffer> => {
    const page = { ...mergeFiles(await found.load()), name };
    const renderPage = form === 'json' ? renderJsonPage : renderHtmlPage;
    const relative = renderPage(page, (path) => `../../${path}`);
    if (relative.length <= relativePageBytesMax) return relative;
    return renderPage(page, urlOf(call));
  };
  const fileName = `${name}.${form === 'json' ? 'json' : 'html'}`;
  return answerLargeDocument(call, {
    ...found,
    sourceBytes: found.bytes,
    fileName,
    mediaType: pageTypes[form],
    render,
  });
};

/** What most of those who come here need: their index URL lacks its end. */
const noAddress =
  "This address has no page and no file. The index is below simple/: clients take the address of the repository with '/simple/' after it as their index URL.";

const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'project' ? { name: parsed.name, documents: [pageName(parsed.name)] } : undefined;
};

const files = fileEndpoint(pypi, {
  indexIn,
  addressIn: fileIn(parsePath),
  locate: locateFile,
  locationKeys: (source, { name }) => documentKeys(source, pageName(name)),
  releaseOf,
});

export const handler = endpoint(
  getPypiDocument,
  async (call) => {
    const sources = addressedSources(call, { ...pypi, order });
    const path = parsePath(call.params.path);
    if (path.kind === 'unknown') throw new ApiError('FILE_NOT_FOUND', noAddress);
    if (path.kind === 'json') return { kind: 'redirect', location: urlOf(call)(`pypi/${path.path}`) };
    if (path.kind !== 'file') {
      // The links of a page begin at the folder that its address names.
      if (!path.hasSlash) return { kind: 'redirect', location: `${call.url}/` };
      if (path.kind === 'root') return rootAnswer(call, sources);
      return orPending(pypi, call, async () => projectAnswer(call, sources, path.name));
    }
    return files.serve(call, sources, path);
  },
  { alsoRead: files.alsoRead },
);
