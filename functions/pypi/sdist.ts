import type { Readable } from 'node:stream';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { NamedFile } from '../../shared/packages/formats/package-format.ts';
import { readGzippedTar } from '../../shared/packages/formats/tar-archive.ts';
import { metadataBytesMax, parseCoreMetadata } from './core-metadata.ts';
import { type Distribution, described } from './distribution.ts';
import { readZipEntry } from './zip-entry.ts';

/** The path of PKG-INFO in an archive: in the one folder that holds everything. */
const pkgInfoPath = /^(?:\.\/)?[^/]+\/PKG-INFO$/;

const word = 'source distribution';

/** Returns PKG-INFO of a gzipped source distribution. It reads the archive to its end. */
const readPkgInfo = async (source: Readable): Promise<Uint8Array> => {
  let kept: Buffer[] | undefined;
  await readGzippedTar(source, {
    word,
    visit: ({ name, type, size }) => {
      if (type !== 'file' || !pkgInfoPath.test(name)) return undefined;
      if (kept) throw malformed(`The ${word} has more than one PKG-INFO in a folder at its root.`);
      if (size > metadataBytesMax) throw malformed(`PKG-INFO in the ${word} has more than ${metadataBytesMax} bytes.`);
      kept = [];
      return kept;
    },
  });
  if (!kept) throw malformed(`The ${word} has no PKG-INFO in the folder at its root: make it with a build tool.`);
  return Buffer.concat(kept);
};

/** Reads PKG-INFO of a source distribution. */
export const readSdist = async (sent: NamedFile): Promise<Distribution> => {
  const { name, received } = sent;
  const bytes = name.endsWith('.zip')
    ? await readZipEntry(received, { path: pkgInfoPath, what: 'PKG-INFO', word })
    : await readPkgInfo(await received.stream());
  return described(sent, parseCoreMetadata(bytes, 'PKG-INFO'), 'PKG-INFO');
};
