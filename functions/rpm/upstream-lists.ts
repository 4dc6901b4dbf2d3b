import { createHash } from 'node:crypto';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { decodeSegments, withoutDots } from '../../shared/packages/sources/path-segments.ts';
import type { RepodataFile } from './repomd.ts';

/** The maximum size of a list of an upstream before compression that is read: a function has 1 GB, and it is in it several times. */
const listBytesMax = 48_000_000;

/** Why a list is not read; undefined if it is. The compression of older upstreams is xz or bzip2, for which the runtime has nothing. */
export const whyUnread = ({ file, openSize = 0 }: RepodataFile): string | undefined => {
  if (!/\.xml(?:\.gz|\.zst)?$/.test(file)) return `${file} has another compression than gzip, zstd or none`;
  return openSize > listBytesMax
    ? `${file} has ${openSize} bytes before compression, and may have at most ${listBytesMax}`
    : undefined;
};

/** Unpacks a list that has the promised hash. Throws a FormatProblem. */
export const unpackList = (sent: Buffer, { file, checksum }: RepodataFile): Buffer => {
  const { algorithm, hex } = checksum;
  if (!['sha256', 'sha512', 'sha1'].includes(algorithm) || createHash(algorithm).update(sent).digest('hex') !== hex)
    throw malformed(`${file} of the upstream does not have the hash that its repomd.xml names.`);
  const limits = { maxOutputLength: listBytesMax };
  try {
    if (file.endsWith('.gz')) return gunzipSync(sent, limits);
    return file.endsWith('.zst') ? zstdDecompressSync(sent, limits) : sent;
  } catch (error) {
    throw malformed(`${file} of the upstream cannot be unpacked, or has more than ${listBytesMax} bytes.`, error);
  }
};

/** A package in a list of an upstream, as its text. */
export interface ListedText {
  readonly pkgid: string;
  readonly text: string;
}

const pkgidIn = (text: string): string | undefined =>
  /<checksum\b[^<>]*>\s*([0-9a-fA-F]+)\s*</.exec(text)?.[1] ??
  /^<package\b[^<>]*\bpkgid="([0-9a-fA-F]+)"/.exec(text)?.[1];

/** Cuts a list into its packages. Throws a FormatProblem if it was cut itself. */
export const readList = (list: Uint8Array): readonly ListedText[] => {
  const text = Buffer.from(list.buffer, list.byteOffset, list.length).toString();
  if (!/<\/(?:metadata|filelists|otherdata)>\s*$/.test(text)) throw malformed('A list of the upstream was cut.');
  const found: ListedText[] = [];
  for (let at = text.indexOf('<package '); at >= 0; at = text.indexOf('<package ', at)) {
    const end = text.indexOf('</package>', at) + '</package>'.length;
    if (end < at) throw malformed('A package in a list of the upstream has no end.');
    const each = text.slice(at, end);
    const pkgid = pkgidIn(each)?.toLowerCase();
    if (pkgid !== undefined) found.push({ pkgid, text: `${each}\n` });
    at = end;
  }
  return found;
};

/** The address of a package as a plain path from the root of the repository; undefined if it is elsewhere. Lists may begin it with `./`. */
export const plainHref = (href: string): string | undefined => {
  const path = withoutDots(href);
  return /^$|^[/]|:|(?:^|\/)\.\.\//.test(path) ? undefined : path;
};

/** The text of a package in the first list, with its address as a plain path. */
export const withPlainHref = (text: string): string =>
  text.replace(/(<location\b[^<>]*?\bhref=")([^"]*)/, (_, start: string, href: string) => start + withoutDots(href));

/** What the first list of an upstream says of where a package is, from the root of the repository: a plain path below it. */
export const hrefIn = (text: string): string | undefined => {
  const [, attributes = ''] = /<location\b([^<>]*?)\/?>/.exec(text) ?? [];
  const [, href = ''] = /\bhref="([^"]*)"/.exec(attributes) ?? [];
  return /xml:base=/.test(attributes) ? undefined : plainHref(href);
};

const unescapedXml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The hashes of the package files in the first list of an upstream, by their paths from the root of the repository. */
export const hashesIn = (primary: readonly ListedText[]): ReadonlyMap<string, string> =>
  new Map(
    primary.flatMap(({ pkgid, text }) => {
      const href = hrefIn(text);
      const path = href === undefined ? undefined : decodeSegments(unescapedXml(href))?.join('/');
      return path === undefined ? [] : [[path, pkgid] as const];
    }),
  );
