import { malformed } from './format-problem.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const depthMax = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The problem of a JSON value. There are packages with the names `constructor` and `prototype`, so lists of dependencies
 * have these keys. Such a key with an object as its value is an attack on code that merges objects.
 */
const flawOf = (value: unknown, depth: number): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > depthMax) return `nests deeper than ${depthMax} levels`;
  if (Array.isArray(value)) return firstFlaw(value, depth);
  for (const key in value) {
    const member = (value as JsonObject)[key];
    const isTrap = key === '__proto__' || ((key === 'constructor' || key === 'prototype') && isObject(member));
    if (isTrap) return `must not have an object under the key '${key}'`;
    const flaw = flawOf(member, depth + 1);
    if (flaw) return flaw;
  }
  return undefined;
};

const firstFlaw = (list: readonly unknown[], depth: number): string | undefined => {
  for (const member of list) {
    const flaw = flawOf(member, depth + 1);
    if (flaw) return flaw;
  }
  return undefined;
};

const textOf = (bytes: Uint8Array, label: string): string => {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw malformed(`${label} is not UTF-8.`, error);
  }
};

const parse = (text: string, label: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`${label} is not well-formed JSON.`, error);
  }
};

/**
 * Parses JSON that contains one object. A refusal begins with the label. If a key occurs twice, the last value counts,
 * as for every client of npm.
 */
export const parseObject = (json: Uint8Array | string, label: string): JsonObject => {
  const value = parse(typeof json === 'string' ? json : textOf(json, label), label);
  if (!isObject(value)) throw malformed(`${label} must be one JSON object.`);
  const flaw = flawOf(value, 1);
  if (flaw) throw malformed(`${label} ${flaw}.`);
  return value;
};

/** The members of an object whose values are texts. */
export const textsOf = (value: unknown): [string, string][] =>
  isObject(value)
    ? Object.entries(value).filter((member): member is [string, string] => typeof member[1] === 'string')
    : [];

/** An object without some of its members. */
export const without = (object: JsonObject, ...keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
