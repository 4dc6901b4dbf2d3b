import { ApiError, invalid, requireValid, type Violation } from '../../errors.ts';
import type { ReceivedFile } from '../../store/received-file.ts';
import type { VersionContent } from '../changes/version-content.ts';
import type { ReadmeSource } from './readme.ts';

/** What a client says of files that it wants to publish, before anybody reads them. */
export interface Announcement {
  readonly packageName?: string | undefined;
  readonly packageVersion?: string | undefined;
  /** Where the version is listed, for types whose repositories have distributions with components. */
  readonly distribution?: string | undefined;
  readonly component?: string | undefined;
  readonly files: readonly { readonly name: string; readonly size: number }[];
}

/** A file under the name that its publisher gave it. */
export interface NamedFile {
  readonly name: string;
  readonly received: ReceivedFile;
}

/** How a package type publishes files that do not come from its own clients. */
export interface PackageFormat {
  /** Refuses what can be no version of this type, before anybody reads a file. */
  check(announcement: Announcement): void;
  /** Makes a version of the files. It reads them as streams, and changes nothing. */
  read(announcement: Announcement, files: readonly NamedFile[]): Promise<VersionContent>;
  /** Whether an announcement may name a distribution and a component. */
  readonly hasDistributions?: true;
  /** Where its versions have a README, if they can have one. */
  readonly readme?: ReadmeSource;
}

/** The fields that name a version. */
const versionFields = ['packageName', 'packageVersion'] as const;

/** The name and the version of an announcement, for types whose files do not say them. */
export const announcedVersion = (announcement: Announcement): { readonly name: string; readonly version: string } => {
  const missing = versionFields.filter((field) => announcement[field] === undefined);
  const { packageName: name, packageVersion: version } = announcement;
  if (name !== undefined && version !== undefined) return { name, version };
  throw invalid(missing.map((field) => violation(field, 'required', `${field} is required for this package type.`)));
};

/** Refuses a name and a version for types whose files say both. */
export const refuseVersion = (announcement: Announcement): void => {
  const given = versionFields.filter((field) => announcement[field] !== undefined);
  requireValid(
    given.map((field) => violation(field, 'unknown', `Leave out ${field}: the file says it for this package type.`)),
  );
};

/** The fields that name a place in a repository. */
const placeFields = ['distribution', 'component'] as const;

/** Refuses what can be no version of a format: fields that it does not have, and what its own check refuses. */
export const checkAnnouncement = (format: PackageFormat, announcement: Announcement): void => {
  const given = format.hasDistributions ? [] : placeFields.filter((field) => announcement[field] !== undefined);
  requireValid(
    given.map((field) => violation(field, 'unknown', `Leave out ${field}: this package type has no such place.`)),
  );
  format.check(announcement);
};

const violation = (field: string, rule: string, message: string): Violation => ({
  pointer: `/${field}`,
  rule,
  message,
});

/** Refuses two files of one name. */
export const refuseRepeatedNames = ({ files }: Announcement): void => {
  const names = files.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new ApiError('PACKAGE_INVALID', `Two files have the name '${repeated}'.`);
};
