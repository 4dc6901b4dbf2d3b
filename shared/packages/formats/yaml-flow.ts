import { folded, readQuoted, resolvePlain, YamlProblem } from './yaml-scalars.ts';

/** The text ends before the collection does: more lines are needed. */
export class Unfinished extends YamlProblem {}

const depthMax = 64;

/** Sets a member as its own, also under the name `__proto__`. */
export const setMember = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
};

/** Reads flow collections, such as `[a, {b: c}]`, from a text. */
class FlowReader {
  at: number;
  private readonly text: string;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  /** Skips blanks, line breaks and comments, and returns the next character. */
  private next(): string {
    const skipped = /(?:[ \t\n]|(?<=[ \t\n])#[^\n]*)*/y;
    skipped.lastIndex = this.at;
    this.at += skipped.exec(this.text)?.[0].length ?? 0;
    const found = this.text[this.at];
    if (found === undefined) throw new Unfinished('has a flow collection without an end');
    return found;
  }

  private plain(): string {
    const pattern = /(?:[^\s,[\]{}&*!|>'"%@`#?:-]|[?:-](?![\s,[\]{}]))(?:[^,[\]{}:#]|:(?![\s,[\]{}])|(?<!\s)#)*/y;
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found === undefined) throw new YamlProblem(`has a flow collection with an unexpected ${this.text[this.at]}`);
    this.at += found.length;
    return folded(found.trim());
  }

  private quoted(): string {
    const found = readQuoted(this.text, this.at);
    if (!found) throw new Unfinished('has a quoted text without an end');
    this.at = found.end;
    return found.value;
  }

  /** A value, and whether a colon behind it needs no blank. */
  value(depth: number): unknown {
    if (depth > depthMax) throw new YamlProblem(`nests deeper than ${depthMax} levels`);
    const first = this.next();
    if (first === '[') return this.sequence(depth);
    if (first === '{') return this.mapping(depth);
    return first === '"' || first === "'" ? this.quoted() : resolvePlain(this.plain());
  }

  private sequence(depth: number): unknown[] {
    const items: unknown[] = [];
    this.at += 1;
    while (this.next() !== ']') {
      items.push(this.value(depth + 1));
      this.separator(']');
    }
    this.at += 1;
    return items;
  }

  private separator(end: string): void {
    const found = this.next();
    if (found === ',') this.at += 1;
    else if (found !== end) throw new YamlProblem(`has a flow collection with an unexpected ${found}`);
  }

  private mapping(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.at += 1;
    while (this.next() !== '}') {
      const isQuoted = /["']/.test(this.next());
      const key = isQuoted ? this.quoted() : String(resolvePlain(this.plain()));
      let value: unknown = null;
      if (this.next() === ':') {
        this.at += 1;
        if (!/[,}]/.test(this.next())) value = this.value(depth + 1);
      }
      setMember(object, key, value);
      this.separator('}');
    }
    this.at += 1;
    return object;
  }
}

/** Reads a flow collection or a quoted scalar at a position. Throws `Unfinished` if it does not end in the text. */
export const readFlow = (
  text: string,
  at: number,
  depth: number,
): { readonly value: unknown; readonly end: number } => {
  const reader = new FlowReader(text, at);
  const value = reader.value(depth);
  return { value, end: reader.at };
};
