import type { Answer } from './client.ts';

/** The query of a list. */
export type Query = Readonly<Record<string, string | number>>;

/** The entries of a list, which is a bare array. */
export const rowsOf = <Row>({ status, text }: Pick<Answer, 'status' | 'text'>): Row[] => {
  if (status !== 200) throw new Error(`No list, but ${status}: ${text}`);
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new Error(`A list is a bare array: ${text}`);
  return rows as Row[];
};

/** The query of the next page, as the Link header of an answer tells it. */
export const nextQuery = ({ headers }: Pick<Answer, 'headers'>): Readonly<Record<string, string>> | undefined => {
  if (headers.link === undefined) return undefined;
  const [, query] = /^<(\?[^>]*)>; rel="next"$/.exec(String(headers.link)) ?? [];
  if (query === undefined) throw new Error(`No relative link to a next page: ${String(headers.link)}`);
  return Object.fromEntries(new URLSearchParams(query));
};

/** The cursor of the next page; an error when there is none. */
export const cursorOf = (answer: Pick<Answer, 'headers'>): string => {
  const { cursor } = nextQuery(answer) ?? {};
  if (typeof cursor !== 'string') throw new Error('The answer leads to no next page.');
  return cursor;
};

/** Walks a list by its Link headers, page by page. */
export const walkPages = async <Row>(ask: (query: Query) => Promise<Answer>, first: Query): Promise<Row[][]> => {
  const pages: Row[][] = [];
  for (let query: Query | undefined = first; query; ) {
    const answer: Answer = await ask(query);
    pages.push(rowsOf<Row>(answer));
    query = nextQuery(answer);
  }
  return pages;
};
