import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { millisecondsOf } from '../../shared/packages/releases/gate-of.ts';
import { isCanonical } from './versions.ts';

/** A version of an upstream, and the `.info` that clients get of it. */
export interface VersionInfo {
  readonly version: string;
  readonly json: Buffer;
  /** The time of its commit in milliseconds since the epoch, as its author wrote it; undefined if the upstream says none. */
  readonly committedAt: number | undefined;
}

/** What an `Origin` says of the place in version control that a version was made from (`codehost.Origin` in go's cmd). */
const originFields = ['VCS', 'URL', 'Subdir', 'Hash', 'Ref', 'TagPrefix', 'TagSum', 'RepoSum'] as const;

const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const originOf = (origin: unknown): JsonObject | undefined => {
  if (!isObject(origin)) return undefined;
  const known = originFields.filter((field) => typeof origin[field] === 'string');
  return known.length === 0 ? undefined : Object.fromEntries(known.map((field) => [field, origin[field]]));
};

/**
 * Reads what an upstream says of a version, and writes the fields anew that go knows. With `wanted`, it must be about this version.
 * Throws a FormatProblem.
 */
export const parseInfo = (sent: Uint8Array, wanted?: string): VersionInfo => {
  const { Version: version, Time: time, Origin: origin } = parseObject(sent, 'The answer of the upstream');
  if (typeof version !== 'string' || !isCanonical(version))
    throw malformed('The answer of the upstream names no canonical version.');
  if (wanted !== undefined && version !== wanted) throw malformed('The answer of the upstream is of another version.');
  const known = {
    Version: version,
    ...(typeof time === 'string' && timePattern.test(time) && { Time: time }),
    Origin: originOf(origin),
  };
  return { version, json: Buffer.from(JSON.stringify(known)), committedAt: millisecondsOf(known.Time) };
};
