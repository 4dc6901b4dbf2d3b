/** A part of a pattern: any text, or one character of those that it takes. */
type Token = 'any text' | ((character: string) => boolean);

/** The characters in brackets, as `fnmatch` of Python reads them: `[a-z]`, or `[!a-z]` for all others. */
const setOf = (text: string): Token => {
  const isNegated = text.startsWith('!');
  const ranges: (readonly [string, string])[] = [];
  const characters = isNegated ? text.slice(1) : text;
  for (let at = 0; at < characters.length; at += 1) {
    const from = characters.charAt(at);
    const isRange = characters.charAt(at + 1) === '-' && at + 2 < characters.length;
    if (isRange) at += 2;
    ranges.push([from, characters.charAt(at)]);
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
};

const tokensOf = (pattern: string): readonly Token[] => {
  const tokens: Token[] = [];
  const lastEnd = pattern.lastIndexOf(']');
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    // A bracket that closes at once is one of the characters.
    const end = at > lastEnd ? -1 : pattern.indexOf(']', at + (pattern.charAt(at + 1) === '!' ? 3 : 2));
    if (character === '*') tokens.push('any text');
    else if (character === '?') tokens.push(() => true);
    else if (character === '[' && end >= 0) {
      tokens.push(setOf(pattern.slice(at + 1, end)));
      at = end;
    } else tokens.push((each) => each === character);
  }
  return tokens;
};

/** Whether a text is one of a pattern, in a time that grows with the product of their lengths. */
const isMatch = (tokens: readonly Token[], text: string): boolean => {
  let [token, at, lastAny, anyEnd] = [0, 0, -1, 0];
  while (at < text.length) {
    const wanted = tokens[token];
    if (wanted === 'any text') [lastAny, anyEnd, token] = [token, at, token + 1];
    else if (wanted?.(text.charAt(at))) [token, at] = [token + 1, at + 1];
    else if (lastAny >= 0) {
      // The last of them takes one character more.
      anyEnd += 1;
      [token, at] = [lastAny + 1, anyEnd];
    } else return false;
  }
  return tokens.slice(token).every((each) => each === 'any text');
};

/** What a client searches for: recipes, as their names and references are written. */
export interface RecipePattern {
  /** The name, if the pattern has one; otherwise what all names begin with. */
  readonly name: string;
  readonly isExact: boolean;
  /** Whether the pattern takes a recipe, such as acme/1.0 or acme/1.0@user/channel: whole, or as far as one of its parts. */
  readonly takes: (recipe: string) => boolean;
}

/** The recipe up to the end of each of its parts. */
const beginningsOf = (recipe: string): readonly string[] => [
  ...Array.from(recipe.matchAll(/[/@]/g), ({ index }) => recipe.slice(0, index)),
  recipe,
];

/** Parses a pattern of `fnmatch`. Names are in lower case, whatever the case of the pattern. */
export const parsePattern = (pattern: string, ignoresCase: boolean): RecipePattern => {
  const folded = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const tokens = tokensOf(folded(pattern));
  const [name = ''] = folded(pattern).split('/');
  const [beginning = ''] = name.split(/[*?[]/);
  return {
    name: beginning,
    isExact: beginning === name,
    takes: (recipe) => beginningsOf(folded(recipe)).some((each) => isMatch(tokens, each)),
  };
};
