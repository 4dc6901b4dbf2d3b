import { ApiError } from '../../shared/errors.ts';
import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import type { Needs } from './manifest.ts';
import { type ConanReference, versionOf } from './references.ts';

/** What the index of a package knows of a revision of a recipe, or of a binary. */
export interface RevisionEntry {
  readonly files: readonly string[];
  /** What its manifest says that it has; absent until that comes. */
  readonly needs?: Needs;
  /** The conaninfo.txt of a binary. */
  readonly info?: string;
  /** When the last file came that it needs, in ISO 8601. Without it, nobody is shown the revision. */
  readonly completedAt?: string;
}

/** A file that comes to a revision. */
export interface AddedFile extends Pick<RevisionEntry, 'needs' | 'info'> {
  readonly file: string;
}

export const manifestFile = 'conanmanifest.txt';
export const infoFile = 'conaninfo.txt';

/** Archives of which a revision has one each, by the beginnings of their names: the ending says how it is compressed. */
const archives = { package: 'conan_package.t', export: 'conan_export.t', sources: 'conan_sources.t' } as const;

const isComplete = ({ files, needs }: RevisionEntry, isPackage: boolean): boolean => {
  const hasArchive = (archive: keyof typeof archives): boolean =>
    files.some((file) => file.startsWith(archives[archive]));
  if (!needs) return false;
  return isPackage
    ? files.includes(infoFile) && hasArchive('package')
    : files.includes('conanfile.py') &&
        (!needs.export || hasArchive('export')) &&
        (!needs.sources || hasArchive('sources'));
};

/** Clients take a revision with two archives of a kind for corrupted. */
const refuseSecondArchive = ({ files }: RevisionEntry, file: string): void => {
  const beginning = Object.values(archives).find((each) => file.startsWith(each));
  const known = beginning && files.find((each) => each.startsWith(beginning) && each !== file);
  if (known)
    throw new ApiError(
      'PACKAGE_INVALID',
      `The revision has ${known} already, and must not have ${file} beside it: compress the archive as before, or ask somebody with canManage to delete the revision.`,
    );
};

const infoBytesMax = 300_000;

/** What a revision is with another file. Throws PACKAGE_INVALID. */
export const withFile = (before: RevisionEntry, added: AddedFile, isPackage: boolean): RevisionEntry => {
  const { file, ...read } = added;
  refuseSecondArchive(before, file);
  requireSize(`The ${infoFile}`, read.info ?? '', infoBytesMax);
  const after = { ...before, ...read, files: [...new Set([...before.files, file])].toSorted() };
  return after.completedAt === undefined && isComplete(after, isPackage)
    ? { ...after, completedAt: new Date().toISOString() }
    : after;
};

/** A revision without a file. */
export const newRevision: RevisionEntry = { files: [] };

/** The parts of an index entry: the revision as JSON. */
export const partsOf = (revision: RevisionEntry): readonly string[] => [JSON.stringify(revision)];

/** The revision in the parts of an index entry. */
export const revisionIn = ([json]: readonly string[]): RevisionEntry =>
  json === undefined ? newRevision : (JSON.parse(json) as RevisionEntry);

/** The entries of an index, by the names of their versions. */
type Entries = ReadonlyMap<string, Pick<IndexEntry, 'parts'>>;

/** A revision that is complete. */
export interface CompleteRevision extends RevisionEntry {
  readonly completedAt: string;
}

/** The revision of a recipe or of a binary; undefined until it is complete. */
export const completeRevision = (entries: Entries, reference: ConanReference): CompleteRevision | undefined => {
  const { completedAt, ...revision } = revisionIn(entries.get(versionOf(reference))?.parts ?? []);
  return completedAt === undefined ? undefined : { ...revision, completedAt };
};

/** The complete revisions whose versions begin with a text, by what follows it, the newest first. */
const completeOnes = (entries: Entries, beginning: string): readonly (readonly [string, CompleteRevision])[] =>
  Array.from(entries)
    .filter(([version]) => version.startsWith(beginning))
    .flatMap(([version, { parts }]) => {
      const { completedAt, ...revision } = revisionIn(parts);
      return completedAt === undefined
        ? []
        : [[version.slice(beginning.length), { ...revision, completedAt }] as const];
    })
    .toSorted(([, one], [, other]) => (one.completedAt > other.completedAt ? -1 : 1));

/** A revision in a list, and when it was complete. */
export interface ListedRevision {
  readonly revision: string;
  readonly time: string;
}

/** The complete revisions of a recipe, or of a binary of one of its revisions, the newest first. */
export const listedRevisions = (entries: Entries, reference: ConanReference): readonly ListedRevision[] =>
  completeOnes(entries, `${versionOf(reference)}#`)
    // Behind the revision of a recipe stand its binaries.
    .filter(([revision]) => !revision.includes(':'))
    .map(([revision, { completedAt }]) => ({ revision, time: completedAt.replace('Z', '+0000') }));

/** The binaries of a revision of a recipe, each with the conaninfo.txt of its newest revision. */
export const binariesOf = (entries: Entries, reference: ConanReference): ReadonlyMap<string, string> => {
  const binaries = new Map<string, string>();
  for (const [id, { info = '' }] of completeOnes(entries, `${versionOf(reference)}:`)) {
    const [packageId = ''] = id.split('#');
    if (!binaries.has(packageId)) binaries.set(packageId, info);
  }
  return binaries;
};

/** The recipes of a package of which a revision is complete, as Conan writes them. */
export const recipesOf = (name: string, entries: Entries = new Map()): readonly string[] => {
  const complete = Array.from(entries).filter(
    ([version, { parts }]) => !version.includes(':') && revisionIn(parts).completedAt !== undefined,
  );
  return [...new Set(complete.map(([version]) => `${name}/${version.slice(0, version.indexOf('#'))}`))];
};
