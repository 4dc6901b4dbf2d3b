import { gzipSync } from 'node:zlib';
import { sha256 } from '../harness/bytes.ts';
import { readFileNameOf } from './debian-files.ts';

/** The paragraph of a package in a list of an upstream. */
const stanzaOf = (path: string, content: string | Uint8Array): string => {
  const { name, version, architecture } = readFileNameOf(path);
  return `Package: ${name}\nVersion: ${version}\nArchitecture: ${architecture}\nFilename: ${path}\nSize: ${content.length}\nSHA256: ${sha256(content)}\nDescription: of the upstream\n\n`;
};

/** How an upstream describes itself. */
interface UpstreamSite {
  readonly component?: string;
  /** Whether its lists are by their hashes; or whether it only says so, and they are by their names. */
  readonly hasHashes?: boolean | 'promised';
  /** Whether its list is there without compression alone. */
  readonly isPlain?: boolean;
  /** The text of its list, in place of one of the packages. */
  readonly list?: string;
  /** Further documents by their paths from the Release. */
  readonly others?: Readonly<Record<string, string>>;
}

const lineOf = (path: string, content: string | Uint8Array): string => ` ${sha256(content)} ${content.length} ${path}`;

/** What an upstream has of the distribution `stable`, by paths: its Release, its signatures and its lists. */
export const distsOf = (
  packages: Readonly<Record<string, string | Uint8Array>>,
  {
    component = 'main',
    hasHashes = false,
    isPlain = false,
    others = {},
    list = Object.entries(packages)
      .map(([path, content]) => stanzaOf(path, content))
      .join(''),
  }: UpstreamSite = {},
): Readonly<Record<string, string | Uint8Array>> => {
  const folder = `${component}/binary-amd64`;
  const packed = isPlain ? {} : { [`${folder}/Packages.gz`]: gzipSync(list) };
  const documents: Readonly<Record<string, string | Uint8Array>> = {
    [`${folder}/Packages`]: list,
    ...packed,
    ...others,
  };
  const release = [
    'Origin: Upstream',
    'Suite: stable',
    'Codename: stable',
    'Date: Thu, 01 Jan 2026 00:00:00 UTC',
    'Architectures: amd64',
    `Components: ${component}`,
    ...(hasHashes ? ['Acquire-By-Hash: yes'] : []),
    'SHA256:',
    ...Object.entries(documents).map(([path, content]) => lineOf(path, content)),
    '',
  ].join('\n');
  const signature = '-----BEGIN PGP SIGNATURE-----\n\nof the upstream\n-----END PGP SIGNATURE-----\n';
  const placed = Object.entries(documents).map(([path, content]) => {
    const hash = `${path.slice(0, path.lastIndexOf('/'))}/by-hash/SHA256/${sha256(content)}`;
    return [`dists/stable/${hasHashes === true ? hash : path}`, content] as const;
  });
  return {
    'dists/stable/InRelease': `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${release}${signature}`,
    'dists/stable/Release': release,
    'dists/stable/Release.gpg': signature,
    ...Object.fromEntries(placed),
  };
};

/** The same of an upstream without distributions, which has its lists beside its packages. */
export const flatOf = (...of: Parameters<typeof distsOf>): ReturnType<typeof distsOf> =>
  Object.fromEntries(
    Object.entries(distsOf(...of)).map(([path, content]) => [
      path.replace(/^dists\/stable\/(?:main\/binary-amd64\/)?/, ''),
      typeof content === 'string' ? content.replaceAll(' main/binary-amd64/', ' ') : content,
    ]),
  );
