import fc from 'fast-check';
import { ApiError } from '../../../shared/errors.ts';
import { parseJsonObject } from '../../../shared/http/json.ts';
import { codePoint } from '../../harness/bytes.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const nested = (depth: number, open = '[', close = ']'): string => open.repeat(depth) + close.repeat(depth);

const refusalOf = (body: Uint8Array): { readonly code: string; readonly message: string } => {
  try {
    parseJsonObject(body);
    return { code: 'accepted', message: '' };
  } catch (error) {
    return error instanceof ApiError ? error : { code: `failed: ${String(error)}`, message: '' };
  }
};

const codeOf = (body: Uint8Array): string => refusalOf(body).code;

describe('a JSON body', () => {
  it('is read as JSON.parse reads it, whatever well-formed object it is', () => {
    const values = fc.jsonValue({ maxDepth: 8, stringUnit: codePoint }).map((value) => ({ value }));
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        const isPlain = !/"(?:__proto__|constructor|prototype)":/.test(text);
        if (isPlain && text.isWellFormed()) expect(parseJsonObject(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['a byte less', '{"a":1'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{"a":1/**/}'],
    ['a single quote', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['a leading zero', '{"a":01}'],
    ['two values', '{}{}'],
    ['a byte order mark', '\ufeff{}'],
    ['a raw line break in a string', '{"a":"\n"}'],
    ['nothing but spaces', '   '],
    ['an array', '[]'],
    ['an array of objects', '[{}]'],
    ['null', 'null'],
    ['a string', '"a"'],
    ['a number', '1'],
    ['true', 'true'],
    ['a key twice', '{"a":1,"a":1}'],
    ['a key twice, once escaped', '{"a":1,"\\u0061":1}'],
    ['a key twice below', '{"a":[{"b":1,"c":2,"b":1}]}'],
    ['an empty key twice', '{"":1,"":2}'],
    ['the key __proto__', '{"__proto__":{}}'],
    ['the key __proto__, escaped', '{"\\u005f_proto__":{}}'],
    ['the key constructor below', '{"a":{"constructor":1}}'],
    ['the key prototype', '{"prototype":1}'],
    ['half of a surrogate pair in a value', '{"a":"\\ud800"}'],
    ['half of a surrogate pair in a key', '{"\\udc00":1}'],
    ['17 levels', `{"a":${nested(16)}}`],
    ['thousands of levels', `{"a":${nested(30_000)}}`],
    ['thousands of levels that are never closed', `{"a":${'['.repeat(60_000)}`],
    ['17 levels of objects', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`],
  ])('is malformed with %s', (_, text) => {
    expect(codeOf(bytes(text))).toBe('BODY_MALFORMED');
  });

  it.each([
    ['a trailing comma', '{"a":1,}', ': see line 1, column 8'],
    ['single quotes, in the second line', "{\n  'a': 1}", ': see line 2, column 3'],
    ['an end that is missing', '{"a":1', ': see line 1, column 7'],
    ['what follows the end', '{"a":1}{}', ': see line 1, column 8'],
    ['a value that is none', '{"a":hidden}', ''],
    ['a place that the body itself names', 'x(line 1 column 2)', ''],
    ['nothing', ' ', ''],
  ])('is refused with the place of %s, as far as it is known, and nothing of the body', (_, text, place) => {
    expect(refusalOf(bytes(text)).message).toBe(`The request body is not well-formed JSON${place}.`);
  });

  it.each([
    ['a byte alone', [0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]],
    ['an overlong sequence', [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]],
    ['an encoded surrogate', [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('is malformed when it is not UTF-8: %s', (_, body) => {
    expect(codeOf(Uint8Array.from(body))).toBe('BODY_MALFORMED');
  });

  it.each([
    ['16 levels', `{"a":${nested(15)}}`],
    ['one key in many objects', '{"a":[{"b":1},{"b":1}],"b":{"a":1}}'],
    ['a value that looks like a key', '{"a":"a","b":"a"}'],
    ['forbidden keys as values', '{"a":"__proto__","b":["constructor","prototype"]}'],
    ['a pair of surrogates', '{"a":"\\ud83d\\ude00"}'],
    ['quotes, brackets and backslashes in strings', '{"a":"\\"}{[]\\\\","b":"\\\\\\""}'],
    ['64 KiB in one string', `{"a":"${'x'.repeat(65_000)}"}`],
    ['thousands of escapes', `{"a":"${'\\n'.repeat(30_000)}"}`],
  ])('is accepted with %s', (_, text) => {
    expect(parseJsonObject(bytes(text))).toEqual(JSON.parse(text));
  });
});
