import type { Nodes, Paragraph, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { ComponentChildren } from 'preact';
import { el } from './elements.ts';
import { freeBars, holdBars, type MarkdownTable, plainBars, tableIn } from './markdown-tables.ts';
import { words } from './words.ts';

/** Deeper nodes are left out. */
const depthMax = 40;

/** An address that a README may lead to. Relative ones lead nowhere, because the files of the package are not here. */
const safeAddress = (url: string): string | undefined =>
  /^(?:https?:\/\/|mailto:)/i.test(url) && URL.canParse(url) ? url : undefined;

const linkTo = (url: string, children: ComponentChildren): ComponentChildren => {
  const href = safeAddress(freeBars(url));
  return href
    ? el('a', { href, rel: 'noopener noreferrer nofollow ugc', referrerpolicy: 'no-referrer' }, children)
    : children;
};

/** The definition of a reference, by its identifier. */
type Definitions = ReadonlyMap<string, string>;

const childrenOf = (node: Nodes, definitions: Definitions, depth: number): ComponentChildren =>
  'children' in node ? node.children.map((child) => elementOf(child, definitions, depth + 1)) : [];

/** The cells of a row. A bar in its code is one of the text: only the backslash before it said so. */
const cellsOf = (
  name: 'th' | 'td',
  row: MarkdownTable['head'],
  definitions: Definitions,
  depth: number,
): ComponentChildren =>
  row.map((cell) =>
    el(
      name,
      name === 'th' ? { scope: 'col' } : null,
      cell.map((node) =>
        elementOf(
          node.type === 'inlineCode' ? { ...node, value: plainBars(node.value) } : node,
          definitions,
          depth + 1,
        ),
      ),
    ),
  );

/** A paragraph, or the table that its lines make. */
const paragraph = (node: Paragraph, definitions: Definitions, depth: number): ComponentChildren => {
  const found = tableIn(node);
  if (!found) return el('p', null, childrenOf(node, definitions, depth));
  const row = (name: 'th' | 'td', cells: MarkdownTable['head']) =>
    el('tr', null, cellsOf(name, cells, definitions, depth));
  return [
    found.above.length > 0 &&
      el(
        'p',
        null,
        found.above.map((child) => elementOf(child, definitions, depth + 1)),
      ),
    el(
      'div',
      { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': words.table },
      el(
        'table',
        null,
        el('thead', null, row('th', found.head)),
        el(
          'tbody',
          null,
          found.rows.map((cells) => row('td', cells)),
        ),
      ),
    ),
  ];
};

/**
 * The element of a node. The list is closed: what is not in it is left out. HTML of the text is shown as text, and an image is a
 * link, because to load it would tell the publisher who reads.
 */
const elementOf = (node: Nodes, definitions: Definitions, depth: number): ComponentChildren => {
  if (depth > depthMax) return null;
  const inside = () => childrenOf(node, definitions, depth);
  switch (node.type) {
    case 'text':
      return plainBars(node.value);
    case 'html':
      return el('code', { class: 'html' }, freeBars(node.value));
    case 'paragraph':
      return paragraph(node, definitions, depth);
    case 'heading':
      // The page has headings of its own above these.
      return el(`h${Math.min(6, node.depth + 2)}`, null, inside());
    case 'emphasis':
      return el('em', null, inside());
    case 'strong':
      return el('strong', null, inside());
    case 'inlineCode':
      return el('code', null, freeBars(node.value));
    case 'code':
      return el('pre', { tabIndex: 0 }, el('code', null, freeBars(node.value)));
    case 'blockquote':
      return el('blockquote', null, inside());
    case 'list':
      return el(node.ordered ? 'ol' : 'ul', null, inside());
    case 'listItem':
      return el('li', null, inside());
    case 'thematicBreak':
      return el('hr', null);
    case 'break':
      return el('br', null);
    case 'link':
      return linkTo(node.url, inside());
    case 'linkReference':
      return linkTo(definitions.get(node.identifier) ?? '', inside());
    case 'image':
      return linkTo(node.url, words.image(plainBars(node.alt ?? '')));
    case 'imageReference':
      return linkTo(definitions.get(node.identifier) ?? '', words.image(plainBars(node.alt ?? '')));
    // The parser knows no extension of the language, tables are made of paragraphs, and a definition is shown where something refers to it.
    case 'definition':
    case 'delete':
    case 'footnoteDefinition':
    case 'footnoteReference':
    case 'root':
    case 'table':
    case 'tableCell':
    case 'tableRow':
    case 'yaml':
      break;
  }
  return null;
};

/** The definitions in a node, also those in quotes and lists, as far down as nodes are shown. */
const definitionsIn = (node: Nodes, depth = 0): (readonly [identifier: string, url: string])[] => {
  if (node.type === 'definition') return [[node.identifier, node.url]];
  return 'children' in node && depth < depthMax
    ? node.children.flatMap((child) => definitionsIn(child, depth + 1))
    : [];
};

/** The tree of a text in Markdown. Of a few kilobytes that somebody chose for it, the parser makes minutes. */
export const parse = (text: string): Root => fromMarkdown(holdBars(text));

/** The elements of a README, of its tree. No text becomes HTML on the way. */
export const markdown = (tree: Root): ComponentChildren => {
  // Of two with one label, the first counts.
  const definitions = new Map(definitionsIn(tree).toReversed());
  return tree.children.map((node) => elementOf(node, definitions, 0));
};
