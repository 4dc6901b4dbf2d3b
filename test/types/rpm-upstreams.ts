import { sha256 } from '../harness/bytes.ts';

const listOf = (root: string, packages: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} packages="${packages.length}">\n${packages.join('')}</${root}>\n`;

const dataOf = (type: string, file: string, list: string): string =>
  `<data type="${type}"><checksum type="sha256">${sha256(list)}</checksum><location href="repodata/${file}"/><open-size>${list.length}</open-size></data>\n`;

/** The parts of the name of a package file. */
const buildOf = (path: string) => {
  const [, name = '', version = '', release = '', arch = ''] =
    /([^/]+)-([^-]+)-([^-]+)\.([^.]+)\.rpm$/.exec(path) ?? [];
  return { name, version, release, arch };
};

/** What an upstream has of a package in its three lists. */
interface UpstreamTexts {
  readonly primary: string;
  readonly filelists: string;
  readonly other: string;
}

/** The texts of a package in the lists of an upstream. */
export const textsOf = (path: string, content: string | Uint8Array): UpstreamTexts => {
  const { name, version, release, arch } = buildOf(path);
  const evr = `<version epoch="0" ver="${version}" rel="${release}"/>`;
  const hash = sha256(content);
  const about = `<package pkgid="${hash}" name="${name}" arch="${arch}">${evr}`;
  return {
    primary: `<package type="rpm"><name>${name}</name><arch>${arch}</arch>${evr}<checksum type="sha256" pkgid="YES">${hash}</checksum><location href="${path}"/></package>\n`,
    filelists: `${about}<file>/usr/share/${name}</file></package>\n`,
    other: `${about}</package>\n`,
  };
};

/** What an upstream has of a repository whose lists have these texts, and further files that its repomd.xml names. */
export const repodataWith = (
  texts: readonly UpstreamTexts[],
  others: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => {
  const roots = { primary: 'metadata', filelists: 'filelists', other: 'otherdata' } as const;
  const lists = (['primary', 'filelists', 'other'] as const).map((type) => {
    const list = listOf(
      roots[type],
      texts.map((each) => each[type]),
    );
    return { type, file: `${sha256(list)}-${type}.xml`, list };
  });
  const files = [...lists, ...Object.entries(others).map(([type, list]) => ({ type, file: `${type}.xml`, list }))];
  const repomd = `<?xml version="1.0" encoding="UTF-8"?>\n<repomd xmlns="http://linux.duke.edu/metadata/repo">\n<revision>1</revision>\n${files.map(({ type, file, list }) => dataOf(type, file, list)).join('')}</repomd>\n`;
  return {
    'repodata/repomd.xml': repomd,
    ...Object.fromEntries(files.map(({ file, list }) => [`repodata/${file}`, list])),
  };
};

/**
 * What an upstream has of a repository: its lists, which are not compressed so that their texts can be compared, and further files that its
 * repomd.xml names.
 */
export const repodataOf = (
  packages: Readonly<Record<string, string | Uint8Array>>,
  others?: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  repodataWith(
    Object.entries(packages).map(([path, content]) => textsOf(path, content)),
    others,
  );
