import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import { abbreviated } from './manifest.ts';

/** The forms of a manifest. The abbreviated form contains what an installation needs. */
export type ManifestForm = 'full' | 'abbreviated';

/**
 * The end of the text of every manifest in an index. The address of the tarball is the last member, so that it can be
 * inserted without parsing the text: a packument of 10,000 versions is made from unparsed texts.
 */
const placeholder = '"tarball":"{tarball}"}}';

const textOf = (manifest: JsonObject): string => {
  const { dist: sent, ...members } = manifest;
  const { tarball: _tarball, ...dist } = isObject(sent) ? sent : {};
  const text = JSON.stringify({ ...members, dist }).slice(0, -'}}'.length);
  return `${text}${text.endsWith('{') ? '' : ','}${placeholder}`;
};

/** The data of a version in addition to its manifest. */
export interface EntryFacts {
  /** The version in the index. It is that of the manifest, unless an upstream makes an error. */
  readonly version: string;
  readonly revision: number;
  /** The time of the publication, which the abbreviated packument of an upstream does not contain. */
  readonly time?: string;
  /** The form that the manifest has already. */
  readonly form?: ManifestForm;
  /** The only form that is needed; without it, both are. */
  readonly wanted?: ManifestForm | undefined;
}

/** The texts of a version in the index: its manifest, the abbreviated form, and the time of the publication. */
export const entryOf = (
  manifest: JsonObject,
  { version, revision, time = '', form, wanted }: EntryFacts,
): IndexEntry => {
  if (form === 'abbreviated') return { version, revision, parts: ['', textOf(manifest), time] };
  const full = wanted === 'abbreviated' ? '' : textOf(manifest);
  const short = wanted === 'full' ? '' : textOf(abbreviated(manifest));
  return { version, revision, parts: [full, short, time] };
};

/** The maximum sizes of a manifest and of its abbreviated form: a packument has all of them. */
const manifestBytesMax = 1_000_000;
const abbreviatedBytesMax = 256_000;

/** As `entryOf`, for a version that is published or changed here. Throws PACKAGE_INVALID if its manifest is too large. */
export const checkedEntryOf = (manifest: JsonObject, facts: EntryFacts): IndexEntry => {
  const entry = entryOf(manifest, facts);
  const [full = '', short = ''] = entry.parts;
  requireSize('The manifest of the version', full, manifestBytesMax);
  requireSize('What an installation needs of the manifest, such as its dependencies,', short, abbreviatedBytesMax);
  return entry;
};

/** The text of a form of the manifest, or of the abbreviated form if only that is known. */
const formOf = ({ parts: [full = '', short = ''] }: IndexEntry, form: ManifestForm): string =>
  form === 'full' && full !== '' ? full : short;

/** The JSON of a manifest with the address of its tarball. */
export const manifestText = (entry: IndexEntry, form: ManifestForm, address: string): string =>
  `${formOf(entry, form).slice(0, -placeholder.length)}"tarball":${JSON.stringify(address)}}}`;

/** A manifest, in full if the full form is known. It has a placeholder instead of the address of the tarball. */
export const manifestOf = (entry: IndexEntry, form: ManifestForm = 'full'): JsonObject =>
  JSON.parse(formOf(entry, form)) as JsonObject;

/** The time at which a version was published. */
export const timeOf = ({ parts: [, , time = ''] }: IndexEntry): string | undefined => (time === '' ? undefined : time);

/** The same version with the time of its publication; without one, if there is none. */
export const withTime = ({ parts: [full = '', short = ''], ...entry }: IndexEntry, time = ''): IndexEntry => ({
  ...entry,
  parts: [full, short, time],
});
