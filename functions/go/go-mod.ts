import { fitsPathMajor } from './module-paths.ts';
import { isCanonical } from './versions.ts';

/** The go.mod of a module that has none, as Go itself makes it. */
export const synthesised = (modulePath: string): Buffer => Buffer.from(`module ${modulePath}\n`);

const unquoted = (token: string): string => /^"(?<text>.*)"$/.exec(token)?.groups?.text ?? token;

/** A pattern for the comment would begin anew at each slash of a line with a separator that is no line break. */
const withoutComment = (line: string): string => {
  const at = line.indexOf('//');
  return at < 0 ? line : line.slice(0, at);
};

/** A directive with its words, such as `require` with a path and a version. */
interface Directive {
  readonly verb: string;
  readonly words: readonly string[];
}

const wordsOf = (line: string): readonly string[] =>
  line
    .replaceAll(/[()]/g, ' $& ')
    .split(/\s+/)
    .filter((word) => word !== '');

/** The directives of a go.mod, those of a block one by one; undefined if a block has no end. */
const directivesIn = (lines: readonly string[]): readonly Directive[] | undefined => {
  const found: Directive[] = [];
  let block: string | undefined;
  for (const [verb, ...words] of lines.map(wordsOf)) {
    if (verb === undefined) continue;
    if (block !== undefined && verb === ')') block = undefined;
    else if (block !== undefined) found.push({ verb: block, words: [verb, ...words] });
    else if (words.at(-1) === '(') block = words.length === 1 && verb !== 'go' ? verb : '';
    else if (words[0] !== '(') found.push({ verb, words });
  }
  return block === undefined ? found : undefined;
};

/** Go completes a version, and leaves build metadata out. */
const isVersion = (text: string): boolean =>
  isCanonical(text.replace(/\+[0-9A-Za-z.-]+$/, '')) || /^v(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))?$/.test(text);

/** The rule that a directive breaks, as the predicate of a sentence. Go reads no others of the modules that a module requires. */
const brokenRule = ({ verb, words }: Directive): string | undefined => {
  const [first = '', second = ''] = words.map(unquoted);
  const shown = `'${first.slice(0, 200)} ${second.slice(0, 200)}'`;
  if (verb === 'module') return words.length === 1 ? undefined : 'must name one module path in its module directive';
  if (verb === 'go')
    return words.length === 1 && /^v?[1-9]\d*\.\d/.test(first)
      ? undefined
      : 'needs a version such as 1.23 in its go directive';
  if (verb !== 'require') return undefined;
  if (words.length !== 2 || /["'`]/.test(first) || !isVersion(second))
    return `requires ${shown}, which must be a module path and a version such as v1.2.3`;
  return isCanonical(second) && !fitsPathMajor(first, second)
    ? `requires ${shown}, of which the path and the version must have the same major version`
    : undefined;
};

/** What makes go refuse a go.mod when another module requires its module, as the predicate of a sentence. */
export const problemIn = (goMod: Uint8Array): string | undefined => {
  const text = Buffer.from(goMod).toString();
  if (text.startsWith('\uFEFF')) return 'begins with a byte order mark: save it without';
  const lines = text.split('\n').map(withoutComment);
  if (lines.some((line) => line.includes('/*') && !line.includes('"')))
    return 'has a comment with /*: write it with //';
  const directives = directivesIn(lines);
  if (!directives) return 'has a block without an end';
  for (const verb of ['module', 'go'])
    if (directives.filter((each) => each.verb === verb).length > 1) return `has more than one ${verb} directive`;
  return directives.map(brokenRule).find((rule) => rule !== undefined);
};

/** The path that the `module` directive of a go.mod declares; undefined if there is none. */
export const declaredPath = (goMod: Uint8Array): string | undefined => {
  const directives = directivesIn(Buffer.from(goMod).toString().split('\n').map(withoutComment)) ?? [];
  const token = directives.find(({ verb }) => verb === 'module')?.words[0];
  return token === undefined ? undefined : unquoted(token);
};
