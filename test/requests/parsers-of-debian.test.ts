import { readControlArchive } from '../../functions/debian/archive-members.ts';
import { readControlText } from '../../functions/debian/control-archive.ts';
import { metadataOf, readMetadata } from '../../functions/debian/metadata.ts';
import { readFileName } from '../../functions/debian/names.ts';
import { readParagraph } from '../../functions/debian/paragraphs.ts';
import { compareVersions } from '../../functions/debian/versions.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
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
      (text) => [readParagraph(text), metadataOf(text)],
      many('a: b\n'),
      many('\n'),
      many(' ', 'a: b'),
      many(' a\n', 'a: b\n'),
      many('a', '', ': b'),
    ),
    'names and versions': texts(
      (text) => [readFileName(text), compareVersions(text, `${text}1`)],
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
