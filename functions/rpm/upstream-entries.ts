import type { NamedEntry } from '../../shared/packages/serve/repository-index.ts';
import { partsOf } from './index-entries.ts';
import { isBuild } from './names.ts';
import { versionKey } from './paths.ts';
import { hrefIn, type ListedText } from './upstream-lists.ts';

const emptyText = (pkgid: string, name: string, arch: string): string =>
  `<package pkgid="${pkgid}" name="${name}" arch="${arch}"/>\n`;

/** The first text of an element in a list. */
const textIn = (text: string, name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? '';

const buildIn = (text: string) => {
  const [, attributes = ''] = /<version\b([^<>]*)\/>/.exec(text) ?? [];
  const attribute = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
  return {
    name: textIn(text, 'name'),
    arch: textIn(text, 'arch'),
    epoch: attribute('epoch') || '0',
    version: attribute('ver'),
    release: attribute('rel'),
  };
};

/**
 * The entries of packages in the lists of an upstream. Those that are elsewhere than below the upstream are left out, and those whose names
 * no package has.
 */
export const upstreamEntries = (
  group: string,
  primary: readonly ListedText[],
  filelists: readonly ListedText[],
  other: readonly ListedText[],
): readonly NamedEntry[] => {
  const [files, changes] = [filelists, other].map((list) => new Map(list.map(({ pkgid, text }) => [pkgid, text])));
  return primary.flatMap(({ pkgid, text }) => {
    const build = buildIn(text);
    if (!isBuild(build) || !/^\d+$/.test(build.epoch) || hrefIn(text) === undefined) return [];
    const { name, arch } = build;
    const texts = {
      primary: text,
      filelists: files?.get(pkgid) ?? emptyText(pkgid, name, arch),
      other: changes?.get(pkgid) ?? emptyText(pkgid, name, arch),
    };
    return [{ name, version: versionKey(group, build), parts: partsOf({ ...build, ...texts, sha256: pkgid }) }];
  });
};
