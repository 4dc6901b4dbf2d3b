import { type CompressedList, compressedList, inChunks } from '../../shared/packages/generations/compressed-lists.ts';
import type { ListedDeb } from './index-entries.ts';
import type { NamedDocument } from './release.ts';
import { compareVersions } from './versions.ts';

/** The list of the packages of a component for an architecture. Its path is one from the directory of the Release. */
export interface DebianList extends CompressedList {
  readonly path: string;
}

/** What a distribution has lists of. */
export interface ListedKinds {
  readonly components: readonly string[];
  readonly architectures: readonly string[];
}

/** The architectures of releases of Debian: a package for all architectures is for these, whatever others there are. */
const releaseArchitectures = ['amd64', 'arm64', 'armhf', 'i386', 'ppc64el', 'riscv64', 's390x'];

/** The word for all architectures. */
const everyOne = 'all';

const sortedOnce = (texts: readonly string[]): readonly string[] => [...new Set(texts)].toSorted();

/** The components and the architectures of packages. */
export const kindsOf = (packages: readonly Pick<ListedDeb, 'component' | 'architecture'>[]): ListedKinds => {
  const own = packages.map(({ architecture }) => architecture);
  return {
    components: sortedOnce(packages.map(({ component }) => component)),
    architectures: sortedOnce([everyOne, ...own, ...(own.includes(everyOne) ? releaseArchitectures : [])]),
  };
};

const inOrder = (one: ListedDeb, other: ListedDeb): number =>
  one.name === other.name ? compareVersions(one.version, other.version) : one.name < other.name ? -1 : 1;

const textsOf = (packages: readonly ListedDeb[]): readonly string[] =>
  inChunks(packages, inOrder).map((chunk) => chunk.map(({ stanza }) => `${stanza}\n`).join(''));

/** Makes the lists of packages of a distribution: those for all architectures are in the list of each. */
export const listsOf = async (
  packages: readonly ListedDeb[],
  { components, architectures }: ListedKinds,
): Promise<readonly DebianList[]> => {
  const byKind = Map.groupBy(packages, ({ component, architecture }) => `${component}/${architecture}`);
  const lists: DebianList[] = [];
  for (const component of components) {
    const forAll = textsOf(byKind.get(`${component}/${everyOne}`) ?? []);
    for (const architecture of architectures) {
      const own = architecture === everyOne ? [] : textsOf(byKind.get(`${component}/${architecture}`) ?? []);
      const list = await compressedList([...forAll, ...own]);
      lists.push({ path: `${component}/binary-${architecture}/Packages`, ...list });
    }
  }
  return lists;
};

/** The documents that these lists are: each compressed, and as it is before, which clients want to see named. */
export const documentsOf = (lists: readonly DebianList[]): readonly NamedDocument[] =>
  lists.flatMap(({ path, bytes, sha256, openSha256, openSize }) => [
    { path, sha256: openSha256, size: openSize },
    { path: `${path}.gz`, sha256, size: bytes.length },
  ]);
