import { getConsolePage } from '../../functions/console/contracts.ts';
import { getReferencePage } from '../../functions/system/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Reply } from './wire.ts';

/** What a browser may do with an answer: nothing. */
export const policy = "default-src 'none'; sandbox; frame-ancestors 'none'";

/** Media types of documents, which browsers show as pages of the service, with its origin. */
const shownAsPage = /html|xml|svg|pdf/i;

/** Refuses an answer that a browser could run, or show as a page of the service. */
export const checkAgainstBrowsers = ({ headers, text }: Pick<Reply, 'headers' | 'text'>, contract?: Contract): void => {
  const place = contract?.id ?? 'A refusal';
  // A page says the rest of its policy itself, which a test of its own reads.
  if (contract?.id === getReferencePage.id || contract?.id === getConsolePage.id) return;
  const own = headers['content-security-policy'];
  if (own !== policy) throw new Error(`${place} has the Content-Security-Policy ${JSON.stringify(own)}.`);
  const { 'content-type': mediaType = '', 'content-disposition': disposition } = headers;
  const isLinkPage = mediaType.startsWith('text/html');
  if (text !== '' && shownAsPage.test(mediaType) && !isLinkPage && disposition !== 'attachment')
    throw new Error(`${place} lets browsers show ${mediaType} with the disposition ${JSON.stringify(disposition)}.`);
};

/** How long a URL of the object store works: whoever finds it in a log or a history must come too late. */
const lifetimeSeconds = '300';

const refuse = (contract: Contract, sentence: string): never => {
  throw new Error(`${contract.id} ${sentence}`);
};

/** Only the caller's own cache may keep an answer, and it must ask each time whether the answer still holds. */
const checkCaching = (contract: Contract, { headers }: Reply): void => {
  const { 'cache-control': caching, vary, etag, 'content-encoding': encoding } = headers;
  if (caching !== 'no-store' && caching !== 'private, no-cache')
    refuse(contract, `has the Cache-Control ${JSON.stringify(caching)}.`);
  const isKept = caching !== 'no-store' || encoding !== undefined;
  if (isKept && vary !== 'Accept, Accept-Encoding')
    refuse(contract, `may be kept in another form: its Vary is ${JSON.stringify(vary)}.`);
  if (isKept && !/^"[^"]+"$/.test(String(etag)))
    refuse(contract, `may be kept, and nobody can ask whether it still holds: its ETag is ${JSON.stringify(etag)}.`);
};

/** A browser saves what publishers uploaded, and does not show it. Pages with links, which pip reads, are our own. */
const checkDisposition = (contract: Contract, { status, headers, text }: Reply): void => {
  const { 'content-type': mediaType = '', 'content-disposition': disposition } = headers;
  const hasBody = status < 300 && (text !== '' || Number(headers['content-length'] ?? 0) > 0);
  const isLinkPage = contract.id.startsWith('pypi/') && mediaType.startsWith('text/html');
  const promised = hasBody && !isLinkPage ? 'attachment' : undefined;
  if (disposition !== promised)
    refuse(contract, `has ${mediaType} with the disposition ${JSON.stringify(disposition)}.`);
};

/** A redirect leads to the object store, with a URL that soon ends and saves the file, or to an address of the service itself. */
const checkRedirect = (contract: Contract, { headers }: Reply, baseUrl: string): void => {
  const location = new URL(headers.location ?? '');
  const query = location.searchParams;
  if (!query.has('X-Amz-Signature')) {
    if (!location.href.startsWith(`${baseUrl.replace(/\/$/, '')}/`)) refuse(contract, `redirects to ${location.href}.`);
    return;
  }
  const [lifetime, disposition] = [query.get('X-Amz-Expires'), query.get('response-content-disposition')];
  if (lifetime !== lifetimeSeconds) refuse(contract, `gives a URL that works for ${lifetime} s.`);
  if (!/^attachment; filename\*=UTF-8''[^;']+$/.test(disposition ?? ''))
    refuse(contract, `gives a URL with the disposition ${JSON.stringify(disposition)}.`);
};

/** Refuses a success of kind bytes or redirect whose headers let others keep it, or browsers show it. */
export const checkPackageAnswer = (contract: Contract, reply: Reply, baseUrl: string): void => {
  checkCaching(contract, reply);
  checkDisposition(contract, reply);
  if (reply.status === 302) checkRedirect(contract, reply, baseUrl);
};
