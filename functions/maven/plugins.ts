import { chunksOf } from '../../shared/chunks.ts';
import { ApiError } from '../../shared/errors.ts';
import { isLocal } from '../../shared/packages/resolution.ts';
import { isBlocked, type Source, type Sources } from '../../shared/packages/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { packageHeadKey, packageNameAt, packagesList } from '../../shared/table/package-keys.ts';
import { isPresent, type PackageHead, tagsOf } from '../../shared/table/packages.ts';
import { contentIdOf } from '../../shared/table/repositories.ts';
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

/** The maximum number of artifacts of a group in one repository among which plugins are looked for: each of them is read. */
const artifactsMax = 5_000;

/** What the local sources have of a group. */
export interface LocalGroup {
  /** The plugins, in the order of resolution. */
  readonly plugins: readonly Element[];
  /** The artifacts that a local source has, or ever had. */
  readonly held: ReadonlySet<string>;
  /** The sources that have plugins. */
  readonly sources: readonly Source[];
  /** Set if the group is too large to look for plugins in it. Then nothing is known of what is held. */
  readonly isTooLarge?: true;
}

/** The artifacts of the group in a source, each with whether it has versions; undefined if they are too many. */
const artifactsIn = async (table: Table, source: Source, group: string) => {
  const prefix = packageName(group, '');
  const list = packagesList(contentIdOf(source), prefix);
  const artifacts: { readonly artifactId: string; readonly isEmpty: boolean }[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await table.query(list, { after });
    for (const { position, item } of items) {
      const { artifactId } = idsOf(packageNameAt(position, prefix));
      artifacts.push({ artifactId, isEmpty: item.isEmpty === true });
    }
    if (artifacts.length > artifactsMax) return undefined;
    after = next;
  } while (after !== undefined);
  return artifacts;
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
  const looked = await Promise.all(
    all.filter(isLocal).map(async (source) => {
      const artifacts = await artifactsIn(table, source, group);
      if (!artifacts) return undefined;
      const present = artifacts.filter(({ isEmpty }) => !isEmpty).map(({ artifactId }) => artifactId);
      return { source, artifacts, plugins: await pluginsIn(table, source, group, present) };
    }),
  );
  const found = looked.filter((each) => each !== undefined);
  if (found.length < looked.length) return { plugins: [], held: new Set(), sources: [], isTooLarge: true };
  return {
    plugins: found.flatMap(({ plugins }) => plugins),
    held: new Set(found.flatMap(({ artifacts }) => artifacts.map(({ artifactId }) => artifactId))),
    sources: found.filter(({ plugins }) => plugins.length > 0).map(({ source }) => source),
  };
};

/** The refusal to look for plugins in a group. */
export const groupTooLarge = (group: string): ApiError =>
  new ApiError(
    'LIST_TOO_LONG',
    `The group ${group} has more than ${artifactsMax} artifacts in one repository, which are too many to look for the prefixes of plugins among them. Call the plugin by its full name, groupId:artifactId:version:goal, or publish plugins under a group of their own.`,
  );

/** The sources without the upstreams, if the virtual repository blocks this group for them. */
export const withoutBlocked = (sources: Sources, group: string | undefined): Sources =>
  group !== undefined && isBlocked(packageName(group, ''), sources.upstreamNames)
    ? { ...sources, all: sources.all.filter(isLocal) }
    : sources;
