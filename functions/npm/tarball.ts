import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import { type Extract, extract, type Header } from 'tar-stream';
import { broken, FormatProblem, invalid, malformed } from './format-problem.ts';
import { parseObject } from './json.ts';
import type { Manifest, TarballFacts } from './manifest.ts';
import { newNameProblems } from './names.ts';
import { hasTarballPath } from './paths.ts';
import { normalVersion } from './versions.ts';

/** The content of a tarball. */
export interface TarballContent extends TarballFacts {
  /** Its package.json, with the version as npm writes it. */
  readonly manifest: Manifest;
}

/** The limits of a tarball. Zeros compress to a thousandth, so the ratio is checked only for large tarballs. */
const limits = {
  inflatedBytesMax: 512 * 1024 * 1024,
  ratioMax: 200,
  ratioFreeBytes: 16 * 1024 * 1024,
  entriesMax: 100_000,
  manifestBytesMax: 10 * 1024 * 1024,
} as const;

/** The maximum size of a tarball in bytes. It is that of its content, because some content does not compress. */
export const tarballBytesMax = limits.inflatedBytesMax;

/** Passes the inflated bytes on, up to the limits. */
const bounded = (gunzip: Gunzip) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      const isBomb = bytes > limits.ratioFreeBytes && bytes > limits.ratioMax * gunzip.bytesWritten;
      if (isBomb) throw malformed(`The tarball inflates to more than ${limits.ratioMax} times its size.`);
      if (bytes > limits.inflatedBytesMax)
        throw malformed(`The tarball inflates to more than ${limits.inflatedBytesMax} bytes.`);
      yield chunk;
    }
  };

/** The path to which npm extracts an entry, without its first segment. Windows treats a backslash as a slash. */
const targetOf = (name: string): string => {
  const [path = ''] = name.replaceAll('\\', '/').split('\0');
  return posix.normalize(`/${path.split('/').slice(1).join('/')}`);
};

/** Lists the entries of an archive and keeps the manifest. */
class Listing {
  entryCount = 0;
  fileCount = 0;
  unpackedSize = 0;
  hasShrinkwrap = false;
  manifest: Buffer[] | undefined;

  /** Records an entry, and returns where its bytes go if they are kept. */
  add({ name, type, size }: Header): Buffer[] | undefined {
    this.entryCount += 1;
    if (this.entryCount > limits.entriesMax) throw malformed(`The tarball has more than ${limits.entriesMax} entries.`);
    // npm extracts nothing but files.
    if (type !== 'file' && type !== 'contiguous-file') return undefined;
    this.fileCount += 1;
    this.unpackedSize += size;
    const target = targetOf(name);
    this.hasShrinkwrap ||= target === '/npm-shrinkwrap.json';
    return target === '/package.json' ? this.addManifest(name, size) : undefined;
  }

  private addManifest(name: string, size: number): Buffer[] {
    if (!/^[^/\\\0]+\/package\.json$/.test(name) || name.startsWith('../'))
      throw malformed(
        'The path of package.json in the tarball must be one folder and the file, as in package/package.json.',
      );
    if (this.manifest) throw malformed('The tarball has more than one package.json at its root.');
    if (size > limits.manifestBytesMax)
      throw malformed(`package.json in the tarball has more than ${limits.manifestBytesMax} bytes.`);
    this.manifest = [];
    return this.manifest;
  }
}

const list = async (archive: Extract): Promise<Listing> => {
  const listing = new Listing();
  for await (const entry of archive) {
    const kept = listing.add(entry.header);
    if (kept) for await (const chunk of entry) kept.push(chunk as Buffer);
    else entry.resume();
  }
  return listing;
};

const manifestIn = ({ manifest: kept }: Listing): Manifest => {
  if (!kept) throw malformed('The tarball has no package.json at its root.');
  const { name, version, ...rest } = parseObject(Buffer.concat(kept), 'package.json in the tarball');
  const nameText = typeof name === 'string' ? name : '';
  const normal = typeof version === 'string' ? normalVersion(version) : undefined;
  const violations = newNameProblems(nameText).map((message) => broken(['name'], 'name', message));
  if (normal === undefined)
    violations.push(broken(['version'], 'semver', 'The version in package.json must be one of semver, such as 1.0.0.'));
  else if (!hasTarballPath(nameText, normal))
    violations.push(broken(['version'], 'length', 'Name and version together have at most 250 characters.'));
  if (violations.length > 0 || normal === undefined) throw invalid(violations);
  return { name: nameText, version: normal, ...rest };
};

/**
 * Reads a tarball to its end. npm extracts all of it, so a second package.json would replace the first. Nothing is
 * extracted here. An error of the source is passed on unchanged.
 */
export const readTarball = async (source: Readable): Promise<TarballContent> => {
  const gunzip = createGunzip();
  let sourceError: unknown;
  let isDamaged = false;
  // The pipeline passes an error to all of its streams, so the first stream with an error is the cause.
  source.once('error', (error) => {
    if (!isDamaged) sourceError = error;
  });
  gunzip.once('error', () => {
    isDamaged = sourceError === undefined;
  });
  const archive = extract();
  const [listed, flow] = await Promise.allSettled([list(archive), pipeline(source, gunzip, bounded(gunzip), archive)]);
  const errors: unknown[] = [listed, flow].flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const problem = errors.find((error) => error instanceof FormatProblem);
  if (problem) throw problem;
  if (sourceError !== undefined) throw sourceError;
  if (listed.status === 'rejected' || errors.length > 0)
    throw malformed('The tarball is not a gzipped tar archive, or it is damaged.', errors[0]);
  const { fileCount, unpackedSize, hasShrinkwrap } = listed.value;
  return { manifest: manifestIn(listed.value), fileCount, unpackedSize, hasShrinkwrap };
};
