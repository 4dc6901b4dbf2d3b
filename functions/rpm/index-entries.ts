import type { NamedEntry } from '../../shared/packages/serve/repository-index.ts';
import type { PackageTexts } from './package-xml.ts';
import type { Evr } from './versions.ts';

/** A package in the index of a repository. */
export interface ListedPackage extends PackageTexts, Evr {
  readonly name: string;
  readonly sha256: string;
}

/** The text of its entry: JSON, because texts in an index have one line. */
export const partsOf = ({ epoch, version, release, sha256, primary, filelists, other }: ListedPackage): string[] => [
  JSON.stringify([epoch, version, release, sha256, primary, filelists, other]),
];

/** Reads such an entry. */
export const listedPackage = ({ name, parts: [text = '[]'] }: NamedEntry): ListedPackage => {
  const read = JSON.parse(text) as string[];
  const [epoch = '0', version = '', release = '', sha256 = '', primary = '', filelists = '', other = ''] = read;
  return { name, epoch, version, release, sha256, primary, filelists, other };
};
