import { Readable } from 'node:stream';
import { checkRange } from '../../functions/docker/content-range.ts';
import { readManifest } from '../../functions/docker/manifest.ts';
import * as docker from '../../functions/docker/paths.ts';
import { checksumIn } from '../../functions/maven/checksums.ts';
import { parseMetadata } from '../../functions/maven/metadata.ts';
import * as mavenPaths from '../../functions/maven/paths.ts';
import { readPom } from '../../functions/maven/pom.ts';
import { hashesOfIntegrity } from '../../functions/npm/integrity.ts';
import * as npmPaths from '../../functions/npm/paths.ts';
import { parsePublish } from '../../functions/npm/publish-body.ts';
import { parseCoreMetadata } from '../../functions/pypi/core-metadata.ts';
import { parseFileName } from '../../functions/pypi/filenames.ts';
import { normalName } from '../../functions/pypi/names.ts';
import { isRequirement, isSpecifierSet } from '../../functions/pypi/requirements.ts';
import { parsePage } from '../../functions/pypi/upstream-pages.ts';
import { upstreamUrlRule } from '../../functions/repositories/upstream-url.ts';
import { matchesGlob } from '../../functions/trusts/conditions.ts';
import { fileAddressOf } from '../../functions/universal/path.ts';
import { decodeAuthorization } from '../../shared/auth/authorization-header.ts';
import { sessionCookieIn } from '../../shared/auth/session-cookies.ts';
import { isInIfNoneMatch } from '../../shared/http/etags.ts';
import { parseJsonObject } from '../../shared/http/json.ts';
import { readParts } from '../../shared/http/requests/form-parts.ts';
import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import { readGzippedTar } from '../../shared/packages/formats/tar-archive.ts';
import { readZip } from '../../shared/packages/formats/zip-archive.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { challengeIn } from '../../shared/upstream/registry-tokens.ts';
import { bytes, itReadsInLinearTime, type Make, many, texts } from '../harness/growth.ts';
import { archiveOf } from '../harness/helm.ts';
import { zipOf } from '../harness/pypi.ts';

jest.setTimeout(240_000);

const page = { name: 'foo', url: 'https://up.example/simple/foo/' };

const pathTexts = [many('a/'), many('a'), many('/'), many('.'), many('%41'), many('-', 'a'), many('@', 'a')];

const tarOf = async (length: number): Promise<Buffer> =>
  archiveOf(
    Object.fromEntries(
      Array.from({ length: length / 200 }, (_, at) => [`p/${'d/'.repeat(at % 40)}${at}`, ''] as const),
    ),
  );

const formOf: Make = many('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n');

const readForm = (...makers: readonly Make[]) =>
  bytes(
    async (content) =>
      readParts(
        {
          length: content.length,
          mediaType: 'multipart/form-data; boundary=b',
          stream: () => Readable.from([content]),
        },
        { onField: () => {}, onFile: () => undefined, fieldLimits: { fields: 1e6, fieldSize: 1e9, parts: 1e6 } },
      ),
    ...makers,
  );

const ranged = (header: string): unknown => {
  const call = { header: () => header, params: { path: 'a' }, baseUrl: 'http://x', caller: {} };
  return checkRange(call as never, { upload: { size: 0 } } as never, 1);
};

describe('The time to read what else clients and upstreams send grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'XML of Maven': bytes(
      (content) => [content].map((each) => parseMetadata(each)),
      many('<a>'),
      many('a="b" ', '<a ', '>'),
      many('&amp;', '<a>', '</a>'),
      many('<', '<a>'),
      many('<!-- ', '<a>'),
      many('<version>1</version>', '<metadata><versioning><versions>', '</versions></versioning></metadata>'),
      many('<![CDATA[', '<a>'),
    ),
    'a POM': bytes(
      readPom,
      many('<a>'),
      many('<a/>', '<project>', '</project>'),
      many(' ', '<project><groupId>', 'x</groupId></project>'),
    ),
    'a checksum': texts((text) => checksumIn(text, 'sha1'), many('a'), many('a g'), many('0123456789'.repeat(4))),
    'a page of PyPI': bytes(
      (content) => parsePage(content, page),
      ...[
        '<a "',
        '<a href="',
        "<a '>",
        '<!--',
        '<a =',
        '<script>',
        '<a href=&#',
        '<',
        '</a',
        '<a\n/',
        '<a href="x.zip">',
      ].map((piece) => many(piece)),
      many('{"filename":"a-1.zip","url":"a"},', '{"meta":{"api-version":"1.0"},"name":"foo","files":[', '{}]}'),
    ),
    'the metadata of a distribution': bytes(
      (content) => parseCoreMetadata(content, 'METADATA'),
      many('\r\n '),
      many('\r'),
      many(' ', 'Name: a\n'),
      many('Name: a\n'),
      many(':'),
      many('\n'),
    ),
    'the requirements of a distribution': texts(
      (text) => [isRequirement(text), isSpecifierSet(text)],
      ...[
        'a',
        '-',
        '[',
        '[a,',
        '(',
        '>=1,',
        '1.',
        ' ',
        '@',
        ';',
        "a;'",
        'a;(',
        "a;'b'==",
        "a;'b'=='b' and ",
        'not ',
      ].map((piece) => many(piece)),
      many('a,', 'a[', ']'),
      many(' ', 'a;', '!'),
      many('1.', '>=', '*'),
    ),
    'the names of PyPI': texts(
      (text) => [normalName(text), parseFileName(text, 'a')],
      ...pathTexts,
      many('a-1-', '', '.whl'),
      many('-py', 'a-1', '.egg'),
    ),
    JSON: bytes(
      (content) => [() => parseObject(content, 'x'), () => parseJsonObject(content)].map((read) => read()),
      many('[', '{"a":'),
      many('{"a":'),
      many('"', '{"a":'),
      many('\\', '{"a":"'),
      many('"a":1,', '{'),
      many(' ', '{', '}'),
      many('\\u0041', '{"a":"', '"}'),
    ),
    'the body of npm publish': () => [
      (length) => {
        const versions = Object.fromEntries(Array.from({ length: length / 50 }, (_, index) => [`1.0.${index}`, {}]));
        return () => parsePublish({ name: 'a', versions, _attachments: {} }, 'a');
      },
      (length) => () => hashesOfIntegrity('sha512-= '.repeat(length / 9)),
    ],
    'a manifest of an image': () => [
      (length) => {
        const layer = { digest: `sha256:${'a'.repeat(64)}`, size: 1, mediaType: 'x' };
        const mediaType = 'application/vnd.oci.image.manifest.v1+json';
        const layers = Array.from({ length: length / 100 }, () => layer);
        const content = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config: layer, layers }));
        return () => readManifest(content, mediaType);
      },
    ],
    'a path': texts(
      (text) =>
        [docker.parsePath, npmPaths.parsePath, mavenPaths.parsePath, fileAddressOf].map((parse) => {
          try {
            return parse(text);
          } catch {
            return undefined;
          }
        }),
      ...pathTexts,
      many('a', '', '/manifests/latest'),
      many('a-', '', '/manifests/latest'),
      many('a/', 'a/', '/blobs/sha256:0'),
    ),
    'a header': texts(
      (text) =>
        [
          () => decodeAuthorization([text]),
          () => sessionCookieIn(text, 'http://127.0.0.1'),
          () => isInIfNoneMatch('"a"', text),
          () => challengeIn(text),
          () => ranged(text),
        ].map((read) => {
          try {
            return read();
          } catch {
            return undefined;
          }
        }),
      many('a', 'Basic '),
      many(' ', 'Basic', 'a'),
      many(','),
      many(', ', '', 'Bearer'),
      many('Bearer '),
      many(' realm="', 'Bearer '),
      many('"a", '),
      many('1', 'bytes='),
      many('-', 'bytes 1'),
      many(' '),
    ),
    'the URL of an upstream': texts(
      (remoteRepositoryUrl) => upstreamUrlRule({ packageType: 'npm', remoteRepositoryUrl } as never),
      many('/', 'http://a'),
      many('a.', 'http://'),
      many('?', 'http://a'),
      many('%', 'http://a/'),
    ),
    'a glob of a trust': texts((text) => matchesGlob(`${'*a'.repeat(20)}*b`, text), many('a')),
    'a form': readForm(
      formOf,
      many('\r\n--'),
      many('--b'),
      many('-', '--b\r\n'),
      many('a', '--b\r\nContent-Disposition: ', '\r\n\r\n'),
      many(';', '--b\r\nContent-Disposition: form-data', '\r\n\r\n1'),
    ),
    'a tar': () => [
      (length) => {
        const content = tarOf(length);
        return async () => readGzippedTar(Readable.from([await content]), { word: 'tarball', visit: () => undefined });
      },
    ],
    'the directory of a zip': () => [
      (length) => {
        const names = Array.from({ length: length / 50 }, (_, index) => [`${index}/b`, ''] as const);
        const file = fileInMemory(zipOf(Object.fromEntries(names)));
        return async () => readZip(file, { word: 'zip', wants: () => false, bytesMax: 1 });
      },
    ],
  });
});
