import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { malformed } from './format-problem.ts';

/**
 * An element of an XML document: its text, or its elements. Comments and texts between elements are left out, and so are elements and
 * attributes of other namespaces, which a browser could take for HTML, unless their reader wants them.
 */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly elements: readonly Element[];
  /** The text of an element without elements, without spaces around it. */
  readonly text: string;
}

const depthMax = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What becomes of the elements and attributes of other namespaces. */
export type Namespaces = 'left out' | 'by local names' | 'with their prefixes';

/** The part of a name behind its prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The name of an element or an attribute as its reader wants it; undefined if that is left out, as what has a prefix or names a namespace. */
const namings: Readonly<Record<Namespaces, (name: string) => string | undefined>> = {
  'left out': (name) => (name === 'xmlns' || name.includes(':') ? undefined : name),
  'by local names': localName,
  'with their prefixes': (name) => name,
};

const elementOf = (given: XmlElement, namespaces: Namespaces, depth = 1): Element => {
  if (depth > depthMax) throw new Error(`More than ${depthMax} levels.`);
  const nameOf = namings[namespaces];
  const inner = given.children.filter((child) => child instanceof XmlElement);
  const attributes: Record<string, string> = {};
  for (const [key, value] of Object.entries(given.attributes)) {
    const known = nameOf(key);
    if (known !== undefined) attributes[known] = value;
  }
  return {
    name: nameOf(given.name) ?? given.name,
    attributes,
    elements: inner
      .filter(({ name }) => nameOf(name) !== undefined)
      .map((child) => elementOf(child, namespaces, depth + 1)),
    text: inner.length > 0 ? '' : given.text.trim(),
  };
};

/** Parses the text of one element, whose prefixes stay; undefined if it is not well-formed, or another follows. */
export const parseElement = (text: string): Element | undefined => {
  try {
    const { root } = parseXml(text);
    return root ? elementOf(root, 'with their prefixes') : undefined;
  } catch {
    return undefined;
  }
};

/** Parses an XML document. A refusal begins with the label. A document type is refused: it could define entities. */
export const parseDocument = (
  bytes: Uint8Array,
  label: string,
  bytesMax: number,
  namespaces: Namespaces = 'left out',
): Element => {
  if (bytes.length > bytesMax) throw malformed(`${label} has more than ${bytesMax} bytes.`);
  try {
    const text = utf8.decode(bytes);
    if (text.includes('<!DOCTYPE')) throw new Error('A document type.');
    const { root } = parseXml(text);
    if (!root) throw new Error('No element.');
    return elementOf(root, namespaces);
  } catch (error) {
    throw malformed(
      `${label} is not well-formed XML in UTF-8, without a document type and at most ${depthMax} levels deep.`,
      error,
    );
  }
};

/** The text of the child element with this name; undefined if there is none, or if it is empty. */
export const textOf = ({ elements }: Element, name: string): string | undefined =>
  elements.find((element) => element.name === name)?.text || undefined;

/** The first child element with this name. */
export const childOf = ({ elements }: Element, name: string): Element | undefined =>
  elements.find((element) => element.name === name);

/** An element with a text. */
export const textElement = (name: string, text: string): Element => ({ name, attributes: {}, elements: [], text });

/** An element with elements. */
export const parentElement = (
  name: string,
  elements: readonly Element[],
  attributes: Element['attributes'] = {},
): Element => ({ name, attributes, elements, text: '' });

/** What XML cannot have, however it is written. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Readers take it for the end of a line where it stands as it is.
  '\r': '&#13;',
};
const escaped = (text: string): string =>
  text.replaceAll(forbidden, '').replaceAll(/[&<>"\r]/g, (character) => escapes[character] ?? '');

const linesOf = ({ name, attributes, elements, text }: Element, indent: string): string[] => {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  // Clients of feeds tell an empty element by its one tag.
  if (elements.length === 0 && text === '') return [`${indent}<${name}${list.join('')}/>`];
  const start = `${indent}<${name}${list.join('')}>`;
  if (elements.length === 0) return [`${start}${escaped(text)}</${name}>`];
  return [start, ...elements.flatMap((element) => linesOf(element, `${indent}  `)), `${indent}</${name}>`];
};

/** Renders an element, without the end of its last line. */
export const renderElement = (root: Element): string => linesOf(root, '').join('\n');

/** Renders a document. The same element always gives the same bytes, because clients ask for their checksums. */
export const renderDocument = (root: Element): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${renderElement(root)}\n`);
