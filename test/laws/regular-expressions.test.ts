import { parseSync } from '@swc/core';
import { analyse } from 'scslre';
import { endpoints } from '../../functions/endpoints.ts';
import { sourceFiles } from './source-files.ts';

/** A pattern as the source has it. */
interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

const isPattern = (node: object): node is Pattern => 'type' in node && node.type === 'RegExpLiteral';

const patternsIn = (node: unknown, found: Pattern[] = []): Pattern[] => {
  if (typeof node !== 'object' || node === null) return found;
  if (isPattern(node)) found.push(node);
  for (const child of Object.values(node)) patternsIn(child, found);
  return found;
};

const product = sourceFiles.filter(({ path }) => /^(?:functions|shared)\//.test(path));

const patterns = product.flatMap(({ path, text }) =>
  patternsIn(parseSync(text, { syntax: 'typescript', target: 'es2024' }).body).map(({ pattern, flags }) => ({
    path,
    pattern,
    flags,
  })),
);

/** The patterns of the schemas of all endpoints. Their validators compile them with this flag. */
const patternsOfSchemas = (node: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (typeof node !== 'object' || node === null) return found;
  if ('pattern' in node && typeof node.pattern === 'string') found.add(node.pattern);
  for (const child of Object.values(node)) patternsOfSchemas(child, found);
  return found;
};

/** The patterns that modules put together while they are loaded. */
const patternsWhileLoading = (): Pattern[] => {
  const found: Pattern[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, [pattern, flags = '']: [string | RegExp, string?]) => {
      found.push({ pattern: typeof pattern === 'string' ? pattern : pattern.source, flags });
      return new target(pattern, flags);
    },
  });
  try {
    for (const { path, text } of product)
      if (/^const .*new RegExp\(/m.test(text)) jest.isolateModules(() => void require(`../../${path}`));
  } finally {
    globalThis.RegExp = original;
  }
  return found;
};

/** Whether a pattern may take more than linear time: by backtracking, or because it is tried at each position of a text. */
const isSlow = ({ pattern: source, flags }: Pattern): boolean => analyse({ source, flags }).reports.length > 0;

/** The slow patterns, each with why its text is short or why it is not slow after all. */
const harmless: Readonly<Record<string, string>> = {
  '/\\/+$/': 'the path of the URL of a remote repository, which has at most 2,048 characters',
  '/^https?:\\/\\/(?<authority>[^/?#]+)(?<path>[^?#]*)(?<query>\\?[^#]*)?(?<fragment>#.*)?$/isu': 'the same URL',
  '/^https?:\\/\\/[^/?]*(.*)$/i': 'the target of a request, which Node limits to 16 kB together with the headers',
  '/(?:^|,\\s*)Bearer\\s+(.*)$/is': 'one header of an upstream, of at most 32 kB',
  '/(?=[\\w+=-]*\\d)[\\w+=-]{32,}/g': 'the sentence of an upstream, of which at most 4 kB are read',
  '/\\u{10FFFF}+$/u': 'the beginning of a name that a request asks for',
  '/[^#:]+(?=:|$)/': 'the name of an error of AWS',
  '/(\\/[^\\s():]+\\.js):(\\d+):(\\d+)/g': 'the stack trace of an error of the service',
  '/\\+.*$/s': 'it matches at the first plus sign, and is tried nowhere else',
};

describe('The regular expressions of the product', () => {
  it('are found at all, and a slow one is seen', () => {
    expect(patterns.length).toBeGreaterThan(200);
    for (const pattern of ['(a+)+$', '^(?:\\s*a?\\s*)*b', '\\s+$']) expect(isSlow({ pattern, flags: '' })).toBe(true);
    for (const pattern of ['^a+$', '^[a-z]+-[0-9]+$']) expect(isSlow({ pattern, flags: '' })).toBe(false);
  });

  it('take linear time in schemas, and where modules put them together', () => {
    const schemas = [...patternsOfSchemas(endpoints)].map((pattern) => ({ pattern, flags: 'u' }));
    const composed = patternsWhileLoading();
    expect(schemas.length).toBeGreaterThan(10);
    expect(composed.some(({ pattern }) => pattern.includes('major'))).toBe(true);
    expect([...schemas, ...composed].filter(isSlow)).toEqual([]);
  });

  it('take linear time, but for those of short texts', () => {
    const slow = patterns.filter(isSlow).map(({ path, pattern, flags }) => ({ path, text: `/${pattern}/${flags}` }));
    expect(slow.filter(({ text }) => harmless[text] === undefined)).toEqual([]);
    expect(Object.keys(harmless).filter((text) => slow.every((each) => each.text !== text))).toEqual([]);
  });
});
