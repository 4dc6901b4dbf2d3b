import type { Contract } from '../../shared/http/contract.ts';
import type { Reply } from './wire.ts';

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
