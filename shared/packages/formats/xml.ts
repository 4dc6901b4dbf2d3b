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

/** Whether an element or an attribute has a prefix, or names a namespace. */
const isOfNamespace = (name: string): boolean => name === 'xmlns' || name.includes(':');

const elementOf = ({ name, attributes, children, text }: XmlElement, depth: number): Element => {
  if (depth > depthMax) throw new Error(`More than ${depthMax} levels.`);
  const inner = children.filter((child) => child instanceof XmlElement);
  const elements = inner.filter((child) => !isOfNamespace(child.name)).map((child) => elementOf(child, depth + 1));
  const own = Object.entries(attributes).filter(([key]) => !isOfNamespace(key));
  return { name, attributes: Object.fromEntries(own), elements, text: inner.length > 0 ? '' : text.trim() };
};

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The same with the elements and attributes of all namespaces, by their local names. */
const localElementOf = ({ name, attributes, children, text }: XmlElement, depth: number): Element => {
  if (depth > depthMax) throw new Error(`More than ${depthMax} levels.`);
  const inner = children.filter((child) => child instanceof XmlElement);
  return {
    name: localName(name),
    attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [localName(key), value])),
    elements: inner.map((child) => localElementOf(child, depth + 1)),
    text: inner.length > 0 ? '' : text.trim(),
  };
};

/** What becomes of the elements and attributes of other namespaces. */
export type Namespaces = 'left out' | 'by local names';

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
    return namespaces === 'left out' ? elementOf(root, 1) : localElementOf(root, 1);
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
