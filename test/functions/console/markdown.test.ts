import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { hostileReadmes } from '../../console/readmes.ts';

/** What a page makes of a text: texts, and elements as Preact has them. */
type Made = string | null | undefined | false | Made[] | { readonly type: string; readonly props: Props };
type Props = Readonly<Record<string, unknown>> & { readonly children?: Made };

let markdown: (text: string) => Made;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '..', '..', '..', 'functions', 'console', 'app', 'markdown.ts')],
    bundle: true,
    write: false,
    format: 'cjs',
    conditions: ['worker'],
    logLevel: 'warning',
  });
  const module = { exports: {} as { parse: (text: string) => object; markdown: (tree: object) => Made } };
  // The app is for browsers: this is the same module as there.
  runInNewContext(outputFiles[0]?.text ?? '', { module, exports: module.exports, URL, Map });
  markdown = (text) => module.exports.markdown(module.exports.parse(text));
});

/** Every element in what was made. */
const elementsIn = (made: Made): { readonly type: string; readonly props: Props }[] => {
  if (Array.isArray(made)) return made.flatMap(elementsIn);
  if (typeof made !== 'object' || made === null) return [];
  return [made, ...elementsIn(made.props.children)];
};

const textIn = (made: Made): string => {
  if (Array.isArray(made)) return made.map(textIn).join('');
  if (typeof made === 'string') return made;
  return typeof made === 'object' && made !== null ? textIn(made.props.children) : '';
};

/** The closed list of elements, each with the attributes that it may have. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'referrerpolicy', 'rel'],
  code: ['class'],
  pre: ['tabIndex'],
  div: ['aria-label', 'class', 'role', 'tabIndex'],
  th: ['scope'],
  ...Object.fromEntries(
    [
      'blockquote',
      'br',
      'em',
      'h3',
      'h4',
      'h5',
      'h6',
      'hr',
      'li',
      'ol',
      'p',
      'strong',
      'table',
      'tbody',
      'td',
      'thead',
      'tr',
      'ul',
    ].map((type) => [type, []]),
  ),
};

const isSafe = ({ href = 'https://example.com' }: Props): boolean =>
  typeof href === 'string' && ['https:', 'http:', 'mailto:'].includes(new URL(href).protocol);

describe('a README in Markdown', () => {
  it('becomes elements of a closed list, whatever it holds', () => {
    expect(hostileReadmes.length).toBeGreaterThan(400);
    for (const readme of hostileReadmes) {
      const elements = elementsIn(markdown(readme));
      const strange = elements.filter(
        ({ type, props }) =>
          !allowed[type] || Object.keys(props).some((name) => name !== 'children' && !allowed[type]?.includes(name)),
      );
      expect({ readme, strange }).toEqual({ readme, strange: [] });
      expect({ readme, unsafe: elements.filter(({ props }) => !isSafe(props)) }).toEqual({ readme, unsafe: [] });
    }
  });

  it('shows HTML as text, and images as links that nobody follows by reading', () => {
    const made = markdown('<b>bold</b> ![a cat](https://example.com/cat.png)');
    expect(textIn(made)).toBe('<b>bold</b> Image: a cat');
    expect(elementsIn(made).flatMap(({ props: { href } }) => href ?? [])).toEqual(['https://example.com/cat.png']);
  });

  it('keeps what a README is made of', () => {
    const made = markdown('# Title\n\nText with *words*, **more** and `code`.\n\n1. one\n2. two\n\n> said\n\n---\n');
    expect(elementsIn(made).map(({ type }) => type)).toEqual([
      'h3',
      'p',
      'em',
      'strong',
      'code',
      'ol',
      'li',
      'p',
      'li',
      'p',
      'blockquote',
      'p',
      'hr',
    ]);
  });

  /** The addresses that a text leads to. */
  const addressesIn = (text: string) => elementsIn(markdown(text)).flatMap(({ props: { href } }) => href ?? []);

  it('has the first definition of a label, wherever it stands', () => {
    const [first, second] = ['https://example.com/first', 'https://example.com/second'];
    for (const [text, found] of [
      [`[a]\n\n[a]: ${first}\n[A]: ${second}\n`, first],
      [`[a]\n\n> [a]: ${first}\n\n[a]: ${second}\n`, first],
      [`- x\n\n  1. y\n\n     [a]: ${second}\n\n![b][a]\n`, second],
    ] as const)
      expect({ text, found: addressesIn(text) }).toEqual({ text, found: [found] });
    expect(addressesIn(`[a]\n\n${'>'.repeat(10_000)} [a]: ${first}\n`)).toEqual([]);
  });

  /** The tables in a text: of each its rows, of each row the texts of its cells. */
  const tablesIn = (text: string): string[][][] =>
    elementsIn(markdown(text))
      .filter(({ type }) => type === 'table')
      .map((found) =>
        elementsIn([found])
          .filter(({ type }) => type === 'tr')
          .map((row) => elementsIn([row]).flatMap((cell) => (/^t[dh]$/.test(cell.type) ? [textIn([cell])] : []))),
      );

  it('has tables, with and without bars at the ends of lines, and with text above them', () => {
    expect(tablesIn('| a | b |\n| --- | :-: |\n| *1* | `x \\| y` |\n| 2 | p \\| q | more |\n')).toEqual([
      [
        [' a ', ' b '],
        [' 1 ', ' x | y '],
        [' 2 ', ' p | q '],
      ],
    ]);
    expect(tablesIn('a | b\n--|--\n1 | [two](https://example.com)')).toEqual([
      [
        ['a ', ' b'],
        ['1 ', ' two'],
      ],
    ]);
    expect(textIn(markdown('Said | above\n|a|b|\n|-|-|\n'))).toBe('Said | above\nab');
  });

  it('has no table where the line below the first has another number of cells, or is none of dashes', () => {
    for (const text of ['| a | b |\n| - |\n', '| a | b |\n| c | d |\n', 'a | b', '--- | ---\na | b\n'])
      expect({ text, tables: tablesIn(text) }).toEqual({ text, tables: [] });
  });

  it('keeps a backslash before a bar where it is one: in code', () => {
    expect(textIn(markdown('`a \\| b`\n\n    c \\| d\n'))).toBe('a \\| bc \\| d');
  });
});
