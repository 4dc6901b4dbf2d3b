import { ApiError } from '../../shared/errors.ts';
import { decodeSegments, isForbiddenSegment } from '../../shared/packages/sources/path-segments.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { type ConanReference, isRevision, recipeIn, segmentsOf, versionOf } from './references.ts';

/** What a path asks for of its reference. */
export type Wanted = 'all' | 'latest' | 'revisions' | 'search' | 'files' | 'packages' | 'file';

/** What stands at a path behind `v2/conans/`. `file` is set for a file alone. */
export interface ConanPath {
  readonly reference: ConanReference;
  readonly wanted: Wanted;
  readonly file: string;
}

/** What there is of a recipe, of a revision of it, of a binary, and of a revision of that. */
const wantedOf = {
  recipe: ['all', 'latest', 'revisions', 'search'],
  recipeRevision: ['all', 'files', 'file', 'search', 'packages'],
  package: ['latest', 'revisions'],
  packageRevision: ['all', 'files', 'file'],
} as const satisfies Record<string, readonly Wanted[]>;

const levelOf = ({ recipeRevision, packageId, packageRevision }: ConanReference): keyof typeof wantedOf => {
  if (packageRevision !== undefined) return 'packageRevision';
  if (packageId !== undefined) return 'package';
  return recipeRevision === undefined ? 'recipe' : 'recipeRevision';
};

const malformed = (): ApiError =>
  new ApiError(
    'PACKAGE_INVALID',
    'The path must be that of a recipe, name/version/user/channel with _ for no user and no channel, and what is wanted of it, such as acme/1.0/_/_/latest or acme/1.0/_/_/revisions/{revision}/files/conanfile.py. Names are in lower case and have at least two characters.',
  );

/** Takes a word and the ID behind it from the beginning of segments, if they begin with the word and have more. */
const taken = (word: string, segments: readonly string[]): readonly [string | undefined, readonly string[]] =>
  segments[0] === word && segments.length > 1 ? [segments[1], segments.slice(2)] : [undefined, segments];

/** A key of the table holds version and file together; escaping may triple them. */
const keyBytesMax = 900;

const isFile = (version: string, file: string): boolean =>
  Buffer.byteLength((version + file).replaceAll(/[%#]/g, '%25')) <= keyBytesMax;

/** Whether a text can be the name of a file of a revision. It may be in folders. */
export const isFilePath = (file: string): boolean => !file.split('/').some(isForbiddenSegment);

/** Parses what stands behind `v2/conans/` in a path, as it was sent. Throws PACKAGE_INVALID. */
export const parsePath = (rawPath: string): ConanPath => {
  const segments = decodeSegments(rawPath);
  const recipe = recipeIn(segments?.slice(0, 4) ?? []);
  if (!recipe || segments?.some((segment) => segment.includes('/'))) throw malformed();
  const [recipeRevision, inRecipe] = taken('revisions', segments?.slice(4) ?? []);
  const [packageId, inPackage] = recipeRevision === undefined ? [undefined, inRecipe] : taken('packages', inRecipe);
  const [packageRevision, rest] = packageId === undefined ? [undefined, inPackage] : taken('revisions', inPackage);
  const ids = [recipeRevision, packageId, packageRevision].filter((id) => id !== undefined);
  const reference = { ...recipe, recipeRevision, packageId, packageRevision };
  const [word = 'all', ...others] = rest;
  const wanted = word === 'files' && others.length > 0 ? 'file' : word;
  const file = others.join('/');
  const isKnown = wantedOf[levelOf(reference)].some((each) => each === wanted);
  const isComplete = wanted === 'file' ? isFile(versionOf(reference), file) : others.length === 0;
  if (!isKnown || !isComplete || !ids.every(isRevision)) throw malformed();
  return { reference, wanted: wanted as Wanted, file };
};

/** The address of the file that a path names; undefined if it names none. Throws PACKAGE_INVALID. */
export const fileAddressIn = ({ path }: { readonly path: string }): (FileAddress & ConanPath) | undefined => {
  const parsed = parsePath(path);
  const { reference, wanted } = parsed;
  return wanted === 'file' ? { ...parsed, name: reference.name, version: versionOf(reference) } : undefined;
};

/** The path of a reference behind `v2/conans/`, and of what is wanted of it, as clients write it. */
export const pathOf = (reference: ConanReference, ...wanted: readonly string[]): string => {
  const { recipeRevision, packageId, packageRevision } = reference;
  const segments = [
    ...segmentsOf(reference),
    ...(recipeRevision === undefined ? [] : ['revisions', recipeRevision]),
    ...(packageId === undefined ? [] : ['packages', packageId]),
    ...(packageRevision === undefined ? [] : ['revisions', packageRevision]),
    ...wanted.flatMap((each) => each.split('/')),
  ];
  return segments.map(encodeURIComponent).join('/');
};
