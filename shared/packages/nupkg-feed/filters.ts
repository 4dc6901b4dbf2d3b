import { type ApiError, invalid } from '../../errors.ts';

const flags = ['IsLatestVersion', 'IsAbsoluteLatestVersion', 'IsPrerelease'] as const;
export type FlagProperty = (typeof flags)[number];

const texts = ['Id', 'Title', 'Description', 'Tags', 'Version', 'NormalizedVersion'] as const;
export type TextProperty = (typeof texts)[number];

const comparisons = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof comparisons)[number];

const textTests = ['substringof', 'startswith', 'endswith'] as const;
export type TextTest = (typeof textTests)[number];

/** A filter of versions: the part of OData 2 that clients send. Its texts are in lower case, because case makes no difference. */
export type Filter =
  | { readonly kind: 'join'; readonly by: 'and' | 'or'; readonly one: Filter; readonly other: Filter }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'flag'; readonly property: FlagProperty }
  | {
      readonly kind: 'comparison';
      readonly property: TextProperty;
      readonly by: Comparison;
      /** Null if the property is compared with nothing. */
      readonly text: string | null;
    }
  | { readonly kind: 'test'; readonly property: TextProperty; readonly test: TextTest; readonly text: string };

/** The refusal of a filter: what is wrong with it, and what it could be. */
const problem = (text: string): ApiError =>
  invalid([
    {
      pointer: '',
      rule: 'filter',
      message: `${text} $filter takes ${flags.join(', ')}, comparisons of ${texts.join(', ')} with a text, and ${textTests.join(', ')}, joined by 'and', 'or', 'not' and parentheses.`,
    },
  ]);

/** Clients put the names of a list into one pair of parentheses more for each of them. */
const depthMax = 100;

/** Reads the words, texts and signs of a filter one after the other. */
class Tokens {
  readonly #all: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#all = text.match(/'(?:[^']|'')*'|[A-Za-z]+|\S/g) ?? [];
  }

  isNext(token: string | undefined): boolean {
    return this.#all[this.#at] === token;
  }

  /** Reads a token if it is the next one. */
  skip(token: string): boolean {
    if (!this.isNext(token)) return false;
    this.#at += 1;
    return true;
  }

  take(): string {
    const token = this.#all[this.#at];
    if (token === undefined) throw problem('The filter ends too early.');
    this.#at += 1;
    return token;
  }

  oneOf<const T extends string>(words: readonly T[]): T {
    const token = this.take();
    const found = words.find((word) => word === token);
    if (found === undefined) throw problem(`There is ${token} where ${words.join(' or ')} belongs.`);
    return found;
  }

  text(): string {
    const token = this.take();
    if (!token.startsWith("'") || token.length < 2) throw problem(`${token} is no text in quotes.`);
    return token.slice(1, -1).replaceAll("''", "'").toLowerCase();
  }

  /** Reads what is in parentheses. */
  inner<T>(read: () => T): T {
    this.oneOf(['(']);
    this.#depth += 1;
    if (this.#depth > depthMax) throw problem(`There are more than ${depthMax} parentheses in each other.`);
    const found = read();
    this.#depth -= 1;
    this.oneOf([')']);
    return found;
  }
}

const property = (tokens: Tokens): TextProperty =>
  tokens.skip('tolower') ? tokens.inner(() => property(tokens)) : tokens.oneOf(texts);

const test = (tokens: Tokens): Filter => {
  const name = tokens.oneOf(textTests);
  return tokens.inner(() => {
    const before = name === 'substringof' ? tokens.text() : property(tokens);
    tokens.oneOf([',']);
    return name === 'substringof'
      ? { kind: 'test', test: name, text: before, property: property(tokens) }
      : { kind: 'test', test: name, property: before as TextProperty, text: tokens.text() };
  });
};

const comparison = (tokens: Tokens): Filter => {
  const compared = property(tokens);
  const by = tokens.oneOf(comparisons);
  return { kind: 'comparison', property: compared, by, text: tokens.skip('null') ? null : tokens.text() };
};

/** What is true or false by itself may also be compared with either. */
const compared = (tokens: Tokens, filter: Filter): Filter => {
  if (!tokens.skip('eq')) return filter;
  return tokens.oneOf(['true', 'false']) === 'true' ? filter : { kind: 'not', of: filter };
};

const operand = (tokens: Tokens): Filter => {
  if (tokens.skip('not')) return { kind: 'not', of: operand(tokens) };
  if (tokens.isNext('(')) return tokens.inner(() => anyOf(tokens));
  const flag = flags.find((each) => tokens.skip(each));
  if (flag) return compared(tokens, { kind: 'flag', property: flag });
  return textTests.some((each) => tokens.isNext(each)) ? compared(tokens, test(tokens)) : comparison(tokens);
};

const joined = (tokens: Tokens, by: 'and' | 'or', read: (tokens: Tokens) => Filter): Filter => {
  let filter = read(tokens);
  while (tokens.skip(by)) filter = { kind: 'join', by, one: filter, other: read(tokens) };
  return filter;
};

const allOf = (tokens: Tokens): Filter => joined(tokens, 'and', operand);
const anyOf = (tokens: Tokens): Filter => joined(tokens, 'or', allOf);

/** Parses a filter. Throws REQUEST_INVALID if it is none that clients send. */
export const parseFilter = (text: string): Filter => {
  const tokens = new Tokens(text);
  const filter = anyOf(tokens);
  if (!tokens.isNext(undefined)) throw problem(`${tokens.take()} follows the end of the filter.`);
  return filter;
};
