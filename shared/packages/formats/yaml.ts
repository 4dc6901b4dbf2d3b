import { malformed } from './format-problem.ts';
import { readFlow, setMember, Unfinished } from './yaml-flow.ts';
import { isBlank, isItem, keyOf, type Line, type MemberKey } from './yaml-lines.ts';
import { blockText, folded, resolvePlain, withoutComment, YamlProblem } from './yaml-scalars.ts';

const depthMax = 64;

/** The maximum number of lines of one flow collection or quoted text. */
const flowLinesMax = 2_000;

/** A line of a chart or an index is a sentence, or an image of some kilobytes. */
const lineLengthMax = 64 * 1024;

const requireEnd = (rest: string): void => {
  if (!/^(?:[ \t]*|[ \t]+#.*)$/.test(rest)) throw new YamlProblem('has text behind the end of a value');
};

/** How a document is read that is no chart. */
export interface YamlDialect {
  /** Tags are ignored, apart from `!binary`, and an alias is the value of its anchor. Plain scalars are texts, or null. */
  readonly isTagged?: boolean;
}

/** Tags and anchors before a value, or instead of one that is on the next lines. */
const properties = /^(?:[!&]\S*(?:[ \t]+|$))+/;

/** Reads the block structure of a document. */
class BlockReader {
  private readonly lines: Line[];
  private readonly isTagged: boolean;
  /** The values that aliases stand for: the same objects, so that no alias costs memory. */
  private readonly anchored = new Map<string, unknown>();
  private at = 0;

  constructor(text: string, { isTagged = false }: YamlDialect) {
    this.isTagged = isTagged;
    // A text by the standard; parsers, js-yaml among them, take it for the beginning of the document.
    if (/^ +---(?:\s|$)/.test(text)) throw new YamlProblem('has blanks before the --- that begins it');
    this.lines = text.split('\n').map((raw) => {
      if (raw.length > lineLengthMax) throw new YamlProblem(`has a line of more than ${lineLengthMax} characters`);
      const indented = raw.trimStart();
      const indent = /^ */.exec(raw)?.[0].length ?? 0;
      if (indented !== '' && raw[indent] === '\t' && !indented.startsWith('#'))
        throw new YamlProblem('has a tab in its indentation');
      return { raw, indent, text: indented.trimEnd() };
    });
  }

  /** The next line that is neither blank nor a comment. */
  private peek(): Line | undefined {
    while (this.at < this.lines.length && isBlank(this.lines[this.at] as Line)) this.at += 1;
    return this.lines[this.at];
  }

  document(): unknown {
    if (this.peek()?.raw.startsWith('---')) this.lines[this.at] = { ...(this.peek() as Line), text: this.begin() };
    const value = this.node(-1, 0);
    if (/^\.\.\.(?:\s|$)/.test(this.peek()?.raw ?? '')) this.at += 1;
    if (this.peek()) throw new YamlProblem('has a line with a wrong indentation, or several documents');
    return value;
  }

  private begin(): string {
    const { text } = this.lines[this.at] as Line;
    if (!(this.isTagged ? /^---(?:\s+[!&]\S*)*$/ : /^---(?:\s+#.*)?$/).test(text))
      throw new YamlProblem('has content on the line of ---');
    return '';
  }

  private isEnd({ raw }: Line): boolean {
    return /^(?:---|\.\.\.)(?:\s|$)/.test(raw);
  }

  /** The node on the next lines, which are indented by more than `parent`; null if there is none. */
  private node(parent: number, depth: number): unknown {
    if (depth > depthMax) throw new YamlProblem(`nests deeper than ${depthMax} levels`);
    const line = this.peek();
    if (!line || line.indent <= parent || this.isEnd(line)) return null;
    if (isItem(line)) return this.sequence(line.indent, depth);
    if (keyOf(line)) return this.mapping(line.indent, depth);
    this.at += 1;
    return this.value(line.text, parent, depth, () => this.node(parent, depth));
  }

  /** A value behind its tags and anchors, if the document has any. */
  private value(text: string, parent: number, depth: number, below: () => unknown): unknown {
    const [found = ''] = (this.isTagged && properties.exec(text)) || [];
    const rest = text.slice(found.length);
    if (this.isTagged && rest.startsWith('*')) return this.aliased(rest.slice(1));
    const read = rest === '' ? below() : this.inline(rest, parent, depth);
    const isBinary = /(?:^|[ \t])!(?:!|tag:yaml\.org,2002:)?binary(?:[ \t]|$)/.test(found);
    const value = isBinary && typeof read === 'string' ? Buffer.from(read, 'base64').toString() : read;
    const anchor = /&(\S+)/.exec(found)?.[1];
    if (anchor !== undefined) this.anchored.set(anchor, value);
    return value;
  }

  private aliased(name: string): unknown {
    if (!this.anchored.has(name)) throw new YamlProblem('has an alias before its anchor');
    return this.anchored.get(name);
  }

  private sequence(indent: number, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.peek(); line?.indent === indent && isItem(line) && !this.isEnd(line); line = this.peek()) {
      const rest = line.text.slice(1).trimStart();
      // What follows the hyphen is indented as far as it stands.
      const shifted = { raw: line.raw, indent: indent + line.text.length - rest.length, text: rest };
      if (isBlank(shifted)) this.at += 1;
      else this.lines[this.at] = shifted;
      items.push(this.node(indent, depth + 1));
    }
    return items;
  }

  private mapping(indent: number, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (let line = this.peek(); line?.indent === indent && !this.isEnd(line); line = this.peek()) {
      const found = isItem(line) ? undefined : keyOf(line);
      if (!found) throw new YamlProblem('has a line that is no member of its mapping');
      this.at += 1;
      setMember(object, found.key, this.member(found, indent, depth + 1));
    }
    return object;
  }

  private member({ rest }: MemberKey, indent: number, depth: number): unknown {
    const below = () => this.below(indent, depth);
    return rest === '' || rest.startsWith('#') ? below() : this.value(rest, indent, depth, below);
  }

  /** What stands on the lines below a key. The items of a list may stand there without indentation. */
  private below(indent: number, depth: number): unknown {
    const next = this.peek();
    if (next?.indent === indent && isItem(next) && !this.isEnd(next)) return this.sequence(indent, depth);
    return this.node(indent, depth);
  }

  /** A value that begins on the line before the current one. */
  private inline(text: string, parent: number, depth: number): unknown {
    const [first = ''] = text;
    if (first === '|' || first === '>') return this.block(text, parent);
    if (/["'[{]/.test(first)) return this.flow(text, parent, depth);
    if (/[&*!%@`\],}]/.test(first) || /^[?:-](?:[ \t]|$)/.test(text) || keyOf({ raw: '', indent: 0, text }))
      throw new YamlProblem('has an anchor, an alias, a tag, or a value that must be quoted');
    return this.plain(text, parent);
  }

  private plain(start: string, parent: number): unknown {
    const parts = [withoutComment(start)];
    let isOpen = parts[0] === start;
    for (; isOpen && this.at < this.lines.length; this.at += 1) {
      const line = this.lines[this.at] as Line;
      if (line.text === '') {
        parts.push('');
        continue;
      }
      if (line.indent <= parent || line.text.startsWith('#') || this.isEnd(line)) break;
      if (keyOf(line)) throw new YamlProblem('has a line with a wrong indentation');
      const part = withoutComment(line.text);
      isOpen = part === line.text;
      parts.push(part);
    }
    const text = folded(parts.join('\n').trimEnd());
    const value = resolvePlain(text);
    return this.isTagged && value !== null ? text : value;
  }

  /** A quoted text or a flow collection, which may end on a later line. */
  private flow(start: string, parent: number, depth: number): unknown {
    const begin = this.at;
    const isInside = (line: Line | undefined): line is Line =>
      line !== undefined &&
      this.at - begin <= flowLinesMax &&
      !this.isEnd(line) &&
      (line.text === '' || line.indent > parent || /^[[{]/.test(start));
    let text = start;
    for (;;) {
      try {
        const { value, end } = readFlow(text, 0, depth);
        this.at = begin + text.slice(0, end).split('\n').length - 1;
        requireEnd(text.slice(end).split('\n', 1)[0] ?? '');
        return value;
      } catch (error) {
        // Twice the text at least: to read it anew for each line would cost the square of its length.
        const lines: string[] = [];
        for (let bytes = 0; bytes <= text.length && isInside(this.lines[this.at]); this.at += 1) {
          const { raw } = this.lines[this.at] as Line;
          bytes += raw.length + 1;
          lines.push(raw);
        }
        if (!(error instanceof Unfinished) || lines.length === 0) throw error;
        text = [text, ...lines].join('\n');
      }
    }
  }

  private block(header: string, parent: number): string {
    const {
      style,
      chomp = '',
      digit,
      last = '',
    } = /^(?<style>[|>])(?<chomp>[+-]?)(?<digit>[1-9]?)(?<last>[+-]?)(?:[ \t]+#.*)?$/.exec(header)?.groups ?? {};
    // A document that is one text has no place here: neither a chart nor an index is one.
    if (style === undefined || (chomp !== '' && last !== '') || parent < 0)
      throw new YamlProblem('has a block scalar with a wrong header');
    let indent = digit ? parent + Number(digit) : undefined;
    const content: string[] = [];
    for (; this.at < this.lines.length; this.at += 1) {
      const { raw } = this.lines[this.at] as Line;
      const blanks = /^ */.exec(raw)?.[0].length ?? 0;
      if (blanks < raw.length) {
        indent ??= blanks > parent ? blanks : undefined;
        if (indent === undefined || blanks < indent) break;
      }
      content.push(raw.slice(Math.min(blanks, indent ?? blanks)));
    }
    // The text after the last line break is no line.
    if (this.at === this.lines.length && content.at(-1) === '') content.pop();
    return blockText(content, style === '>', chomp + last);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decode = (bytes: Uint8Array, label: string): string => {
  try {
    return utf8.decode(bytes).replaceAll('\r\n', '\n');
  } catch (error) {
    throw malformed(`${label} is not UTF-8.`, error);
  }
};

/**
 * Parses one YAML document as charts and their indexes have it: all styles of mappings, lists and scalars, and the core schema.
 * Dates stay texts. Directives and keys that are no scalars are refused and, unless the dialect has them, so are anchors, aliases and
 * tags: a few aliases can stand for gigabytes where values are copied. If a key occurs twice, the last value counts, as for helm. Parsers of all of YAML are larger than a function may be.
 */
export const parseYaml = (bytes: Uint8Array, label: string, dialect: YamlDialect = {}): unknown => {
  const text = decode(bytes, label);
  try {
    if (/(?![\t\n\u0085])\p{Cc}/u.test(text)) throw new YamlProblem('has control characters');
    return new BlockReader(text, dialect).document();
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw malformed(`${label} ${error.message}.`, error);
  }
};
