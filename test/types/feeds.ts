import { childOf, type Element, parseDocument } from '../../shared/packages/formats/xml.ts';

/** A version in a feed: its properties, by their names. */
export interface FeedEntry {
  readonly properties: Readonly<Record<string, string>>;
  readonly element: Element;
}

/** A page of a feed, as a client reads it. */
export interface ReadFeedPage {
  readonly entries: readonly FeedEntry[];
  readonly count: string | undefined;
  readonly next: string | undefined;
}

const entryOf = (element: Element): FeedEntry => ({
  properties: Object.fromEntries(
    (childOf(element, 'properties')?.elements ?? []).map(({ name, text, attributes }) => [
      name,
      attributes.null === 'true' ? 'null' : text,
    ]),
  ),
  element,
});

/** Reads a feed, or a document that is one entry. */
export const readFeedPage = (text: string): ReadFeedPage => {
  const root = parseDocument(Buffer.from(text), 'The feed', 10_000_000, 'by local names');
  const entries = root.name === 'entry' ? [root] : root.elements.filter(({ name }) => name === 'entry');
  return {
    entries: entries.map(entryOf),
    count: childOf(root, 'count')?.text,
    next: root.elements.find(({ name, attributes }) => name === 'link' && attributes.rel === 'next')?.attributes.href,
  };
};

/** The versions on a page, as `id version`. */
export const versionsIn = (text: string): readonly string[] =>
  readFeedPage(text).entries.map(({ properties: { Id, Version } }) => `${Id} ${Version}`);
