import type { Violation } from '../../errors.ts';
import type { PackageType } from '../../package-types.ts';
import type { VersionSpelling } from '../../table/repositories/verdicts.ts';
import type { UpstreamNames } from './sources.ts';

/** How a package type spells the names of its packages and their versions, where rules are compared with them. */
export interface NameSpelling {
  /** The form that all spellings of a name have in common; also of the beginning of names. */
  readonly normalize: (text: string) => string;
  /** Whether a package can have a name in this form. */
  readonly isName: (name: string) => boolean;
  /** Set if names in different cases are different packages, and a local repository takes only those in lower case: rules for names of upstreams are in lower case, and block the others, too. */
  readonly holdsLowerCase?: true;
  /** Other names of the same package at an upstream. */
  readonly aliasesOf?: (name: string) => readonly string[];
  /** Absent if each version has one spelling, which nothing but its upstream knows. */
  readonly versions?: VersionSpelling;
}

/** The spelling of types whose names have one spelling only. */
export const oneSpelling = (text: string): string => text;

/** A version as indexes and addresses of its package type have it; undefined if the text is no version of the type. */
export const spelledVersion = ({ versions }: NameSpelling, text: string): string | undefined =>
  versions ? versions.normalize(text) : text;

/** The violation of a field whose text names no version of its package type. */
export const noVersion = (
  packageType: PackageType,
  { pointer, field, text }: Pick<Violation, 'pointer'> & { readonly field: string; readonly text: string },
): Violation => ({
  pointer,
  rule: 'version',
  message: `${field} is '${text}', and no package of the type ${packageType} can have such a version: write one as its upstream does.`,
});

const beginningOf = (entry: string): string | undefined => (entry.endsWith('*') ? entry.slice(0, -1) : undefined);

/** The entry of a rule in the spelling of its package type. */
export const normalEntry = ({ normalize }: NameSpelling, entry: string): string => {
  const beginning = beginningOf(entry);
  return beginning === undefined ? normalize(entry) : `${normalize(beginning)}*`;
};

/** The same for a rule about what upstreams are asked for. */
export const upstreamEntry = (spelling: NameSpelling, entry: string): string => {
  const normal = normalEntry(spelling, entry);
  return spelling.holdsLowerCase ? normal.toLowerCase() : normal;
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
  const normal = (entry: string): string => upstreamEntry(spelling, entry);
  const { aliasesOf } = spelling;
  return { allow: allow.map(normal), block: block.map(normal), ...(aliasesOf && { aliasesOf }) };
};
