import { readHeaders } from '../../functions/rpm/header.ts';
import { readMetadata } from '../../functions/rpm/metadata.ts';
import { readFileName } from '../../functions/rpm/names.ts';
import { parsePath, publishedPath } from '../../functions/rpm/paths.ts';
import { readRepomd } from '../../functions/rpm/repomd.ts';
import { snapshotIn } from '../../functions/rpm/snapshot-cookie.ts';
import { upstreamEntries } from '../../functions/rpm/upstream-entries.ts';
import { hashesIn, hrefIn, readList, unpackList } from '../../functions/rpm/upstream-lists.ts';
import { compareVersions } from '../../functions/rpm/versions.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { sha256 } from '../harness/bytes.ts';
import { bytes, itReadsInLinearTime, type Make, many, texts } from '../harness/growth.ts';
import { headerOf, rpmOf, tagsOf } from '../types/rpm-files.ts';

jest.setTimeout(240_000);

/** A package of about so many bytes. */
const packageWith =
  (more: (count: number) => Partial<Parameters<typeof rpmOf>[0]>): Make =>
  (length) => {
    const each = { name: 'tool', version: '1.0', ...more(Math.ceil(length / 64)) };
    return rpmOf(each, headerOf(tagsOf(each)));
  };

const names = (count: number, start: string): string[] => Array.from({ length: count }, (_, at) => `${start}${at}`);

const packages: readonly Make[] = [
  packageWith((count) => ({ requires: names(count, 'libc.so.6(GLIBC_2.') })),
  packageWith((count) => ({ requires: names(count, '/usr/bin/') })),
  packageWith((count) => ({ files: names(count, '/usr/bin/') })),
  packageWith((count) => ({ tags: [[1081, 8, ['a'.padEnd(count * 60)]]] })),
];

const read = (reader: typeof readHeaders | typeof readMetadata) => async (content: Uint8Array) =>
  reader(fileInMemory(Buffer.from(content)));

const list = (text: string, end = ''): Make => many(text, '<metadata>', `${end}</metadata>`);

describe('The time to read what clients and upstreams of rpm send grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'the headers of a package': bytes(read(readHeaders), ...packages),
    'the metadata of a package': bytes(read(readMetadata), ...packages),
    'names, paths and versions': texts(
      (text) => [
        readFileName(text),
        parsePath(text),
        publishedPath(text),
        compareVersions(text, `${text}1`),
        hrefIn(text),
        snapshotIn(text),
      ],
      many('a'),
      many('1.'),
      many('-1', 'a', '.noarch.rpm'),
      many('a/', '', 'x.rpm'),
      many('~^'),
      many('; '),
      many('<location '),
      many('<location href="'),
    ),
    'a repomd.xml': bytes(
      readRepomd,
      many('<data type="a"/>', '<repomd>', '</repomd>'),
      many(
        '<data type="a"><location href="repodata/a"/><checksum type="sha256">a</checksum></data>',
        '<repomd>',
        '</repomd>',
      ),
    ),
    'a list of an upstream': bytes(
      (content) => {
        const checksum = { algorithm: 'sha256', hex: sha256(content) };
        const named = { type: 'primary', file: 'primary.xml', checksum, openSize: undefined } as const;
        const unpacked = readList(
          unpackList(Buffer.from(content), {
            ...named,
            element: { name: 'data', attributes: {}, elements: [], text: '' },
          }),
        );
        return [hashesIn(unpacked), upstreamEntries('', unpacked, unpacked, unpacked)];
      },
      list('<package ><checksum>aa</checksum><location href="a"/></package>'),
      list('<package ><checksum ', '</package>'),
      list('<checksum>aa</checksum><version ', '</package>'),
      list('<package <location '),
      list('<package pkgid="a"><</package>'),
      list('<package pkgid="a"><name>a</name></package>'),
      many('<a>', '<metadata><package pkgid="a">', '</package></metadata>'),
      many('<name>a</name>', '<metadata><package pkgid="a">', '</package></metadata>'),
      many(' a="', '<metadata><package pkgid="a"><a', '></package></metadata>'),
      list('</metadata> '),
    ),
  });
});
