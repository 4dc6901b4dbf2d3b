/** A start tag of a page. Names of tags and of attributes are in lower case. */
export interface HtmlTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Their content is text up to their end tag, and no tags. */
const textElements = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

const reference = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));|&(amp|lt|gt|quot)(?![a-z0-9=])/gi;

const characterOf = (code: number): string =>
  code === 0 || code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);

/** Replaces the character references that indexes use. Others stay as they are. */
const decoded = (text: string): string =>
  text.replaceAll(reference, (whole, hex?: string, decimal?: string, name?: string, bare?: string) => {
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
    if (decimal !== undefined) return characterOf(Number(decimal));
    return named[(name ?? bare ?? '').toLowerCase()] ?? whole;
  });

/** Reads a page from its beginning to its end. Each character is read once, so that no page takes long. */
class TagReader {
  private readonly html: string;
  private at = 0;

  constructor(html: string) {
    this.html = html;
  }

  *tags(): Generator<HtmlTag> {
    for (this.skipTo('<'); this.at < this.html.length; this.skipTo('<')) {
      if (this.html.startsWith('<!--', this.at)) {
        this.at += 4;
        this.skipBehind('-->');
        continue;
      }
      const name = this.take(/<([a-z][^\s/>]*)/iy);
      if (name === undefined) this.at += 1;
      else {
        const tag = { name: name.toLowerCase(), attributes: this.attributes() };
        // A tag that does not end is none.
        if (this.html[this.at] !== '>') return;
        yield tag;
        if (textElements.has(tag.name)) this.skipText(tag.name);
      }
    }
  }

  private attributes(): ReadonlyMap<string, string> {
    const attributes = new Map<string, string>();
    for (;;) {
      this.take(/([\s/]*)/y);
      const name = this.take(/([^\s/>=][^\s/>=]*|=[^\s/>=]*)/y)?.toLowerCase();
      if (name === undefined) return attributes;
      const value = this.take(/(\s*=\s*)/y) === undefined ? '' : this.value();
      if (!attributes.has(name)) attributes.set(name, decoded(value));
    }
  }

  private value(): string {
    const quote = this.html[this.at];
    if (quote !== '"' && quote !== "'") return this.take(/([^\s>]*)/y) ?? '';
    const start = this.at + 1;
    this.at = start;
    this.skipBehind(quote);
    return this.html.slice(start, this.at - 1);
  }

  /** Takes what the first group of a sticky pattern matches here. */
  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.html);
    if (match) this.at = pattern.lastIndex;
    return match?.[1];
  }

  private skipTo(text: string): void {
    const found = this.html.indexOf(text, this.at);
    this.at = found === -1 ? this.html.length : found;
  }

  private skipBehind(text: string): void {
    this.skipTo(text);
    this.at += text.length;
  }

  private skipText(name: string): void {
    const end = new RegExp(`</${name}`, 'gi');
    end.lastIndex = this.at;
    this.at = end.exec(this.html)?.index ?? this.html.length;
  }
}

/**
 * The start tags of a page in HTML. Parsers of all of HTML have a third of the size that a function may have, and pages of indexes
 * have links and little else.
 */
export const htmlTags = (html: string): Iterable<HtmlTag> => new TagReader(html).tags();
