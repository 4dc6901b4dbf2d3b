/** A bug to plant: the text of a file that it takes the place of, and the suites that must see it. */
export interface Mutant {
  /** What is wrong then. */
  readonly name: string;
  readonly file: string;
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

/** Reads `infra/local/runner`, or `infra/local/runner#part of a title`; with `~` before it, one that needs no bug in the stack. */
const suiteOf = (text: string): Suite => {
  const [name = '', title] = text.replace(/^~/, '').split('#');
  return { path: `test/${name}.test.ts`, title, synthesises: text.startsWith('~') };
};

/** The bugs of a file, which the given suites must see. */
export const bugsIn = (file: string, suites: string | readonly string[], bugs: Bugs): Mutant[] =>
  Object.entries(bugs).map(([name, [find, replacement, ...own]]) => ({
    name,
    file,
    find,
    replacement,
    suites: (own.length > 0 ? own : [suites].flat()).map(suiteOf),
  }));

/** How often a text contains another. */
export const countIn = (text: string, part: string): number => text.split(part).length - 1;

/** The text of the file with the bug in it. */
export const plantedIn = (text: string, { name, file, find, replacement }: Mutant): string => {
  const count = countIn(text, find);
  if (count !== 1)
    throw new Error(`${file} contains the text of '${name}' ${count} times: write it so that it is there once.`);
  return text.replace(find, () => replacement);
};
