import { upstreamSearch as crateSearch, parseSearch as parseCrateSearch } from '../../functions/cargo/search.ts';
import { listIn, nextQuery } from '../../functions/docker/upstream.ts';
import { referrersOf } from '../../functions/docker/upstream-referrers.ts';
import { versionsIn } from '../../functions/go/upstream-documents.ts';
import { parseInfo } from '../../functions/go/version-info.ts';
import { readEntry, readMetadata } from '../../functions/helm/metadata.ts';
import * as helmPaths from '../../functions/helm/paths.ts';
import { packIndex, unpackIndex } from '../../functions/helm/upstream-index.ts';
import { mergeMetadata, parseMetadata } from '../../functions/maven/metadata.ts';
import { packPackument, unpackPackument } from '../../functions/npm/kept-packument.ts';
import { parseSearch as parseNpmSearch } from '../../functions/npm/search.ts';
import { parseUpstreamPackument } from '../../functions/npm/upstream-packument.ts';
import { upstreamSearch as npmSearch } from '../../functions/npm/upstream-search.ts';
import { parseHtmlPage } from '../../functions/pypi/html-index.ts';
import { preferredForm } from '../../functions/pypi/page-forms.ts';
import * as pypiPaths from '../../functions/pypi/paths.ts';
import { parseProjectPath } from '../../functions/pypi/project-path.ts';
import { respond } from '../../shared/http/answers/bytes.ts';
import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { sentenceOf } from '../../shared/packages/upstream/upstream-denials.ts';
import { isWebPage, requireForm } from '../../shared/packages/upstream/web-pages.ts';
import { refuseLoop } from '../../shared/request-chain.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { tokenIn } from '../../shared/upstream/registry-tokens.ts';
import { bytes, itReadsInLinearTime, many, texts } from '../harness/growth.ts';

jest.setTimeout(240_000);

const place = { host: 'up.example', status: 200 };
const url = 'https://up.example/a';

const ranged = (range: string): unknown => {
  const event = { httpMethod: 'GET', headers: { range }, multiValueHeaders: { range: [range] } };
  const answer = { kind: 'bytes', mediaType: 'text/plain', etag: '"a"', content: 'a' } as const;
  return respond({ event, requestId: 'a' } as never, answer);
};

const inPieces = async function* (content: Buffer) {
  for (let at = 0; at < content.length; at += 1) yield content.subarray(at, at + 1);
};

const drained = async (chunks: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of chunks);
};

/** So many versions in a packument. */
const packument =
  (piece: (at: number) => string, begin = '{"name":"a","versions":{', end = '}}') =>
  (length: number): string =>
    begin + Array.from({ length: length / 50 }, (_, at) => piece(at)).join() + end;

const referrer = `{"digest":"sha256:${'a'.repeat(64)}","size":1,"mediaType":"x"},`;

describe('The time to read what an upstream answers grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'a packument': bytes(
      (content) => {
        const parsed = parseUpstreamPackument(content, { name: 'a', url });
        return unpackPackument(packPackument(parsed, 'full'));
      },
      packument((at) => `"1.0.${at}":{"name":"a","version":"1.0.${at}","dist":{"tarball":"b"}}`),
      packument((at) => `"1.0.${at}":"a"`, '{"name":"a","versions":{},"time":{'),
      packument((at) => `"tag-${at}":"1.0.0"`, '{"name":"a","versions":{},"dist-tags":{'),
      many('a', '{"name":"a","readme":"', '","versions":{"1.0.0":{}}}'),
      many('../', '{"name":"a","versions":{"1.0.0":{"dist":{"tarball":"', '"}}}}'),
    ),
    'the packages that a search finds': bytes(
      (content) => {
        const answer = JSON.parse(content.toString()) as Readonly<Record<string, unknown>>;
        const query = { text: content.toString(), q: content.toString() };
        return [npmSearch('', parseNpmSearch(query)), crateSearch('', parseCrateSearch(query))]
          .map(
            ({ foundIn }) =>
              () =>
                foundIn(answer, {} as RemoteRepository),
          )
          .map((read) => {
            try {
              return read();
            } catch {
              return undefined;
            }
          });
      },
      many('{"package":{"name":"a"}},', '{"objects":[', '{}]}'),
      many('{"name":"a","max_version":"1"},', '{"crates":[', '{}]}'),
      many('a-', '{"objects":[{"package":{"name":"', '"}}]}'),
    ),
    'the query of a search': texts(
      (text) => [parseNpmSearch({ text }), parseCrateSearch({ q: text })],
      many('a '),
      many(' '),
      many('+'),
      many('scope:', '', ' a'),
      many('a-', '', ':'),
    ),
    'the index of a helm repository': bytes(
      (content) => unpackIndex(packIndex(content, url)),
      many('  a:\n  - name: a\n    version: 1.0.0\n', 'apiVersion: v1\nentries:\n'),
      many('  - name: a\n    version: 1.0.0\n', 'apiVersion: v1\nentries:\n  a:\n'),
      many('    - u\n', 'apiVersion: v1\nentries:\n  a:\n  - name: a\n    version: 1.0.0\n    urls:\n'),
      many('{"name":"a","version":"1.0.0"},', '{"apiVersion":"v1","entries":{"a":[', '{}]}}'),
    ),
    'the metadata of a chart': () => [
      (length) => {
        const fields = Object.fromEntries(Array.from({ length: length / 20 }, (_, at) => [`f${at}`, 'a']));
        const list = Array.from({ length: length / 20 }, () => ({ name: 'a', version: '1' }));
        const chart = { name: 'a', version: '1.0.0', ...fields, annotations: fields, dependencies: list };
        return () => [readMetadata(chart), readEntry(chart)];
      },
    ],
    'the versions of a module': bytes(
      (content) => versionsIn(content.toString()),
      many('v1.0.0\n'),
      many('v1.0.0 2020-01-01T00:00:00Z\n'),
      many(' ', 'v1', '\nv1.0.0'),
      many('\n'),
      many('\u2028', 'v1.0.0'),
      many('1', 'v1.0.0-'),
    ),
    'a version of a module': bytes(
      (content) => parseInfo(content),
      many('1', '{"Version":"v1.0.0-', '"}'),
      many('1', '{"Version":"v1.0.0","Time":"2020-01-01T00:00:00.', '"}'),
      many('"a":1,', '{"Version":"v1.0.0","Origin":{', '"b":1}}'),
    ),
    'tags and referrers of an image': bytes(
      (content) =>
        [() => listIn(content, 'tags'), () => referrersOf(content)].map((read) => {
          try {
            return read();
          } catch {
            return undefined;
          }
        }),
      many('"a",', '{"tags":[', '"b"]}'),
      many(referrer, '{"manifests":[', '{}]}'),
      many('"a":"b",', `{"manifests":[{"annotations":{`, `"c":"d"},"digest":"sha256:${'a'.repeat(64)}"}]}`),
    ),
    'where the next tags are': texts(
      (text) => nextQuery(text, url),
      many('<'),
      many(' ', '<a>', ';'),
      many(';', '<a>'),
      many('<a>;rel=x,'),
      many('<a>"'),
      many(';a="";', '<a>'),
      many('a', '<?', '>; rel="next"'),
      many('/..', '<', '>; rel="next"'),
    ),
    'a token': bytes(tokenIn, many('a', '{"token":"', '"}'), many(' ', '{"token":"a', '"}'), many('[', '{"token":')),
    'metadata of Maven that are merged': bytes(
      (content) => mergeMetadata([content, content].map((each) => parseMetadata(each))),
      (length) =>
        `<metadata><versioning><versions>${Array.from({ length: length / 30 }, (_, at) => `<version>1.${at}</version>`).join('')}</versions></versioning></metadata>`,
      many('<plugin><prefix>a</prefix></plugin>', '<metadata><plugins>', '</plugins></metadata>'),
      many(
        '<snapshotVersion><extension>a</extension></snapshotVersion>',
        '<metadata><versioning><snapshotVersions>',
        '</snapshotVersions></versioning></metadata>',
      ),
      many('<a>1</a>', '<metadata>', '</metadata>'),
    ),
    'a page of HTML': texts(
      (text) => parseHtmlPage(text, url),
      many('<a href="x-1.zip">x</a>'),
      many('<base href="a/">'),
      many('<meta name="tracks" content="a">'),
    ),
    'whether an answer is a page': bytes(
      async (content) => {
        const forms = ['zip', 'jar', 'xml', 'any', { member: 'a' }] as const;
        await Promise.allSettled(
          forms.map((form) => drained(requireForm(place, form)(inPieces(content.subarray(0, 20_000))))),
        );
        return isWebPage(content);
      },
      many(' '),
      many('<!--'),
      many('<!-- -->'),
      many('-', '<!--'),
      many('<?xml '),
      many(' ', '<?xml?>'),
    ),
    'the sentence of a denial': texts(
      (text) =>
        [undefined, 'application/json', `text/plain;${text}`, `${text}json`].map((type) =>
          sentenceOf(text.slice(0, 4_096), type, ['secret']),
        ),
      many('a'),
      many('a1'),
      many('a', '', '!'),
      many(' '),
      many('{"message":'),
      many('\u200b'),
    ),
  });
});

describe('The time to read a path or a header grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'a path': texts(
      (text) => [helmPaths.parsePath(text), pypiPaths.parsePath(text), parseProjectPath(text), decodeSegments(text)],
      ...['a/', 'a', '/', '.', '%41', '%', '-', ' '].map((piece) => many(piece, 'charts/')),
      many('-1', 'charts/a', '.tgz'),
      many('a/', 'simple/', 'json'),
      many('-', 'files/a/1/a', '.tar.gz'),
    ),
    'the forms that a client accepts': texts(
      preferredForm,
      many(','),
      many('text/html;q=0.1,'),
      many(';', 'text/html'),
      many(' ', 'text/html', 'x'),
      many('q=1;', 'text/html;'),
    ),
    'the services that a request came through': texts(
      (text) => refuseLoop([text]),
      many(','),
      many(' '),
      many('1.1 stockroom-0123456789abcdef, '),
      many(' ', '1.1 a', ', b'),
    ),
    'a range': texts(
      ranged,
      many('1', 'bytes='),
      many('1', 'bytes=', '-'),
      many(' ', 'bytes=1-', 'x'),
      many('-', 'bytes='),
    ),
  });
});
