import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { isFullVersion, parseVersion } from './versions.ts';

/** The meaning of a path below `/helm/{workspace}/{repository}/`, apart from the API of ChartMuseum. */
export type HelmPath =
  | { readonly kind: 'index' }
  | ({ readonly kind: 'file' } & FileAddress)
  | { readonly kind: 'unknown' };

const nameLengthMax = 250;

/** Whether a chart may have this name: the rule of `helm create`. `helm` refuses `.` and `..` everywhere. */
export const isChartName = (name: string): boolean =>
  /^[A-Za-z0-9._-]+$/.test(name) && name.length <= nameLengthMax && name !== '.' && name !== '..';

const extension = '.tgz';
const provenanceExtension = `${extension}.prov`;

/** A segment of a path has at most 255 bytes. Names and versions are ASCII. */
const fileLengthMax = 255;

/** The name of the file of a version. */
export const chartFile = (name: string, version: string): string => `${name}-${version}${extension}`;

/** The name of the provenance file of a version, which has the signature. */
export const provenanceFile = (name: string, version: string): string => `${name}-${version}${provenanceExtension}`;

/** Whether a version of a chart has a file name that a path can have. */
export const hasFileNames = (name: string, version: string): boolean =>
  isChartName(name) && parseVersion(version) !== undefined && provenanceFile(name, version).length <= fileLengthMax;

const stemOf = (file: string): string | undefined => {
  const suffix = [provenanceExtension, extension].find((each) => file.endsWith(each));
  return suffix === undefined ? undefined : file.slice(0, -suffix.length);
};

/**
 * The chart and the version of a file name. Name and version may both contain hyphens: the version begins behind the first one
 * that a full version follows.
 */
export const splitFile = (file: string): FileAddress | undefined => {
  const stem = stemOf(file) ?? '';
  for (let at = stem.indexOf('-'); at >= 0; at = stem.indexOf('-', at + 1)) {
    const [name, version] = [stem.slice(0, at), stem.slice(at + 1)];
    if (isFullVersion(version) && hasFileNames(name, version)) return { name, version, file };
  }
  return undefined;
};

/** The address of a file whose chart is known. */
const fileOf = (name: string, file: string): FileAddress | undefined => {
  const stem = stemOf(file);
  if (!stem?.startsWith(`${name}-`)) return undefined;
  const version = stem.slice(name.length + 1);
  return hasFileNames(name, version) ? { name, version, file } : undefined;
};

/**
 * The path of the file of a version below the address of the repository. It contains the name of the chart as a segment of its
 * own if the name of the file alone would mean another chart, such as `web-1.0.0-2.0.0.tgz` of `web-1.0.0`.
 */
export const chartPath = (name: string, version: string): string => {
  const file = chartFile(name, version);
  const split = splitFile(file);
  const isClear = split?.name === name && split.version === version;
  return `charts/${isClear ? '' : `${name}/`}${encodeURIComponent(file)}`;
};

/** Parses the tail of a path exactly as the client sent it, still percent-encoded. */
export const parsePath = (rawTail: string): HelmPath => {
  const segments = decodeSegments(rawTail) ?? [];
  const [folder, first = '', second, ...rest] = segments;
  if (segments.length === 1 && folder === 'index.yaml') return { kind: 'index' };
  if (folder !== 'charts' || rest.length > 0) return { kind: 'unknown' };
  const address = second === undefined ? splitFile(first) : fileOf(first, second);
  return address ? { kind: 'file', ...address } : { kind: 'unknown' };
};
