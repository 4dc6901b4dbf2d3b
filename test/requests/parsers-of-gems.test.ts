import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { readGem } from '../../functions/gems/archive.ts';
import { requireIndex } from '../../functions/gems/compact-index.ts';
import { readFullName, readVersionText } from '../../functions/gems/full-names.ts';
import { readGemspec } from '../../functions/gems/gemspec.ts';
import { checksumIn, readInfoLine, renderInfo } from '../../functions/gems/info-lines.ts';
import { isGemName, newNameProblems } from '../../functions/gems/names.ts';
import { parsePath } from '../../functions/gems/paths.ts';
import { isPlatform, platformOf, platformText } from '../../functions/gems/platforms.ts';
import { readInfo } from '../../functions/gems/upstream-documents.ts';
import { readUpstreamVersions } from '../../functions/gems/upstream-versions.ts';
import { compareVersions, isVersion, versionKeyOf } from '../../functions/gems/versions.ts';
import { grownVersions, readVersions } from '../../functions/gems/versions-list.ts';
import { readTar } from '../../shared/packages/formats/tar-archive.ts';
import { bytes, itReadsInLinearTime, type Make, many, texts } from '../harness/growth.ts';
import { metadataYaml } from '../types/gems.ts';
import { paxHeader, tarOf } from '../types/tars.ts';

jest.setTimeout(240_000);

const metadata = metadataYaml({ name: 'tool', version: '1.0.0' });

/** The metadata of a gem with something in place of its summary, or in front of that. */
const withLines = (line: string): Make => many(line, `${metadata}extra:\n`, '');

const tars: Make = (length) =>
  tarOf(Object.fromEntries(Array.from({ length: Math.ceil(length / 512) }, (_, at) => [`file-${at}`, ''])));

/** Headers that say something of the next entry, after one of so many bytes for all entries, which each of them is merged with. */
const headers =
  (commonBytes: (length: number) => number): Make =>
  (length) =>
    Buffer.concat([
      paxHeader('all', commonBytes(length)),
      ...Array.from({ length: length / 1024 }, () => paxHeader('next', 10)),
      tarOf({}),
    ]);

describe('The time to read what clients and upstreams of gems send grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'a gem': bytes(
      async (content) => readGem(Readable.from([content])),
      tars,
      (length) => tarOf({ 'metadata.gz': gzipSync(withLines('- a\n')(length)), 'data.tar.gz': '' }),
    ),
    'a tar': bytes(
      async (content) => readTar(Readable.from([content]), { word: 'tar', visit: () => undefined }),
      tars,
      headers(() => 1_000),
      headers((length) => length / 2),
    ),
    'the metadata of a gem': bytes(
      readGemspec,
      withLines('- &a b\n'),
      withLines('- !ruby/object:Gem::Version\n  version: 1\n'),
      withLines('- - - a\n'),
      many('- &a b\n- *a\n', `${metadata}extra:\n- &a b\n`, ''),
      many('!a ', `${metadata}extra: `, '\n'),
    ),
    'names, paths and versions': texts(
      (text) => [
        isGemName(text),
        newNameProblems(text),
        parsePath(text),
        readFullName(text),
        readVersionText(text),
        isPlatform(text),
        platformText(platformOf(text)),
        isVersion(text),
        versionKeyOf(text),
        compareVersions(text, `${text}1`),
      ],
      many('a'),
      many('1'),
      many('-1'),
      many('1.', '', '1'),
      many('a1'),
      many('.0', '1', '.a'),
      many('-a', 'a-1', ''),
      many('%61', 'gems/', '.gem'),
    ),
    'a line of a version': texts(
      (text) => [readInfoLine(text), checksumIn({ key: '', version: '', text })],
      many('a:>= 1,', '1.0.0 ', '|checksum:'),
      many('|checksum:', '1.0.0 '),
      many(' ', '1.0.0'),
    ),
    'the versions of a gem': bytes(
      (content) => renderInfo([readInfo(content)]),
      (length) =>
        Buffer.from(
          `---\n${Array.from({ length: Math.ceil(length / 20) }, (_, at) => `1.0.${at} |checksum:a\n`).join('')}`,
        ),
      many('\n', '---\n', ''),
      many('---\n'),
    ),
    'the list of all gems': bytes(
      (content) => {
        const { entries } = readUpstreamVersions(requireIndex(content, 'versions'), 'id');
        const gems = entries.map(({ parts: [name = '', , versions = '', md5 = ''] }) => ({
          name,
          versions: versions.split(','),
          md5,
        }));
        return [grownVersions(content.toString(), gems), readVersions(content.toString().split('\n'))];
      },
      (length) =>
        Buffer.from(
          `---\n${Array.from({ length: Math.ceil(length / 45) }, (_, at) => `gem-${at} 1.0 ${'0'.repeat(32)}\n`).join('')}`,
        ),
      (length) =>
        Buffer.from(
          `---\ntool ${Array.from({ length: Math.ceil(length / 7) }, (_, at) => `1.${at}`).join()} ${'0'.repeat(32)}\n`,
        ),
      (length) =>
        Buffer.from(
          `---\n${Array.from({ length: Math.ceil(length / 43) }, (_, at) => `tool ${at % 2 ? '-' : ''}1.${at >> 1} ${'0'.repeat(32)}\n`).join('')}`,
        ),
    ),
  });
});
