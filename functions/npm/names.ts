/**
 * The names of packages, by the rules of npm (validate-npm-package-name). Names in different cases are different
 * packages: the public registry has `JSONStream` and `jsonstream`.
 */
const pattern = /^(?:@(?<scope>[^/]+)\/)?(?<unscoped>[^/]+)$/;

/** The characters that encodeURIComponent does not encode. */
const urlSafe = /^[\w.!~*'()-]{1,255}$/;

const reservedNames = new Set(['node_modules', 'favicon.ico']);

const newNameLengthMax = 214;

/**
 * Whether a package may have this name. This includes old names with capitals and characters that new names must not
 * have.
 */
export const isPackageName = (name: string): boolean => {
  const { scope, unscoped } = pattern.exec(name)?.groups ?? {};
  if (unscoped === undefined || !urlSafe.test(unscoped) || reservedNames.has(unscoped.toLowerCase())) return false;
  if (scope !== undefined) return urlSafe.test(scope) && !unscoped.startsWith('.');
  return !/^[._-]/.test(unscoped);
};

/** The rules that a name for a new publication breaks, as sentences. */
export const newNameProblems = (name: string): string[] => {
  const problems: string[] = [];
  if (!isPackageName(name))
    problems.push(
      "A package name consists of letters, digits, '-', '.' and '_', begins with a letter or a digit, and may have a scope, such as '@acme/name'.",
    );
  if (name.length > newNameLengthMax) problems.push(`A package name has at most ${newNameLengthMax} characters.`);
  if (name !== name.toLowerCase()) problems.push('A new package name has no capital letters.');
  if (/[~'!()*]/.test(name)) problems.push("A new package name has none of the characters ~ ' ! ( ) *.");
  return problems;
};

/** A name without its scope, which is the beginning of the name of the tarball. */
export const unscopedOf = (name: string): string => name.slice(name.indexOf('/') + 1);

/** The scope of a name without its `@`. */
export const scopeOf = (name: string): string | undefined => pattern.exec(name)?.groups?.scope;
