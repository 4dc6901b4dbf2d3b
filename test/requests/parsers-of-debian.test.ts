import { gzipSync } from 'node:zlib';
import { readControlArchive } from '../../functions/debian/archive-members.ts';
import { readChanges } from '../../functions/debian/changes-files.ts';
import { readControlText } from '../../functions/debian/control-archive.ts';
import { metadataOf, readMetadata } from '../../functions/debian/metadata.ts';
import { readFileName } from '../../functions/debian/names.ts';
import { paragraphsIn, readParagraph } from '../../functions/debian/paragraphs.ts';
import { distributionIn, listedIn, parsePath } from '../../functions/debian/paths.ts';
import { publishedPath } from '../../functions/debian/published-paths.ts';
import { fieldsIn, readRelease } from '../../functions/debian/release-reader.ts';
import { upstreamEntries } from '../../functions/debian/upstream-entries.ts';
import { unpackList } from '../../functions/debian/upstream-lists.ts';
import { compareVersions } from '../../functions/debian/versions.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { sha256 } from '../harness/bytes.ts';
import { bytes, itReadsInLinearTime, type Make, many, texts } from '../harness/growth.ts';
import { arOf, controlOf, controlTar, debOf, debWith } from '../types/debian-files.ts';

jest.setTimeout(240_000);

const tool = { name: 'tool', version: '1.0' };

/** A package whose file `control` has about so many bytes. */
const packageWith =
  (line: string): Make =>
  (length) =>
    debOf({ ...tool, control: [many(line, 'X: ')(length).toString()] });

const packages: readonly Make[] = [
  packageWith('a '),
  packageWith('\n a'),
  (length) =>
    debOf({ ...tool, control: Array.from({ length: Math.ceil(length / 8) }, (_, at) => `F${at.toString(36)}: a`) }),
  (length) => debWith(['control.tar', Buffer.concat([controlTar(controlOf(tool)), Buffer.alloc(length)])]),
  (length) => arOf(Array.from({ length: Math.ceil(length / 60) }, () => ['_a', ''])),
];

const read =
  <T>(reader: (file: ReturnType<typeof fileInMemory>) => Promise<T>) =>
  async (content: Uint8Array) =>
    reader(fileInMemory(Buffer.from(content)));

describe('The time to read what clients of Debian send grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'the archives in a package': bytes(read(readControlArchive), ...packages),
    'the text in a package': bytes(read(readControlText), ...packages),
    'the metadata of a package': bytes(read(readMetadata), ...packages),
    'a paragraph': texts(
      (text) => [[...paragraphsIn(text)], readParagraph(text), metadataOf(text)],
      many('a: b\n'),
      many('\n'),
      many(' ', 'a: b'),
      many(' a\n', 'a: b\n'),
      many('a', '', ': b'),
    ),
    'a Release, and what dput sends': texts(
      (text) => [
        fieldsIn(text),
        ...(['InRelease', 'Release'] as const).map((entry) => {
          try {
            return readRelease(entry, Buffer.from(text));
          } catch {
            return undefined;
          }
        }),
        readChanges(text),
      ],
      many(` ${'a'.repeat(64)} 1 a\n`, 'Source: a\nVersion: 1\nSHA256:\n', 'Checksums-Sha256:\n'),
      many(`${' '.repeat(200)}\n`, 'SHA256:\n'),
      many('Hash: a\n', '-----BEGIN PGP SIGNED MESSAGE-----\n'),
      many('- a\n', '-----BEGIN PGP SIGNED MESSAGE-----\n\n', '\n-----BEGIN PGP SIGNATURE-----\n'),
      many('\n', '', '-----END PGP SIGNATURE-----'),
      many('a'),
    ),
    'a list of an upstream': bytes(
      (content) => {
        const document = { path: 'Packages.gz', sha256: sha256(gzipSync(content)), size: 0 };
        return upstreamEntries({ distribution: 'stable', component: 'main' }, unpackList(gzipSync(content), document));
      },
      many('Package: tool\nVersion: 1\nArchitecture: all\nFilename: pool/tool.deb\n\n'),
      many('Package: '),
      many('Package:\n'),
      many('Package: a\npackage: a\n \n'),
      many(' \t\r', '\n'),
      many('\n\t'),
      many('\n'),
      many(' '),
    ),
    'names, paths and versions': texts(
      (text) => [
        readFileName(text),
        parsePath(text),
        distributionIn(text),
        listedIn(text, text),
        compareVersions(text, `${text}1`),
        publishedPath(text),
      ],
      many('a/', 'dists/'),
      many(';a', 'a.deb'),
      many(';deb.component=a', 'a.deb'),
      many('a'),
      many('1.'),
      many('1-'),
      many('1:'),
      many('_', 'a', '.deb'),
      many('~'),
      many('0'),
    ),
  });
});
