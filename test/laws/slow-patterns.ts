import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { analyse } from 'scslre';

const root = join(import.meta.dirname, '..', '..');

/** A pattern as the source has it. */
export interface Pattern {
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

/** The sources of the product. */
export const product: readonly { readonly path: string; readonly text: string }[] = globSync(
  '{functions,shared}/**/*.ts',
  { cwd: root },
).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Every pattern that stands in the product, with the file. */
export const patterns: readonly (Pattern & { readonly path: string })[] = product.flatMap(({ path, text }) =>
  patternsIn(parseSync(text, { syntax: 'typescript', target: 'es2024' }).body).map(({ pattern, flags }) => ({
    path,
    pattern,
    flags,
  })),
);

/** Whether a pattern may take more than linear time: by backtracking, or because it is tried at each position of a text. */
export const isSlow = ({ pattern: source, flags }: Pattern): boolean => analyse({ source, flags }).reports.length > 0;

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

/**
 * What is wrong with the patterns of the product: those that may take more than linear time and have no reason above, and reasons
 * whose pattern is gone.
 */
export const wrongPatterns = (): readonly string[] => {
  const slow = patterns.filter(isSlow).map(({ path, pattern, flags }) => ({ path, text: `/${pattern}/${flags}` }));
  return [
    ...slow
      .filter(({ text }) => harmless[text] === undefined)
      .map(({ path, text }) => `${path}: ${text} may take more than linear time. Write it so that it cannot.`),
    ...Object.keys(harmless)
      .filter((text) => slow.every((each) => each.text !== text))
      .map((text) => `${text} is not in the product any more: remove its reason.`),
  ];
};

if (import.meta.main) {
  const wrong = wrongPatterns();
  for (const line of wrong) process.stderr.write(`${line}\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
