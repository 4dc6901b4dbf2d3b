import { ApiError } from '../../shared/errors.ts';
import { isLeading } from '../../shared/packages/changes/tag-items.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { sourcesTogether } from '../../shared/packages/sources/package-address.ts';
import { answeringSources } from '../../shared/packages/sources/resolution.ts';
import type { Source } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { looseBytesOf, looseSizeKeys } from '../../shared/table/packages/loose-sizes.ts';
import { type PackageRef, packageHeadKey, tagKey, versionKey } from '../../shared/table/packages/package-keys.ts';
import { isPresent, type PackageHead, tagsOf } from '../../shared/table/packages/packages.ts';
import { contentIdOf, type Repository } from '../../shared/table/repositories/repositories.ts';
import { definitionOf } from '../package-definitions.ts';

/** A package in one of the repositories that a request reads. */
export interface Holder {
  readonly source: Source;
  readonly ref: PackageRef;
  readonly head: PackageHead;
  /** The bytes of its files, those of no version included. */
  readonly sizeInBytes: number;
  /** The version of the tag `latest`. */
  readonly latest: string | undefined;
}

/** The keys of what the head of a package does not tell: only some types have files of no version, or tags as items. */
const otherKeys = ({ ref, head }: Pick<Holder, 'ref' | 'head'>, loaded: IdentityMap): readonly Key[] => {
  const latest = tagKey(ref, 'latest');
  const tag = loaded.find(latest);
  return [
    ...(head.hasLooseFiles ? looseSizeKeys(ref) : []),
    ...(head.hasTagItems ? [latest] : []),
    ...(tag ? [versionKey(ref, tag.version)] : []),
  ];
};

/** Reads what the heads of packages do not tell. */
export const holdersOf = async (
  table: Table,
  found: readonly Pick<Holder, 'source' | 'ref' | 'head'>[],
): Promise<Holder[]> => {
  const loaded = await table.readWanted((soFar) => found.flatMap((each) => otherKeys(each, soFar)));
  return found.map(({ source, ref, head }) => {
    const tag = loaded.find(tagKey(ref, 'latest'));
    const isLed = tag && isLeading(tag, loaded.find(versionKey(ref, tag.version)));
    return {
      source,
      ref,
      head,
      sizeInBytes: head.sizeInBytes + looseBytesOf(ref, loaded),
      latest: isLed ? tag.version : tagsOf(head).latest,
    };
  });
};

/** The parts of a request that finding its package needs. */
export interface PackageCall {
  readonly params: { readonly package: string };
  readonly repository: Repository;
  readonly loaded: IdentityMap;
  readonly table: Table;
}

/** The maximum size of a name in bytes, escaped as in a key. DynamoDB limits a sort key to 1,024 bytes. */
const nameBytesMax = 1024;

/** Throws the error if the text is empty, or too long for a key of the table. */
export const requirePossible = (text: string, code: 'PACKAGE_NOT_FOUND' | 'VERSION_NOT_FOUND'): void => {
  if (text === '' || Buffer.byteLength(text.replaceAll(/[%#]/g, '%25')) > nameBytesMax) throw new ApiError(code);
};

/** The name in a path as its package type has it in keys, whichever way it is spelled. Throws PACKAGE_NOT_FOUND if no package can have it. */
export const spelledName = ({ packageType }: Repository, text: string): string => {
  const name = definitionOf(packageType).spelling.normalize(text);
  requirePossible(name, 'PACKAGE_NOT_FOUND');
  return name;
};

/** The repositories that may answer for a package, and those of them that have it, both in the order of resolution. */
export interface PackageHolders {
  readonly name: string;
  readonly asked: readonly Source[];
  readonly holders: readonly [Holder, ...Holder[]];
}

/** Finds the package in the path. Throws PACKAGE_NOT_FOUND if no repository has it. */
export const findPackage = async ({ params, repository, loaded, table }: PackageCall): Promise<PackageHolders> => {
  const name = spelledName(repository, params.package);
  const sources = sourcesTogether(repository, loaded);
  const refIn = (source: Source): PackageRef => ({ contentId: contentIdOf(source), name });
  const heads = await table.read(sources.all.map((source) => packageHeadKey(refIn(source))));
  const asked = answeringSources(sources, name, heads);
  const found = asked.flatMap((source) => {
    const ref = refIn(source);
    const head = heads.find(packageHeadKey(ref));
    return head && isPresent(head) && readable(source, { kind: 'package', name }, head) ? [{ source, ref, head }] : [];
  });
  const [first, ...others] = await holdersOf(table, found);
  if (!first) throw new ApiError('PACKAGE_NOT_FOUND');
  return { name, asked, holders: [first, ...others] };
};

/** The repositories that have the package in the path and may answer for it. */
export const findHolders = async (call: PackageCall): Promise<PackageHolders['holders']> =>
  (await findPackage(call)).holders;
