import type { IndexEntry } from '../../shared/packages/index-entry.ts';
import { isObject, type JsonObject, without } from './json.ts';
import { abbreviated } from './manifest.ts';

/** The abbreviated form holds what an installation needs. */
export type ManifestForm = 'full' | 'abbreviated';

/**
 * The end of the text of every manifest in an index. The address of the tarball is the last member, so that it is filled in without a
 * look at the thousands of characters before it: a packument of 10,000 versions is made from texts that nobody parses.
 */
const placeholder = '"tarball":"{tarball}"}}';

const textOf = (manifest: JsonObject): string => {
  const dist = isObject(manifest.dist) ? without(manifest.dist, 'tarball') : {};
  const text = JSON.stringify({ ...without(manifest, 'dist'), dist }).slice(0, -'}}'.length);
  return `${text}${text.endsWith('{') ? '' : ','}${placeholder}`;
};

/** What is known of a version besides its manifest. */
export interface EntryFacts {
  /** As the index calls it, which is what its manifest says unless an upstream errs. */
  readonly version: string;
  readonly revision: number;
  /** When the version was published; the abbreviated packument of an upstream does not say. */
  readonly time?: string;
  /** The form that the manifest has already. */
  readonly form?: ManifestForm;
}

/** What the index keeps of a version: its manifest, the abbreviated form of it, and when it was published. */
export const entryOf = (manifest: JsonObject, { version, revision, time = '', form }: EntryFacts): IndexEntry => ({
  version,
  revision,
  parts:
    form === 'abbreviated' ? ['', textOf(manifest), time] : [textOf(manifest), textOf(abbreviated(manifest)), time],
});

/** The text of a form of the manifest, or of the abbreviated form when only that is known. */
const formOf = ({ parts: [full = '', short = ''] }: IndexEntry, form: ManifestForm): string =>
  form === 'full' && full !== '' ? full : short;

/** The JSON of a manifest with the address of its tarball. */
export const manifestText = (entry: IndexEntry, form: ManifestForm, address: string): string =>
  `${formOf(entry, form).slice(0, -placeholder.length)}"tarball":${JSON.stringify(address)}}}`;

/** A manifest, in full if it is known in full. In place of the tarball's address it has a placeholder. */
export const manifestOf = (entry: IndexEntry, form: ManifestForm = 'full'): JsonObject =>
  JSON.parse(formOf(entry, form)) as JsonObject;

/** When a version was published. */
export const timeOf = ({ parts: [, , time = ''] }: IndexEntry): string | undefined => (time === '' ? undefined : time);
