import fc from 'fast-check';
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { parseYaml } from '../../../shared/packages/formats/yaml.ts';
import { refusalOf } from '../../harness/format-refusals.ts';

/** `npm run test:names` asks for a million. */
const numRuns = Number(process.env.NAME_RUNS ?? 300);

const parse = (text: string): unknown => parseYaml(Buffer.from(text), 'It');
const expected = (text: string): unknown => load(text, { schema: CORE_SCHEMA, json: true });

/** What js-yaml reads; undefined if it refuses the text. */
const outcomeOf = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: expected(text) };
  } catch {
    return undefined;
  }
};

describe('YAML', () => {
  it.each([
    'a: 1\nb: two\n',
    '# comment\n---\na:\n  b:\n    c: 1\n...\n',
    '- a\n- b: 1\n  c: 2\n-\n  - d\n- - e\n  - f\n-   g:\n     - h\n',
    'a:\n- 1\n- 2\nb:\n  - 3\n',
    'a: # comment\n  b: 1 # another\n  # third\nc: d#e # f\n',
    "a: \"x\\ty\\u263a\\x41\\U0001F600\\\"\\\\\\/\"\nb: 'it''s'\n",
    'a: "one\n  two\n\n  three\\\n  four \\\n  five"\nb: \'x\n  y\n\n\n  z\'\n',
    'a: plain text\n  goes on\n\n  and on\nb: x\n',
    'a: |\n  one\n   two\n\n  three\n\nb: >\n  one\n  two\n\n   three\n  four\n\n\nc: x',
    'a: |-\n  x\n\nb: |+\n  x\n\nc: >-\n\n  x\n  y\nd: >+\n  x\n\n',
    'a: |2\n    x\n  y\n',
    '- |\n x\n- >\n x\n y\n',
    'a: |\nb: 1\n',
    'a: [1, two, "three", [4], {b: c, "d":e, f}, ]\nb: {}\nc: []\n',
    'a: [\n  1, # one\n  2\n ]\nb: {\n  c: d,\n  e: [f,\n  g]}\n',
    'a: null\nb: ~\nc:\nd: true\ne: False\nf: 0x1F\ng: 0o17\nh: -1.5e3\ni: 012\nj: 1_000\nk: .5\nl: 1.\nm: +1\nn: 2020-01-01\no: yes\np: 1.10\n',
    '1: a\ntrue: b\n~: c\n"quoted key": d\n\'e f\': g\nh i: j\n',
    'a: http://x.example:80/y#z\nb: x:y\nc: -1\nd: -x\ne: ?x\nf: :x\n',
    'a: 1\na: 2\n',
    '__proto__: {x: 1}\n',
    'a:\r\n  - b\r\n  - c: |\r\n      d\r\n',
    'plain\n',
    '"quoted"',
    '[a, b]',
    'a: b\n\n\n',
    'a:   \n  b:   c   \n',
    'a:\n  - b\n\n  - c\n# x\n  - d\n',
    'a: >\n  x\n\n    more\n    indented\n\n  y\n',
    'description: It\'s "quoted" inside, with [brackets] and {braces}\n',
    'a: x\n   # comment\nb: y\n',
    "a: ''\nb: \"\"\nc: ' '\n",
    "a: 'it''\n  s'\nb: ['''', '''\n  ']\n",
    `a: "${'one\n  two\n  '.repeat(700)}"\nb: [${'1,\n '.repeat(1_900)}]\nc: d\n`,
  ])('is read as js-yaml reads it: %j', (text) => {
    expect(parse(text)).toEqual(expected(text));
  });

  it('has lines of 64 kB at most', () => {
    const line = `a: ${'x'.repeat(64 * 1024 - 3)}`;
    expect(parse(line)).toEqual({ a: line.slice(3) });
    expect(refusalOf(() => parse(`${line}x`))).toBe('malformed: It has a line of more than 65536 characters.');
  });

  it('is read where a bracket closes without indentation, as helm reads it', () => {
    expect(parse('a: [\n  1\n]\nb: {\n  c: d\n}\n')).toEqual({ a: [1], b: { c: 'd' } });
  });

  it.each([
    ['a: &x 1', 'anchor'],
    ['a: *x', 'anchor'],
    ['a: !!str x', 'anchor'],
    ['%YAML 1.2\n---\na: 1', ''],
    ['? a\n: b', ''],
    ['a: b: c', ''],
    ['a: 1\n b: 2', ''],
    ['a:\n  b: 1\n c: 2', ''],
    ['a: "x', ''],
    ['a: [1', ''],
    ['a: [1]]', ''],
    ['a: "x" y', ''],
    ['a: "\\q"', 'escape'],
    ['\ta: 1', 'tab'],
    ['a: 1\n---\nb: 2', ''],
    [' ---', 'blanks before'],
    ['  ---\na: 1', 'blanks before'],
    ['a: |3x\n  y', ''],
    ['|\n  a', ''],
    ['- a\nb: c', ''],
    ['a: 1\n- b', ''],
    ['a\0b: 1', 'control'],
    [`a: ${'['.repeat(100)}${']'.repeat(100)}`, 'nests'],
    [Array.from({ length: 100 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 'nests'],
  ])('is refused: %j', (text, words) => {
    expect(refusalOf(() => parse(text))).toMatch(new RegExp(`^malformed: It .*${words}`, 's'));
  });

  const text = fc.oneof(
    fc.stringMatching(/^[a-z0-9:#'"[\]{},&*!|>%@`?~. \n-]{0,12}$/),
    fc.constantFrom(
      'null',
      'true',
      '1.0',
      '0x1',
      ' a',
      'a ',
      '- a',
      'a: b',
      '#',
      "'",
      '\n',
      'a\n\nb\n',
      '  x\ny',
      '…é☃',
    ),
  );
  // A key of several lines would be written with a question mark.
  const key = text.filter((each) => !each.includes('\n'));
  const tree = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      text,
      fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(key, tie('node'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).node;

  it('is read back as it was written, in any style', () => {
    const style = fc.record({
      flowLevel: fc.constantFrom(-1, 0, 1, 2),
      seqNoIndent: fc.boolean(),
      lineWidth: fc.constantFrom(-1, 20, 80),
      indent: fc.constantFrom(2, 4),
    });
    fc.assert(
      fc.property(tree, style, (value, options) => {
        const written = dump({ value }, { ...options, noRefs: true });
        expect(parse(written)).toEqual(expected(written));
      }),
      { numRuns },
    );
  });

  it('is never read otherwise than by js-yaml, and nothing fails', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '1',
      ': ',
      ':',
      '- ',
      '-',
      '\n',
      '\n  ',
      '\n    ',
      ' ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ', ',
      '#',
      ' # ',
      '|',
      '>',
      '|-\n',
      '\\n',
      '~',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const written = pieces.join('');
        const read = refusalOf(() => parse(written));
        expect(read).toMatch(/^(?:accepted$|malformed: )/);
        // Whether it is YAML at all, helm decides when it reads the chart.
        const theirs = outcomeOf(written);
        if (read !== 'accepted' || !theirs) return;
        expect({ written, value: parse(written) }).toEqual({ written, ...theirs });
      }),
      { numRuns: numRuns * 10 },
    );
  });
});
