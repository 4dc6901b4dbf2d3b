/** A bug to plant: the code of a file that it takes the place of, and the suites that must see it. */
export interface Mutant {
  /** What is wrong then. */
  readonly name: string;
  readonly file: string;
  /** The function or constant of the file in which the code stands, where the code stands in several. */
  readonly symbol: string | undefined;
  readonly find: string;
  readonly replacement: string;
  readonly suites: readonly Suite[];
}

/** A file of tests, or only its tests whose titles contain a text. */
export interface Suite {
  readonly path: string;
  readonly title: string | undefined;
  /** Whether these tests synthesise what they look at themselves, or call the code themselves: the stack of the run needs no bug. */
  readonly synthesises: boolean;
}

/** Bugs by what is wrong: the text, what takes its place, and other suites than those of the file. */
type Bugs = Readonly<Record<string, readonly [find: string, replacement: string, ...suites: string[]]>>;

/**
 * Reads `infra/local/runner`, or `infra/local/runner#part of a title`; with `~` before it, one that needs no bug in the stack. A suite that
 * `npm test` leaves out has its ending: `console/offers.ts`.
 */
const suiteOf = (text: string): Suite => {
  const [name = '', title] = text.replace(/^~/, '').split('#');
  return { path: `test/${name}${name.endsWith('.ts') ? '' : '.test.ts'}`, title, synthesises: text.startsWith('~') };
};

/** The bugs of a file, or of one function of it as in `shared/table/client.ts#retried`, which the given suites must see. */
export const bugsIn = (place: string, suites: string | readonly string[], bugs: Bugs): Mutant[] => {
  const [file = '', symbol] = place.split('#');
  return Object.entries(bugs).map(([name, [find, replacement, ...own]]) => ({
    name,
    file,
    symbol,
    find,
    replacement,
    suites: (own.length > 0 ? own : [suites].flat()).map(suiteOf),
  }));
};

/** A fragment of code as a pattern, whatever the line breaks and the indentation between its words. */
const patternOf = (fragment: string): RegExp => {
  const words = fragment.trim().split(/\s+/);
  return new RegExp(words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'), 'g');
};

/** Where a declaration at the top level of a file begins and ends. */
const rangeOf = (text: string, symbol: string): readonly [begin: number, end: number] => {
  const declaration = new RegExp(`^(?:export )?(?:async )?(?:const|function|class) ${symbol}\\b`, 'm');
  const begin = declaration.exec(text)?.index ?? text.length;
  const next = /^(?:export |async |const |function |class |interface |type |\/\*\*)/m.exec(text.slice(begin + 1));
  return [begin, next ? begin + 1 + next.index : text.length];
};

/** The text of the file with the bug in it. Throws if the code that the bug changes is not there once. */
export const plantedIn = (text: string, { name, file, symbol, find, replacement }: Mutant): string => {
  const [begin, end] = symbol === undefined ? [0, text.length] : rangeOf(text, symbol);
  const [part, pattern] = [text.slice(begin, end), patternOf(find)];
  const count = part.match(pattern)?.length ?? 0;
  const place = symbol === undefined ? file : `${symbol} in ${file}`;
  if (count !== 1)
    throw new Error(`${place} contains the code of '${name}' ${count} times: write it so that it is there once.`);
  return text.slice(0, begin) + part.replace(pattern, () => replacement) + text.slice(end);
};
