import { ApiError } from '../errors.ts';
import { consoleHeader } from './console-header.ts';

/** The parts of a request that say which page made a browser send it. */
export interface SentRequest {
  readonly method: string | undefined;
  readonly changesByGet?: true | undefined;
  /** A header of the request, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly baseUrl: string;
}

const readingMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** `same-site` is another host of the same domain, whose pages are not ours (w3.org/TR/fetch-metadata section 2.4). */
const otherSites: ReadonlySet<string | undefined> = new Set(['cross-site', 'same-site']);

/**
 * Refuses a request that changes something and that a page of another site made a browser send: the browser adds the password that
 * was once typed into its dialog. Clients that are no browsers send neither header.
 */
export const refuseCrossSite = ({ method, changesByGet, header, baseUrl }: SentRequest): void => {
  if (readingMethods.has(method) && !changesByGet) return;
  const origin = header('origin');
  const isForeign = origin !== undefined && origin !== URL.parse(baseUrl)?.origin;
  if (isForeign || otherSites.has(header('sec-fetch-site'))) throw new ApiError('CROSS_SITE_REQUEST');
};

/** Refuses a request with the cookie of a session that no page of this service sent, or an old browser for another one. */
export const requireOwnPage = (header: SentRequest['header']): void => {
  const site = header('sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin' || header(consoleHeader.toLowerCase()) !== '1') throw new ApiError('CROSS_SITE_REQUEST');
};
