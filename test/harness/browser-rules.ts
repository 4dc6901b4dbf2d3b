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
  // The page says the rest of its policy itself, which a test of its own reads.
  if (contract?.id === getReferencePage.id) return;
  const own = headers['content-security-policy'];
  if (own !== policy) throw new Error(`${place} has the Content-Security-Policy ${JSON.stringify(own)}.`);
  const { 'content-type': mediaType = '', 'content-disposition': disposition } = headers;
  const isLinkPage = mediaType.startsWith('text/html');
  if (text !== '' && shownAsPage.test(mediaType) && !isLinkPage && disposition !== 'attachment')
    throw new Error(`${place} lets browsers show ${mediaType} with the disposition ${JSON.stringify(disposition)}.`);
};
