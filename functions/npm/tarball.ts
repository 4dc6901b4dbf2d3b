import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import type { Header } from 'tar-stream';
import { broken, invalid, malformed } from '../../shared/packages/formats/format-problem.ts';
import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import { readGzippedTar } from '../../shared/packages/formats/tar-archive.ts';
import type { Manifest, TarballFacts } from './manifest.ts';
import { newNameProblems } from './names.ts';
import { hasTarballPath } from './paths.ts';
import { normalVersion } from './versions.ts';

/** The content of a tarball. */
export interface TarballContent extends TarballFacts {
  /** Its package.json, with the version as npm writes it. */
  readonly manifest: Manifest;
}

const manifestBytesMax = 10 * 1024 * 1024;

/** The path to which npm extracts an entry, without its first segment. Windows treats a backslash as a slash. */
const targetOf = (name: string): string => {
  const [path = ''] = name.replaceAll('\\', '/').split('\0');
  return posix.normalize(`/${path.split('/').slice(1).join('/')}`);
};

/** Lists the entries of an archive and keeps the manifest. */
class Listing {
  fileCount = 0;
  unpackedSize = 0;
  hasShrinkwrap = false;
  manifest: Buffer[] | undefined;

  /** Records an entry, and returns where its bytes go if they are kept. */
  add({ name, type, size }: Header): Buffer[] | undefined {
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
    if (size > manifestBytesMax)
      throw malformed(`package.json in the tarball has more than ${manifestBytesMax} bytes.`);
    this.manifest = [];
    return this.manifest;
  }
}

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
  const listing = new Listing();
  await readGzippedTar(source, { word: 'tarball', visit: (header) => listing.add(header) });
  const { fileCount, unpackedSize, hasShrinkwrap } = listing;
  return { manifest: manifestIn(listing), fileCount, unpackedSize, hasShrinkwrap };
};
