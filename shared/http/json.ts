import { ApiError } from '../errors.ts';

/** The maximum number of levels of nesting. No body of ours needs more than three. */
const depthMax = 16;

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const malformed = (detail: string): ApiError => new ApiError('BODY_MALFORMED', detail);

/** The end of the string that begins at `start`: the next quote that is not after an odd number of backslashes. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
};

const unescaped = (raw: string): string => {
  if (!raw.includes('\\')) return raw;
  const value = JSON.parse(`"${raw}"`) as string;
  if (!value.isWellFormed()) throw malformed('The request body holds an escape that is half of a surrogate pair.');
  return value;
};

/**
 * Refuses what JSON.parse accepts: duplicate keys (RFC 8259 section 4 leaves their meaning open), keys of prototypes,
 * deep nesting, and escapes that are not Unicode text. It expects well-formed JSON. It works character by character,
 * because regular expressions take five times as long for a batch.
 */
const checkTokens = (text: string): void => {
  const containers: (Set<string> | 'array')[] = [];
  let last = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      last = unescaped(text.slice(at + 1, end));
      at = end;
    } else if (character === '{' || character === '[') {
      containers.push(character === '{' ? new Set() : 'array');
      if (containers.length > depthMax) throw malformed(`The request body nests deeper than ${depthMax} levels.`);
    } else if (character === '}' || character === ']') containers.pop();
    else if (character === ':') checkKey(last, containers.at(-1));
  }
};

/**
 * Where JSON.parse stopped, if it says so at the end of its message. Nothing else of the message is told: it may quote the body, which
 * may hold secrets.
 */
const placeIn = ({ message }: Error): string => {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  return line === undefined ? '' : `: see line ${line}, column ${column}`;
};

const checkKey = (key: string, object: Set<string> | 'array' | undefined): void => {
  if (!(object instanceof Set)) return;
  if (forbiddenKeys.has(key)) throw malformed(`The request body must not have a key '${key}'.`);
  if (object.has(key)) throw malformed(`The request body has the key '${key.slice(0, 100)}' twice.`);
  object.add(key);
};

/** Reads the bytes of a request body as one JSON object, strictly. */
export const parseJsonObject = (bytes: Uint8Array): Record<string, unknown> => {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('The request body is not UTF-8.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`The request body is not well-formed JSON${placeIn(error as Error)}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('The request body must be one JSON object.');
  checkTokens(text);
  return value as Record<string, unknown>;
};
