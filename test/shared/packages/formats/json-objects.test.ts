import fc from 'fast-check';
import { parseObject, textsOf, without } from '../../../../shared/packages/formats/json-objects.ts';
import { refusalOf } from '../../../harness/format-refusals.ts';

const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const refusal = (json: string | Uint8Array): string => refusalOf(() => parseObject(json, 'The body'));

describe('a document of npm', () => {
  it('is read as JSON.parse reads it', () => {
    const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 8 }), { noNullPrototype: true });
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(text));
        expect(parseObject(Buffer.from(text), 'The body')).toEqual(JSON.parse(text));
        expect(parseObject(text, 'The body')).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['a byte less', '{"a":1', 'The body is not well-formed JSON.'],
    ['nothing', '', 'The body is not well-formed JSON.'],
    ['a list', '[]', 'The body must be one JSON object.'],
    ['null', 'null', 'The body must be one JSON object.'],
    ['a text', '"a"', 'The body must be one JSON object.'],
    ['65 levels', nested(65), 'The body nests deeper than 64 levels.'],
    ['thousands of levels', nested(100_000), 'The body nests deeper than 64 levels.'],
    ['__proto__', '{"a":{"__proto__":1}}', "The body must not have an object under the key '__proto__'."],
    ['__proto__, escaped', '{"\\u005f_proto__":{}}', "The body must not have an object under the key '__proto__'."],
    ['constructor', '{"a":[{"constructor":{}}]}', "The body must not have an object under the key 'constructor'."],
    ['prototype', '{"prototype":{"a":1}}', "The body must not have an object under the key 'prototype'."],
  ])('is refused with %s', (_, text, sentence) => {
    expect(refusal(text)).toBe(`malformed: ${sentence}`);
  });

  it('is refused when it is not UTF-8', () => {
    expect(refusal(Buffer.from('{"a":"\xff"}', 'latin1'))).toBe('malformed: The body is not UTF-8.');
  });

  it('nests 64 levels', () => {
    expect(refusal(nested(64))).toBe('accepted');
  });

  it('depends on packages that are named constructor and prototype', () => {
    const dependencies = { constructor: '^1.0.0', prototype: '^0.0.5' };
    expect(parseObject(JSON.stringify({ dependencies }), 'The body')).toEqual({ dependencies });
  });

  it('means the last value of a key that it has twice', () => {
    expect(parseObject('{"a":1,"a":2}', 'The body')).toEqual({ a: 2 });
  });
});

describe('an object', () => {
  it('gives its texts alone', () => {
    expect(textsOf({ a: 'b', c: 1, d: null })).toEqual([['a', 'b']]);
    expect([textsOf(null), textsOf(['a']), textsOf('a')]).toEqual([[], [], []]);
  });

  it('loses members, not those of its prototype', () => {
    expect(without({ a: 1, b: 2, toString: 3 }, 'b', 'c')).toEqual({ a: 1, toString: 3 });
  });
});
