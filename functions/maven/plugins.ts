import { chunksOf } from '../../shared/chunks.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { isLocal } from '../../shared/packages/sources/resolution.ts';
import { isBlocked, type Source, type Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Key } from '../../shared/table/keys.ts';
import {
  markedList,
  packageEntryKey,
  packageHeadKey,
  packageNameAt,
} from '../../shared/table/packages/package-keys.ts';
import { isPresent, type PackageHead, tagsOf } from '../../shared/table/packages/packages.ts';
import { queryAll } from '../../shared/table/query-pages.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { idsOf, packageName } from './paths.ts';
import { compareVersions } from './versions.ts';
import { type Element, parentElement, textElement } from './xml.ts';

/**
 * The tags that keep the prefix of a plugin: the one that its jar declares, and the one that follows from its name. The jar and the
 * POM arrive in any order, and each moves only its own tag.
 */
const declaredTag = 'goal-prefix:';
const impliedTag = 'plugin-prefix:';

const prefixPattern = /^[\w.-]{1,100}$/;

/** The prefix that Maven gives a plugin of this name: `maven-x-plugin` and `x-maven-plugin` have the prefix `x`. */
export const impliedPrefix = (artifactId: string): string =>
  artifactId === 'maven-plugin-plugin'
    ? 'plugin'
    : artifactId.replaceAll(/-?maven-?/g, '').replaceAll(/-?plugin-?/g, '');

/** The tags of a version whose POM says that it is a plugin. */
export const tagsOfPom = ({
  artifactId,
  packaging,
}: {
  readonly artifactId: string;
  readonly packaging: string;
}): string[] => {
  const prefix = impliedPrefix(artifactId);
  return packaging === 'maven-plugin' && prefixPattern.test(prefix) ? [impliedTag + prefix] : [];
};

/** The tags of a version whose jar declares a prefix. */
export const tagsOfJar = (goalPrefix: string | undefined): string[] =>
  goalPrefix !== undefined && prefixPattern.test(goalPrefix) ? [declaredTag + goalPrefix] : [];

/** The prefix of a plugin, taken from its newest version that has one; undefined if the package is no plugin. */
const prefixOf = (head: PackageHead): string | undefined => {
  const tags = Object.entries(tagsOf(head));
  for (const kind of [declaredTag, impliedTag]) {
    const [newest] = tags
      .filter(([tag]) => tag.startsWith(kind))
      .toSorted(([, one], [, other]) => compareVersions(other, one));
    if (newest) return newest[0].slice(kind.length);
  }
  return undefined;
};

/** The mark of a package that has, or ever had, a tag of a plugin. */
const pluginMark = 'plugin';

/** The marks of a package with these tags. */
export const marksOf = (tags: readonly string[]): string[] => (tags.length > 0 ? [pluginMark] : []);

/**
 * The maximum number of plugins of a group in one repository: the head of each is read. The first ones by name count, so that whoever
 * publishes more of them hides nothing of another repository.
 */
const pluginsMax = 5_000;

/** The maximum number of artifacts of upstreams that are looked up in local sources. */
const lookedUpMax = 5_000;

/** What the local sources have of a group. */
export interface LocalGroup {
  /** The plugins, in the order of resolution. */
  readonly plugins: readonly Element[];
  /** The sources that have plugins. */
  readonly sources: readonly Source[];
}

/** The artifacts of the group in a source that are plugins, or ever were. */
const markedIn = async (table: Table, source: Source, group: string): Promise<readonly string[]> => {
  const prefix = packageName(group, '');
  const list = markedList(contentIdOf(source), pluginMark, prefix);
  const items = await queryAll(table, list, pluginsMax);
  const names = items.map(({ position }) => packageNameAt(position, prefix));
  return names
    .filter((name) => readable(source, { kind: 'package', name }, name))
    .map((name) => idsOf(name).artifactId);
};

const pluginElement = (prefix: string, artifactId: string): Element =>
  parentElement('plugin', [
    textElement('name', artifactId),
    textElement('prefix', prefix),
    textElement('artifactId', artifactId),
  ]);

const pluginsIn = async (table: Table, source: Source, group: string, artifactIds: readonly string[]) => {
  const plugins: Element[] = [];
  for (const ids of chunksOf(artifactIds, 100)) {
    const keys = ids.map((id) => packageHeadKey({ contentId: contentIdOf(source), name: packageName(group, id) }));
    const loaded = await table.read(keys);
    for (const [index, key] of keys.entries()) {
      const head = loaded.find(key);
      const prefix = head && isPresent(head) ? prefixOf(head) : undefined;
      if (prefix !== undefined) plugins.push(pluginElement(prefix, ids[index] ?? ''));
    }
  }
  return plugins;
};

/** Finds the plugins of a group in the local sources. */
export const findLocalGroup = async (table: Table, { all }: Sources, group: string): Promise<LocalGroup> => {
  const found = await Promise.all(
    all.filter(isLocal).map(async (source) => {
      const ids = await markedIn(table, source, group);
      return { source, plugins: await pluginsIn(table, source, group, ids) };
    }),
  );
  return {
    plugins: found.flatMap(({ plugins }) => plugins),
    sources: found.filter(({ plugins }) => plugins.length > 0).map(({ source }) => source),
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

/** The sources without the upstreams, if the virtual repository blocks this group for them. */
export const withoutBlocked = (sources: Sources, group: string | undefined): Sources =>
  group !== undefined && isBlocked(packageName(group, ''), sources.upstreamNames)
    ? { ...sources, all: sources.all.filter(isLocal) }
    : sources;
