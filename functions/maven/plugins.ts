import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { type Element, parentElement, textElement } from '../../shared/packages/formats/xml.ts';
import type { IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import { findNamedIndex, type NamedEntry } from '../../shared/packages/serve/repository-index.ts';
import { isLocal } from '../../shared/packages/sources/resolution.ts';
import { isBlocked, type Source, type Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Key } from '../../shared/table/keys.ts';
import type { NamedIndex } from '../../shared/table/packages/package-index.ts';
import { packageEntryKey } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { markedPlugins } from './marked-plugins.ts';
import { idsOf, packageName } from './paths.ts';
import { compareVersions } from './versions.ts';

/** The prefixes of a version of a plugin: the one that its jar declares, and the one that follows from its name. */
export interface PluginPrefixes {
  readonly declared?: string;
  readonly implied?: string;
}

const prefixPattern = /^[\w.-]{1,100}$/;

/** The prefix that Maven gives a plugin of this name: `maven-x-plugin` and `x-maven-plugin` have the prefix `x`. */
export const impliedPrefix = (artifactId: string): string =>
  artifactId === 'maven-plugin-plugin'
    ? 'plugin'
    : artifactId.replaceAll(/-?maven-?/g, '').replaceAll(/-?plugin-?/g, '');

/** The prefix of a version whose POM says that it is a plugin. */
export const prefixOfPom = ({
  artifactId,
  packaging,
}: {
  readonly artifactId: string;
  readonly packaging: string;
}): PluginPrefixes => {
  const implied = impliedPrefix(artifactId);
  return packaging === 'maven-plugin' && prefixPattern.test(implied) ? { implied } : {};
};

/** The prefix of a version whose jar declares one. */
export const prefixOfJar = (declared: string | undefined): PluginPrefixes =>
  declared !== undefined && prefixPattern.test(declared) ? { declared } : {};

/** The index of the plugins of a group. */
const pluginIndex = (group: string): NamedIndex => `plugins:${group}`;

/** What the index of the group says of a version. Its jar and its POM arrive in any order, and each adds only its own prefix. */
export const pluginListings = (name: string, { declared, implied }: PluginPrefixes): VersionContent['alsoListed'] => {
  if (declared === undefined && implied === undefined) return [];
  const addedParts = ([knownDeclared = '', knownImplied = '']: readonly string[]) => [
    declared ?? knownDeclared,
    implied ?? knownImplied,
  ];
  return [{ index: pluginIndex(idsOf(name).groupId), parts: addedParts([]), addedParts }];
};

/** A prefix, and the version that gives it to its plugin. */
type VersionPrefix = readonly [prefix: string, version: string];

const newestOf = (prefixes: readonly VersionPrefix[]): string | undefined =>
  prefixes.toSorted(([, one], [, other]) => compareVersions(other, one))[0]?.[0];

/** The prefix of a plugin, taken from its newest version that has one. That which a jar declares goes before all others. */
const prefixOf = (entries: readonly NamedEntry[]): string | undefined => {
  const prefixesAt = (at: 0 | 1): VersionPrefix[] =>
    entries.flatMap(({ version, parts }) => (parts[at] ? [[parts[at], version] as const] : []));
  return newestOf(prefixesAt(0)) ?? newestOf(prefixesAt(1));
};

/** The maximum number of artifacts of upstreams that are looked up in local sources. */
const lookedUpMax = 5_000;

/** What the local sources have of a group. */
export interface LocalGroup {
  /** The plugins, in the order of resolution. */
  readonly plugins: readonly Element[];
  /** The sources that have plugins. */
  readonly sources: readonly Source[];
}

const pluginElement = (prefix: string, artifactId: string): Element =>
  parentElement('plugin', [
    textElement('name', artifactId),
    textElement('prefix', prefix),
    textElement('artifactId', artifactId),
  ]);

/** The prefixes of the plugins in an index, by artifact. */
const prefixesIn = (entries: readonly NamedEntry[]): ReadonlyMap<string, string> => {
  const byName = Map.groupBy(entries, ({ name }) => name);
  return new Map(
    [...byName].flatMap(([name, same]) => {
      const prefix = prefixOf(same);
      return prefix === undefined ? [] : [[idsOf(name).artifactId, prefix] as const];
    }),
  );
};

const elementsOf = (prefixes: ReadonlyMap<string, string>): Element[] =>
  [...prefixes]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([artifactId, prefix]) => pluginElement(prefix, artifactId));

/** Finds the plugins of a group in the local sources. */
export const findLocalGroup = async (call: IndexCall, sources: Sources, group: string): Promise<LocalGroup> => {
  const [found, marked] = await Promise.all([
    findNamedIndex(call, sources, pluginIndex(group)),
    markedPlugins(call.table, sources.all.filter(isLocal), group),
  ]);
  const listed = new Map((await found?.load())?.map(({ source, index }) => [source, index.entries]));
  const plugins = sources.all.filter(isLocal).map((source) => {
    const prefixes = new Map([...(marked.get(source) ?? []), ...prefixesIn(listed.get(source) ?? [])]);
    return { source, elements: elementsOf(prefixes) };
  });
  return {
    plugins: plugins.flatMap(({ elements }) => elements),
    sources: plugins.filter(({ elements }) => elements.length > 0).map(({ source }) => source),
  };
};

/**
 * Which of these artifacts of a group a local source has, or ever had. Beyond a number they are not looked up, and count as held: a prefix
 * that an upstream gives them leads nowhere.
 */
export const heldArtifacts = async (
  table: Table,
  { all }: Sources,
  group: string,
  artifactIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const locals = all.filter(isLocal);
  if (locals.length === 0) return new Set();
  const ids = [...new Set(artifactIds)].map((id) => ({
    id,
    keys: locals.map((source) => packageEntryKey({ contentId: contentIdOf(source), name: packageName(group, id) })),
  }));
  const lookedUp = ids.slice(0, Math.floor(lookedUpMax / locals.length));
  const loaded = await table.read(lookedUp.flatMap(({ keys }) => keys));
  const isHeld = (keys: readonly Key[]): boolean =>
    keys.some((key) => !loaded.hasRead(key) || loaded.find(key) !== undefined);
  return new Set(ids.filter(({ keys }) => isHeld(keys)).map(({ id }) => id));
};

/**
 * The sources without the upstreams, if the virtual repository blocks this group for them. The path may be that of an artifact, too, which is
 * blocked by its own name. Not below one segment: `org/acme` is a group, of which nobody is to hear.
 */
export const withoutBlocked = (
  sources: Sources,
  { name, group }: { readonly name: string | undefined; readonly group: string | undefined },
): Sources => {
  const isArtifact = name !== undefined && idsOf(name).groupId.includes('.');
  return !isArtifact && group !== undefined && isBlocked(packageName(group, ''), sources.upstreamNames)
    ? { ...sources, all: sources.all.filter(isLocal) }
    : sources;
};
