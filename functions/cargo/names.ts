/** The names of crates, by the rules of crates.io (doc.rust-lang.org/cargo/reference/registry-index.html#name-restrictions). */
const pattern = /^[a-z][a-z0-9_-]*$/i;

const lengthMax = 64;

/** Whether a crate may have this name. */
export const isCrateName = (name: string): boolean => name.length <= lengthMax && pattern.test(name);

/**
 * The name of the package that a crate is: one for all spellings, because two crates whose names differ in case, or in `-` and
 * `_`, cannot be told apart in Rust code and in file names.
 */
export const packageNameOf = (crate: string): string => crate.toLowerCase().replaceAll('_', '-');

/** Names that Windows reserves for devices, and those of the crates that come with Rust, as `packageNameOf` spells them. */
const reservedNames = new Set([
  'aux',
  'con',
  'nul',
  'prn',
  ...['com', 'lpt'].flatMap((port) => Array.from('123456789', (digit) => port + digit)),
  'alloc',
  'compiler-builtins',
  'core',
  'proc-macro',
  'std',
  'test',
]);

/** The rules that a name for a new publication breaks, as sentences. */
export const newNameProblems = (name: string): string[] => {
  const problems: string[] = [];
  if (!pattern.test(name))
    problems.push("The name of a crate consists of ASCII letters, digits, '-' and '_', and begins with a letter.");
  if (name.length > lengthMax) problems.push(`The name of a crate has at most ${lengthMax} characters.`);
  if (reservedNames.has(packageNameOf(name)))
    problems.push(`'${name}' is reserved for Rust or for an operating system: choose another name.`);
  return problems;
};

/** The folders of a crate in an index: `1`, `2`, `3/a` or `ab/cd`. */
export const prefixOf = (crate: string): string => {
  if (crate.length <= 2) return `${crate.length}`;
  return crate.length === 3 ? `3/${crate[0]}` : `${crate.slice(0, 2)}/${crate.slice(2, 4)}`;
};

/** The path of a crate in a sparse index. It is in lower case, and keeps `-` and `_` as the crate spells them. */
export const indexPathOf = (crate: string): string => {
  const name = crate.toLowerCase();
  return `${prefixOf(name)}/${name}`;
};

/** The crate that a decoded path of an index names, in lower case; undefined if it is the path of no crate. */
export const crateAtIndexPath = (segments: readonly string[]): string | undefined => {
  const name = segments.at(-1) ?? '';
  // An encoded slash would make two paths of one crate.
  if (segments.some((segment) => segment.includes('/'))) return undefined;
  return isCrateName(name) && indexPathOf(name) === segments.join('/') ? name : undefined;
};
