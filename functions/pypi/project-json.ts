import { ApiError } from '../../shared/errors.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { parseFileName } from './filenames.ts';
import { filePathOf } from './paths.ts';
import type { ProjectFile } from './project-files.ts';
import type { ProjectPage, UrlOf } from './project-pages.ts';
import { isPrerelease, sortedVersions } from './version-order.ts';
import { versionKeyOf } from './versions.ts';

const packageTypes = { wheel: 'bdist_wheel', sdist: 'sdist', egg: 'bdist_egg' } as const;

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isYanked = ({ yanked }: ProjectFile): boolean => yanked === true || typeof yanked === 'string';

/** A file as PyPI describes it, and its version; undefined if its name has none. */
const releaseFile = (file: ProjectFile, name: string, urlOf: UrlOf) => {
  const { filename, hashes, size } = file;
  const parts = parseFileName(filename, name);
  if (!parts) return undefined;
  const uploadTime = textOr(file['upload-time']);
  const described = {
    filename,
    packagetype: packageTypes[parts.kind],
    python_version: parts.kind === 'wheel' ? (filename.split('-').at(-3) ?? null) : 'source',
    digests: isObject(hashes) ? hashes : {},
    size: typeof size === 'number' ? size : null,
    url: urlOf(filePathOf(name, filename)),
    requires_python: textOr(file['requires-python']),
    upload_time: uploadTime?.slice(0, 19) ?? null,
    upload_time_iso_8601: uploadTime,
    yanked: isYanked(file),
    yanked_reason: textOr(file.yanked) || null,
  };
  return { version: parts.version, described };
};

type Described = NonNullable<ReturnType<typeof releaseFile>>['described'];

/** The version of several in order that PyPI would show: the highest that is neither yanked nor a pre-release, else the highest of any. */
const shownVersion = (releases: ReadonlyMap<string, readonly Described[]>): string | undefined => {
  const versions = [...releases.keys()];
  const usable = versions.filter((each) => !releases.get(each)?.every(({ yanked }) => yanked));
  return usable.findLast((each) => !isPrerelease(each)) ?? usable.at(-1) ?? versions.at(-1);
};

const infoOf = (name: string, version: string, files: readonly Described[]): JsonObject => ({
  name,
  version,
  requires_python: files[0]?.requires_python ?? null,
  yanked: files.every(({ yanked }) => yanked),
  yanked_reason: files.find(({ yanked_reason }) => yanked_reason !== null)?.yanked_reason ?? null,
});

/** The refusal of a version that is not there, or whose files lack hashes, or of a project without any other. */
const notFound = (name: string, version: string | undefined, lacksHashes: boolean): ApiError => {
  const what = version === undefined ? 'version' : `version ${version}`;
  const which = lacksHashes ? ' whose files all have a SHA-256' : '';
  return new ApiError('VERSION_NOT_FOUND', `'${name}' has no ${what}${which}.`);
};

/** A version as it was asked for, or an equal one such as 1.0.0 for 1.0: PyPI takes both. */
const equalVersion = (versions: readonly string[], asked: string): string | undefined =>
  versions.find((each) => each === asked) ?? versions.find((each) => versionKeyOf(each) === versionKeyOf(asked));

const hasHashes = ({ digests }: Described): boolean => 'sha256' in digests;

/**
 * The metadata of a project, or of one version, in the form of PyPI (docs.pypi.org/api/json), as far as an index knows them.
 * A release with a file without SHA-256 is left out: pip-tools requires that of each file, and downloads the files of a release that it
 * does not find. Throws VERSION_NOT_FOUND.
 */
export const projectJson = ({ name, files }: ProjectPage, version: string | undefined, urlOf: UrlOf): JsonObject => {
  const known = files.flatMap((file) => releaseFile(file, name, urlOf) ?? []);
  const byVersion = Map.groupBy(known, (each) => each.version);
  const all = sortedVersions(byVersion.keys()).map(
    (each) => [each, (byVersion.get(each) ?? []).map(({ described }) => described)] as const,
  );
  const releases = new Map(all.filter(([, of]) => of.every(hasHashes)));
  const shown = version === undefined ? shownVersion(releases) : equalVersion([...byVersion.keys()], version);
  const urls = shown === undefined ? undefined : releases.get(shown);
  const lacksHashes = version === undefined ? all.length > 0 : shown !== undefined;
  if (shown === undefined || !urls) throw notFound(name, version, lacksHashes);
  const info = infoOf(name, shown, urls);
  return version === undefined ? { info, releases: Object.fromEntries(releases), urls } : { info, urls };
};
