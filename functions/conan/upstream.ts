import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import type { ListedRevision } from './index-entries.ts';
import { type ConanPath, isFilePath, pathOf } from './paths.ts';
import { isRevision, parseRecipe } from './references.ts';

type Upstream = Pick<RemoteRepository, 'remoteRepositoryUrl'>;

const urlOf = ({ remoteRepositoryUrl }: Upstream, path: string, query = ''): string =>
  urlBelow(remoteRepositoryUrl, `v2/conans/${path}`) + query;

/** A document of an upstream, which has it at the path that clients ask for. */
export const upstreamDocument = <A>(
  source: Upstream,
  { reference, wanted }: ConanPath,
  read: (sent: JsonObject) => A,
): UpstreamDocument<A> => {
  const path = pathOf(reference, wanted);
  return {
    name: reference.name,
    document: path,
    url: urlOf(source, path, wanted === 'search' ? '?list_only=False' : ''),
    accept: 'application/json',
    parse: (kept) => read(parseObject(kept, 'The answer of the upstream')),
  };
};

/** The recipes of a package at an upstream. */
export const upstreamRecipes = (source: Upstream, name: string): UpstreamDocument<readonly string[]> => ({
  name,
  document: 'recipes',
  url: searchUrl(source, `${name}/*`),
  accept: 'application/json',
  parse: (kept) => recipesIn(parseObject(kept, 'The answer of the upstream')),
  releases: (recipes) => recipes.map((recipe) => ({ id: recipe, version: recipe })),
});

/** The URL of a search at an upstream. */
export const searchUrl = (source: Upstream, pattern: string): string =>
  urlOf(source, 'search', `?${new URLSearchParams({ q: pattern }).toString()}`);

/** A file of an upstream. */
export const upstreamFile = (source: Upstream, { reference, file }: ConanPath): UpstreamFile => ({
  url: urlOf(source, pathOf(reference, 'files', file)),
  mediaType: fileMediaType,
  form: file.endsWith('.tgz') ? 'gzip' : 'any',
});

/** A revision in the answer of an upstream. Throws a FormatProblem if it is none. */
export const revisionIn = (sent: unknown): ListedRevision => {
  const { revision, time } = isObject(sent) ? sent : {};
  if (
    typeof revision !== 'string' ||
    !isRevision(revision) ||
    typeof time !== 'string' ||
    Number.isNaN(Date.parse(time))
  )
    throw malformed('A revision in the answer must have an ID, and a time in ISO 8601.');
  return { revision, time };
};

/** The revisions in the answer of an upstream; undefined if there is none. Throws a FormatProblem. */
export const revisionsIn = ({ revisions }: JsonObject): readonly ListedRevision[] | undefined => {
  if (!Array.isArray(revisions)) throw malformed('The answer has no list of revisions.');
  return revisions.length === 0 ? undefined : revisions.map(revisionIn);
};

/** The files in the answer of an upstream, without those whose names lead elsewhere. Throws a FormatProblem. */
export const filesIn = ({ files }: JsonObject): readonly string[] => {
  if (!isObject(files)) throw malformed('The answer has no files.');
  return Object.keys(files).filter(isFilePath);
};

/** The binaries in the answer of an upstream, each with its conaninfo.txt. Throws a FormatProblem. */
export const binariesIn = (sent: JsonObject): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(sent).flatMap(([packageId, binary]) => {
      if (!isObject(binary)) throw malformed('A binary in the answer must be an object.');
      const { content } = binary;
      return isRevision(packageId) ? [[packageId, typeof content === 'string' ? content : ''] as const] : [];
    }),
  );

/** The recipes in the answer of an upstream to a search. Throws a FormatProblem. */
export const recipesIn = ({ results }: JsonObject): readonly string[] => {
  if (!Array.isArray(results)) throw malformed('The answer has no results.');
  return results.flatMap((each) => (typeof each === 'string' && parseRecipe(each) ? [each.replace('@_/_', '')] : []));
};
