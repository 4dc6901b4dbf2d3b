import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { ComponentChildren } from 'preact';
import { el } from './elements.ts';
import { words } from './words.ts';

/** Longer texts are shown as they are: to parse them takes too long. */
const parsedLengthMax = 256 * 1024;

/** Deeper nodes are left out. */
const depthMax = 40;

/** An address that a README may lead to. Relative ones lead nowhere, because the files of the package are not here. */
const safeAddress = (url: string): string | undefined =>
  /^(?:https?:\/\/|mailto:)/i.test(url) && URL.canParse(url) ? url : undefined;

const linkTo = (url: string, children: ComponentChildren): ComponentChildren => {
  const href = safeAddress(url);
  return href
    ? el('a', { href, rel: 'noopener noreferrer nofollow ugc', referrerpolicy: 'no-referrer' }, children)
    : children;
};

/** The definition of a reference, by its identifier. */
type Definitions = ReadonlyMap<string, string>;

const childrenOf = (node: Nodes, definitions: Definitions, depth: number): ComponentChildren =>
  'children' in node ? node.children.map((child) => elementOf(child, definitions, depth + 1)) : [];

/**
 * The element of a node. The list is closed: what is not in it is left out. HTML of the text is shown as text, and an image is a
 * link, because to load it would tell the publisher who reads.
 */
const elementOf = (node: Nodes, definitions: Definitions, depth: number): ComponentChildren => {
  if (depth > depthMax) return null;
  const inside = () => childrenOf(node, definitions, depth);
  switch (node.type) {
    case 'text':
      return node.value;
    case 'html':
      return el('code', { class: 'html' }, node.value);
    case 'paragraph':
      return el('p', null, inside());
    case 'heading':
      // The page has headings of its own above these.
      return el(`h${Math.min(6, node.depth + 2)}`, null, inside());
    case 'emphasis':
      return el('em', null, inside());
    case 'strong':
      return el('strong', null, inside());
    case 'inlineCode':
      return el('code', null, node.value);
    case 'code':
      return el('pre', { tabIndex: 0 }, el('code', null, node.value));
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
      return linkTo(node.url, words.image(node.alt ?? ''));
    case 'imageReference':
      return linkTo(definitions.get(node.identifier) ?? '', words.image(node.alt ?? ''));
    // No extension of the language is in use, and a definition is shown where something refers to it.
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

const definitionsOf = ({ children }: Root): Definitions =>
  new Map(children.flatMap((node) => (node.type === 'definition' ? [[node.identifier, node.url] as const] : [])));

/** The elements of a README in Markdown. No text becomes HTML on the way. */
export const markdown = (text: string): ComponentChildren => {
  if (text.length > parsedLengthMax) return el('pre', { tabIndex: 0 }, text);
  const tree = fromMarkdown(text);
  return tree.children.map((node) => elementOf(node, definitionsOf(tree), 0));
};
