import type { NamedEntry } from '../../shared/packages/serve/repository-index.ts';
import type { DebianPlace } from './names.ts';
import { placeOf } from './paths.ts';

/** A package in the index of a repository. */
export interface ListedDeb extends DebianPlace {
  readonly name: string;
  /** With its epoch. */
  readonly version: string;
  readonly architecture: string;
  readonly sha256: string;
  /** Its paragraph in a list of packages, with the end of its last line. */
  readonly stanza: string;
}

/** The text of its entry: JSON, because texts in an index have one line. */
export const partsOf = ({ version, sha256, stanza }: Pick<ListedDeb, 'version' | 'sha256' | 'stanza'>): string[] => [
  JSON.stringify([version, sha256, stanza]),
];

/** Reads such an entry. */
export const listedPackage = ({ name, version: key, parts: [text = '[]'] }: NamedEntry): ListedDeb => {
  const [version = '', sha256 = '', stanza = ''] = JSON.parse(text) as string[];
  return { name, ...placeOf(key), version, sha256, stanza };
};
