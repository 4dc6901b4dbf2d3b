/** A text that is not the YAML that `parseYaml` reads. The message completes a sentence that begins with the document. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem';
}

const constants = new Map<string, null | boolean>([
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
  ...['true', 'True', 'TRUE'].map((text) => [text, true] as const),
  ...['false', 'False', 'FALSE'].map((text) => [text, false] as const),
]);

/** The value of a plain scalar by the core schema (YAML 1.2.2, section 10.3.2), without infinity and NaN, which JSON lacks. */
export const resolvePlain = (text: string): unknown => {
  const constant = constants.get(text);
  if (constant !== undefined) return constant;
  const based = /^([-+]?)(0o[0-7]+|0x[0-9a-fA-F]+)$/.exec(text);
  if (based) return Number(based[2]) * (based[1] === '-' ? -1 : 1);
  if (!/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return text;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
};

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

const escaped = (sequence: string): string => {
  const letter = sequence.slice(1, 2);
  if (!'xuU'.includes(letter)) return escapes[letter] ?? '';
  const code = Number.parseInt(sequence.slice(2), 16);
  if (code > 0x10ffff) throw new YamlProblem('has an escape of no character');
  return String.fromCodePoint(code);
};

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** A text without the blanks at its end. A pattern for them would begin anew at each blank of a long run. */
const withoutBlanksBehind = (text: string): string => {
  let end = text.length;
  while (end > 0 && isBlank(text[end - 1])) end -= 1;
  return text.slice(0, end);
};

/** A line without its comment and the blanks before that. */
export const withoutComment = (line: string): string => {
  for (let at = line.indexOf('#'); at >= 0; at = line.indexOf('#', at + 1))
    if (at === 0 || isBlank(line[at - 1])) return withoutBlanksBehind(line.slice(0, at));
  return line;
};

/** Joins the lines of a flow scalar: a line break is a space, and empty lines are line breaks (section 6.5). */
export const folded = (text: string): string => {
  const [first = '', ...lines] = text.split('\n');
  if (lines.length === 0) return text;
  const parts = [withoutBlanksBehind(first)];
  let empty = 0;
  for (const [index, each] of lines.entries()) {
    const isLast = index === lines.length - 1;
    const line = each.replace(/^[ \t]+/, '');
    if (line === '' && !isLast) empty += 1;
    else {
      parts.push(empty === 0 ? ' ' : '\n'.repeat(empty), isLast ? line : withoutBlanksBehind(line));
      empty = 0;
    }
  }
  return parts.join('');
};

const quotedPattern = {
  // An escape may contain the line break.
  '"': /"((?:[^"\\]|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^xuU]))*)"/y,
  // Two apostrophes are one in the text, also at the end of a line.
  "'": /'((?:[^']|'')*)'(?!')/y,
} as const;

/** A quoted scalar at a position of a text; undefined if it does not end in the text. Throws if it has no such escape. */
export const readQuoted = (text: string, at: number): { readonly value: string; readonly end: number } | undefined => {
  const quote = text[at] === '"' ? '"' : "'";
  const pattern = quotedPattern[quote];
  pattern.lastIndex = at;
  const [whole, inner = ''] = pattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const end = at + whole.length;
  if (quote === "'") return { value: folded(inner).replaceAll("''", "'"), end };
  // The blanks before an escaped line break stay, and those before another one go: pieces are folded between escapes.
  const pieces = inner.split(/(\\(?:x..|u.{4}|U.{8}|\n[ \t]*|[^xuU\n]))/s);
  const value = pieces.map((piece, index) => {
    if (index % 2 === 0) return folded(piece);
    if (piece.startsWith('\\\n')) return '';
    if (!/^\\[xuU]/.test(piece) && escapes[piece.slice(1)] === undefined)
      throw new YamlProblem(`has an unknown escape in double quotes: ${piece}`);
    return escaped(piece);
  });
  return { value: value.join(''), end };
};

/** The text of a block scalar from its lines without their indentation (section 8.1). */
export const blockText = (lines: readonly string[], isFolded: boolean, chomping: string): string => {
  let text = '';
  let empty = 0;
  let hasContent = false;
  let wasIndented = false;
  for (const line of lines) {
    if (line === '') {
      empty += 1;
      continue;
    }
    const isIndented = /^[ \t]/.test(line);
    if (!isFolded || isIndented) text += '\n'.repeat(empty + (hasContent ? 1 : 0));
    else if (wasIndented) text += '\n'.repeat(empty + 1);
    else if (empty > 0) text += '\n'.repeat(empty);
    else if (hasContent) text += ' ';
    text += line;
    [wasIndented, hasContent, empty] = [isIndented, true, 0];
  }
  if (chomping === '+') return text + '\n'.repeat(empty + (hasContent ? 1 : 0));
  return chomping === '-' || !hasContent ? text : `${text}\n`;
};
