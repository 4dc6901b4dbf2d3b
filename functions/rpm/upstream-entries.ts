import { type Element, localName, parseElement } from '../../shared/packages/formats/xml.ts';
import type { NamedEntry } from '../../shared/packages/serve/repository-index.ts';
import { partsOf } from './index-entries.ts';
import { isBuild } from './names.ts';
import { versionKey } from './paths.ts';
import { type ListedText, plainHref, withPlainHref } from './upstream-lists.ts';

const emptyText = (pkgid: string, name: string, arch: string): string =>
  `<package pkgid="${pkgid}" name="${name}" arch="${arch}"/>\n`;

const elementsIn = ({ elements }: Element): readonly Element[] =>
  elements.flatMap((each) => [each, ...elementsIn(each)]);

/** Names with other letters are well-formed for some parsers of XML alone: clients that fail at one read no package of any child. */
const hasPlainNames = ({ name, attributes }: Element): boolean =>
  [name, ...Object.keys(attributes)].every((each) => /^[\w:.-]+$/.test(each));

/** The element of a package with all that is in it; undefined if another package is in it, or if it is not well-formed for all clients. */
const packageOf = (text: string): { readonly root: Element; readonly all: readonly Element[] } | undefined => {
  const root = text.includes('<?') ? undefined : parseElement(text);
  const all = root ? elementsIn(root) : [];
  const isClear = all.every((each) => hasPlainNames(each) && localName(each.name) !== 'package');
  return root && isClear && hasPlainNames(root) ? { root, all } : undefined;
};

const ofEachPackage = ['name', 'arch', 'version', 'checksum', 'location'];

/**
 * What readers of XML, as clients have them, read of a package in the first list. Undefined where they could differ: an element is there
 * twice, at whatever depth or with a prefix, or a name is more than its text.
 */
const buildIn = ({ pkgid, text }: ListedText) => {
  const { root, all } = packageOf(text) ?? {};
  const found = all?.filter((each) => ofEachPackage.includes(localName(each.name))) ?? [];
  const [name, arch, version, checksum, location] = ofEachPackage.map((wanted) =>
    root?.elements.find((each) => each.name === wanted),
  );
  if (found.length > ofEachPackage.length || !name || !arch || !version || !checksum || !location) return undefined;
  const { href = '', ...others } = location.attributes;
  const isWhole = text.includes(`<name>${name.text}</name>`) && checksum.text.toLowerCase() === pkgid;
  if (!isWhole || plainHref(href) === undefined || Object.keys(others).length > 0) return undefined;
  const { epoch = '0', ver = '', rel = '' } = version.attributes;
  return { name: name.text, arch: arch.text, epoch: epoch || '0', version: ver, release: rel };
};

/** The text of a package in another list, if it is about that package alone. */
const textAbout = (text: string, pkgid: string, { name, arch }: { name: string; arch: string }): string => {
  const { pkgid: of = '', name: named, arch: forArch } = packageOf(text)?.root.attributes ?? {};
  return of.toLowerCase() === pkgid && named === name && forArch === arch ? text : emptyText(pkgid, name, arch);
};

/**
 * The entries of packages in the lists of an upstream, whose texts stay as they are but for a `./` in an address. Those that are elsewhere than below the upstream are
 * left out, those whose names no package has, and those that clients could read in another way.
 */
export const upstreamEntries = (
  group: string,
  primary: readonly ListedText[],
  filelists: readonly ListedText[],
  other: readonly ListedText[],
): readonly NamedEntry[] => {
  const [files, changes] = [filelists, other].map((list) => new Map(list.map(({ pkgid, text }) => [pkgid, text])));
  return primary.flatMap((each) => {
    const build = buildIn(each);
    if (!build || !isBuild(build) || !/^\d+$/.test(build.epoch)) return [];
    const { pkgid, text } = each;
    const texts = {
      primary: withPlainHref(text),
      filelists: textAbout(files?.get(pkgid) ?? '', pkgid, build),
      other: textAbout(changes?.get(pkgid) ?? '', pkgid, build),
    };
    return [
      { name: build.name, version: versionKey(group, build), parts: partsOf({ ...build, ...texts, sha256: pkgid }) },
    ];
  });
};
