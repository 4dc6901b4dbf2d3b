import { malformed } from '../../shared/packages/formats/format-problem.ts';
import {
  isObject,
  type JsonObject,
  parseObject,
  textsOf,
  without,
} from '../../shared/packages/formats/json-objects.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import { entryOf, type ManifestForm } from './index-entries.ts';
import type { PackageIndex } from './packument.ts';
import { hasTarballPath } from './paths.ts';

/** The address of a tarball at an upstream, and what the upstream promises of it. */
export interface UpstreamTarball {
  readonly url: string;
  readonly integrity?: string;
  readonly shasum?: string;
  readonly size?: number;
}

/** A package of an upstream. */
export interface UpstreamPackument extends PackageIndex {
  /** The form of the answer: an upstream may answer in full although the abbreviated form was requested. */
  readonly form: ManifestForm;
  readonly entries: readonly IndexEntry[];
  readonly head: JsonObject;
  readonly tarballs: ReadonlyMap<string, UpstreamTarball>;
}

const label = 'The packument of the upstream';

const bytesMax = 64 * 1024 * 1024;

/** Parses the packument that an upstream returns for a name at a URL, in the form that is wanted or in both. */
export const parseUpstreamPackument = (
  json: Uint8Array,
  { name, url, wanted }: { name: string; url: string; wanted?: ManifestForm },
): UpstreamPackument => {
  if (json.length > bytesMax) throw malformed(`${label} has more than ${bytesMax} bytes.`);
  // Like clients of npm, this reads invalid UTF-8 as U+FFFD.
  const document = parseObject(Buffer.from(json.buffer, json.byteOffset, json.length).toString(), label);
  if (document.name !== undefined && document.name !== name)
    throw malformed(`The upstream answers with another package than '${name}'.`);
  // The public registry keeps the name of a package whose versions were all unpublished.
  const { _id: id, name: ownName, versions } = document;
  if ([id, ownName, versions].every((member) => member === undefined))
    throw malformed(`${label} has neither a name nor versions.`);
  const form = formOf(document);
  const manifests = manifestsOf(document, name);
  const times = new Map(textsOf(document.time));
  return {
    form,
    entries: manifests.map(([version, manifest]) =>
      entryOf(manifest, { version, revision: 1, time: times.get(version), form, wanted }),
    ),
    tags: Object.fromEntries(textsOf(document['dist-tags'])),
    head: headOf(document, new Set(manifests.map(([version]) => version))),
    created: times.get('created'),
    modified: times.get('modified') ?? new Map(textsOf(document)).get('modified'),
    tarballs: new Map(manifests.flatMap(([version, { dist }]) => tarballOf(version, dist, url))),
  };
};

/** A manifest with the name under which it was asked for: Yarn installs what says another one as that, and some registries lack the scope. */
const namedAs = (name: string, manifest: JsonObject): JsonObject =>
  manifest.name === undefined || manifest.name === name ? manifest : { ...manifest, name };

/** The versions that a path can name. Others of an upstream could not be downloaded. */
const manifestsOf = ({ versions }: JsonObject, name: string): [string, JsonObject][] => {
  if (versions !== undefined && !isObject(versions)) throw malformed('The versions of the upstream are no object.');
  return Object.entries(versions ?? {})
    .filter((member): member is [string, JsonObject] => isObject(member[1]) && hasTarballPath(name, member[0]))
    .map(([version, manifest]) => [version, namedAs(name, manifest)]);
};

const formOf = ({ _id: id, time }: JsonObject): ManifestForm =>
  id === undefined && time === undefined ? 'abbreviated' : 'full';

/** The members that belong to no entry and no tag. Versions that were unpublished upstream still have their times. */
const headOf = (document: JsonObject, versions: ReadonlySet<string>): JsonObject => {
  const rest = without(document, '_id', 'name', 'dist-tags', 'versions', 'time');
  const times = isObject(document.time) ? Object.entries(document.time) : [];
  const isKept = ([key, time]: [string, unknown]): boolean => typeof time !== 'string' || !versions.has(key);
  const others = times.filter(([key]) => key !== 'created' && key !== 'modified').filter(isKept);
  return others.length > 0 ? { ...rest, time: Object.fromEntries(others) } : rest;
};

const tarballOf = (version: string, dist: unknown, base: string): [string, UpstreamTarball][] => {
  if (!isObject(dist) || typeof dist.tarball !== 'string') return [];
  const url = URL.parse(dist.tarball, base);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return [];
  const { integrity, shasum, size } = dist;
  const promised = {
    ...(typeof integrity === 'string' && { integrity }),
    ...(typeof shasum === 'string' && { shasum }),
    ...(Number.isSafeInteger(size) && { size: size as number }),
  };
  return [[version, { url: url.href, ...promised }]];
};
