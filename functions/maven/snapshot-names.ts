import { idsOf, isSnapshot } from './paths.ts';

/** A timestamped file of a SNAPSHOT version. */
export interface SnapshotFile {
  /** The version in the name of the file, such as `1.0-20240131.120000-1`. */
  readonly value: string;
  /** Such as `20240131.120000`. */
  readonly timestamp: string;
  readonly buildNumber: number;
  /** Empty for the main file. */
  readonly classifier: string;
  readonly extension: string;
}

/** The endings of signatures, which belong to the extension of the file that they sign. */
const signature = /(?:\.asc|\.sigstore|\.sigstore\.json)$/;

/** Extensions with a dot are those of compressed tar archives. A classifier may have dots, such as `jdk1.8`. */
const ofTail = /^(?:-(?<classifier>.+?))?\.(?<extension>tar\.[^.]+|[^.]+)$/;

/** What the name of a file says in a SNAPSHOT version; undefined if it has no timestamp. */
export const snapshotFileOf = (name: string, version: string, file: string): SnapshotFile | undefined => {
  const base = `${idsOf(name).artifactId}-${version.slice(0, -'SNAPSHOT'.length)}`;
  if (!isSnapshot(version) || !file.startsWith(base)) return undefined;
  const [, stamp = '', timestamp = '', build = '', tail = ''] =
    /^((\d{8}\.\d{6})-(\d{1,9}))([.-].+)$/.exec(file.slice(base.length)) ?? [];
  const signed = signature.exec(tail)?.[0] ?? '';
  const { classifier = '', extension } = ofTail.exec(tail.slice(0, tail.length - signed.length))?.groups ?? {};
  if (extension === undefined) return undefined;
  return {
    value: version.slice(0, -'SNAPSHOT'.length) + stamp,
    timestamp,
    buildNumber: Number(build),
    classifier,
    extension: extension + signed,
  };
};

/** Whether a file may be replaced by another one of the same name: it is part of a SNAPSHOT version, and has no timestamp. */
export const isReplaceable = (name: string, version: string, file: string): boolean =>
  isSnapshot(version) && snapshotFileOf(name, version, file) === undefined;
