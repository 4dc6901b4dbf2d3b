import { invalid } from '../../errors.ts';
import { type Filter, parseFilter } from './filters.ts';

export const feedMediaType = 'application/atom+xml; charset=utf-8';
export const countMediaType = 'text/plain; charset=utf-8';

/** What clients send with a request for versions. */
export interface FeedParameters {
  readonly $filter?: string | undefined;
  readonly $orderby?: string | undefined;
  readonly $skip?: number | undefined;
  readonly $top?: number | undefined;
  readonly $inlinecount?: string | undefined;
  readonly semVerLevel?: string | undefined;
  readonly id?: string | undefined;
  readonly searchTerm?: string | undefined;
  readonly includePrerelease?: string | undefined;
}

/** Which versions are asked for, in which order, and which page of them. */
export interface FeedQuery {
  readonly filter: Filter | undefined;
  /** Whether the versions of each package begin with the highest one. Packages are in the order of their names. */
  readonly isDescending: boolean;
  readonly skip: number;
  /** The number of versions that the client wants; undefined for all of them. */
  readonly top: number | undefined;
  /** Whether the answer says how many there are on all pages. */
  readonly hasCount: boolean;
  /** Whether the client can read versions of SemVer 2. */
  readonly hasSemVer2: boolean;
}

/** The maximum number of versions on a page. */
export const feedPageMax = 100;

/**
 * The orders that clients ask for. Packages are in the ascending order of their IDs in each: nobody counts the downloads of those that are
 * stored here, and who asks for the descending order goes through all pages.
 */
const orders = [
  'Id',
  'Id asc',
  'Id desc',
  'DownloadCount desc',
  'Version',
  'Version asc',
  'Version desc',
  'NormalizedVersion',
  'NormalizedVersion asc',
  'NormalizedVersion desc',
];

const parseOrder = (text: string): readonly string[] => {
  const terms = text.split(',').map((term) => term.trim().replaceAll(/ +/g, ' '));
  if (terms.every((term) => orders.includes(term))) return terms;
  throw invalid([
    { pointer: '', rule: 'order', message: `$orderby takes ${orders.join(', ')}, with commas between them.` },
  ]);
};

const filterOf = (sent: string): Filter | undefined => {
  // PSResourceGet writes the name of the parameter a second time.
  const text = sent.trim().replace(/^\$filter=/, '');
  return text === '' ? undefined : parseFilter(text);
};

/** Parses the query of a request for versions. Throws REQUEST_INVALID for a filter or an order that clients do not send. */
export const parseFeedQuery = ({
  $filter = '',
  $orderby = '',
  $skip = 0,
  $top,
  $inlinecount,
  semVerLevel,
}: FeedParameters): FeedQuery => ({
  filter: filterOf($filter),
  isDescending: $orderby.trim() !== '' && parseOrder($orderby).some((term) => term.endsWith('Version desc')),
  skip: $skip,
  top: $top,
  hasCount: $inlinecount === 'allpages',
  hasSemVer2: semVerLevel?.startsWith('2') === true,
});

/** The text in a parameter, which OData puts between quotes. */
export const parseQuoted = (text = ''): string =>
  text.length > 1 && text.startsWith("'") && text.endsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
