import type { UpstreamNames } from './sources.ts';

/** How a package type spells the names of its packages, where a rule for names is compared with them. */
export interface NameSpelling {
  /** The form that all spellings of a name have in common; also of the beginning of names. */
  readonly normalize: (text: string) => string;
  /** Whether a package can have a name in this form. */
  readonly isName: (name: string) => boolean;
  /** Set if names in different cases are different packages, and a local repository takes only those in lower case. */
  readonly holdsLowerCase?: true;
  /** Other names of the same package at an upstream. */
  readonly aliasesOf?: (name: string) => readonly string[];
}

/** The spelling of types whose names have one spelling only. */
export const oneSpelling = (text: string): string => text;

const beginningOf = (entry: string): string | undefined => (entry.endsWith('*') ? entry.slice(0, -1) : undefined);

/** The entry of a rule in the spelling of its package type. */
export const normalEntry = ({ normalize }: NameSpelling, entry: string): string => {
  const beginning = beginningOf(entry);
  return beginning === undefined ? normalize(entry) : `${normalize(beginning)}*`;
};

/** One of these behind the beginning of a name makes it a name, in the grammar of every package type. */
const endings = ['', 'a', '/a', '.a', ':a', 'a/a', 'a.a', 'a:a'];

/** Whether an entry in its normal form names a package that can exist, or begins the names of some. */
export const canMatch = ({ isName }: NameSpelling, entry: string): boolean => {
  const beginning = beginningOf(entry);
  return beginning === undefined ? isName(entry) : endings.some((ending) => isName(beginning + ending));
};

/** The rules in the spelling of the package type. */
export const normalRules = (spelling: NameSpelling, { allow, block }: UpstreamNames): UpstreamNames => {
  const normal = (entry: string): string => normalEntry(spelling, entry);
  const { aliasesOf } = spelling;
  return { allow: allow.map(normal), block: block.map(normal), ...(aliasesOf && { aliasesOf }) };
};
