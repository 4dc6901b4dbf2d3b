import { type PackageRef, packageHeadKey, tagKey } from '../../table/packages/package-keys.ts';
import {
  isLive,
  isPresent,
  type PackageHead,
  type PackageTag,
  type PackageVersion,
} from '../../table/packages/packages.ts';
import type { Check, Write } from '../../table/writes.ts';
import { hasRoom } from '../index/index-writes.ts';
import type { PackagePublication } from './publication.ts';

/** The head and the version of a package, as they were read. */
interface Known {
  readonly head: PackageHead | undefined;
  readonly version: PackageVersion | undefined;
}

/** What a publication adds to the head. */
interface Added {
  readonly bytes: number;
  /** The size that its own index gets: entries in others are counted there. */
  readonly entryBytes: number;
  readonly now: string;
}

/** Moves a tag that is an item of its own. */
export const tagWrite = (ref: PackageRef, tag: string, held: PackageTag): Write => ({
  put: { ...tagKey(ref, tag), ...held },
});

/** The condition that no file that the version may need was deleted since the head was read. */
const sameLooseFiles = (head: PackageHead | undefined): Required<Pick<Check, 'if' | 'values'>> =>
  head?.looseRemovals === undefined
    ? { if: ' AND attribute_not_exists(#looseRemovals)', values: {} }
    : { if: ' AND #looseRemovals = :removals', values: { ':removals': head.looseRemovals } };

/** The head of a package that gets a version, or files of one. */
export const headWrite = (
  { displayName, version, document, tags = [], tagItems = [], requireLooseFiles }: PackagePublication,
  ref: PackageRef,
  known: Known,
  { bytes, entryBytes, now }: Added,
): Write => {
  const isNew = !isLive(known.version);
  const condition = isPresent(known.head)
    ? '#versionCount > :none'
    : '(attribute_not_exists(pk) OR #versionCount = :none)';
  const needed = requireLooseFiles ? sameLooseFiles(known.head) : { if: '', values: {} };
  const room = hasRoom(entryBytes);
  return {
    update: packageHeadKey(ref),
    set: `SET #displayName = if_not_exists(#displayName, :displayName), #createdAt = if_not_exists(#createdAt, :now), #updatedAt = :now${isNew ? ', #newestVersion = :version' : ''}${document === undefined ? '' : ', #document = :document'}${tagItems.length > 0 ? ', #hasTagItems = :yes' : ''}${tags.map((_, index) => `, #tag${index} = :version`).join('')} ADD #revision :one, #versionCount :versions, #sizeInBytes :bytes${entryBytes === 0 ? '' : ', #entryBytes :entryBytes'}`,
    if: condition + needed.if + (room.if && ` AND ${room.if}`),
    names: Object.fromEntries(tags.map((tag, index) => [`#tag${index}`, `tag:${tag}`])),
    values: {
      ':displayName': displayName,
      ':now': now,
      ':one': 1,
      ':none': 0,
      ':versions': isNew ? 1 : 0,
      ':bytes': bytes,
      ...((isNew || tags.length > 0) && { ':version': version }),
      ...(document !== undefined && { ':document': document }),
      ...(tagItems.length > 0 && { ':yes': true }),
      ...(entryBytes !== 0 && { ':entryBytes': entryBytes }),
      ...needed.values,
      ...room.values,
    },
  };
};
