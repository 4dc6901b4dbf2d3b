import { readManifest } from '../../functions/composer/archive.ts';
import { isConstraint } from '../../functions/composer/constraints.ts';
import { checkManifest } from '../../functions/composer/manifest.ts';
import { isPackageName, newNameProblems } from '../../functions/composer/names.ts';
import { parsePath } from '../../functions/composer/paths.ts';
import { mergedVersions, renderVersions } from '../../functions/composer/rendering.ts';
import { namesIn, parseFilter, parseSearch, passes } from '../../functions/composer/search.ts';
import { addressesIn, versionsIn } from '../../functions/composer/upstream-documents.ts';
import { compareNormalized, normalize, versionOf } from '../../functions/composer/versions.ts';
import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { bytes, itReadsInLinearTime, type Make, many, texts } from '../harness/growth.ts';
import { zipOf } from '../harness/zips.ts';

jest.setTimeout(240_000);

const zips =
  (pathOf: (at: number) => string): Make =>
  (length) =>
    zipOf(Array.from({ length: Math.ceil(length / 100) }, (_, at) => ({ path: pathOf(at), content: '{}' })));

/** A document whose versions differ from each other in what `change` says. */
const document =
  (change: (at: number) => object): Make =>
  (length) => {
    const versions = Array.from({ length: Math.ceil(length / 60) }, (_, at) => ({
      version: `1.0.${at}`,
      ...change(at),
    }));
    return JSON.stringify({ packages: { 'a/b': versions }, minified: 'composer/2.0' });
  };

const rendered = (content: Buffer): unknown =>
  renderVersions(
    { name: 'a/b', isDevelopment: false, url: 'https://stockroom.example.com', hidesSources: true },
    mergedVersions([versionsIn(parseObject(content, 'The document'), 'a/b')]),
  );

describe('The time to read what clients and upstreams of Composer send grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'a package': bytes(
      async (content) => readManifest(fileInMemory(content)),
      zips((at) => `${at}/composer.json`),
      zips((at) => `a/${at}`),
      (length) => zipOf([{ path: 'composer.json', content: `{"a":"${'x'.repeat(length)}"}` }]),
    ),
    'a composer.json': bytes(
      (content) => checkManifest(parseObject(content, 'composer.json'), undefined, new Date()),
      many('"a":1,', '{"name":"a/b","version":"1","require":{', '"b":1}}'),
      many('a', '{"version":"1","name":"', '"}'),
      many('a-', '{"version":"1","name":"', '"}'),
      many('"a",', '{"name":"a/b","version":"1","license":[', '1]}'),
    ),
    constraints: texts(
      isConstraint,
      ...[
        '|',
        ' ',
        ',',
        ' ,',
        '1 ',
        '1.',
        '~1',
        '^1.0-',
        '-',
        ' - ',
        '1 - ',
        '#',
        '.x-dev#',
        '@dev',
        ' as ',
        '*.',
        'b1',
      ].map((part) => many(part)),
      many(' ', '1', 'as 2'),
      many('-dev', '^1'),
      many('1', '1.0 - 1.', '.x'),
    ),
    'names, paths, words and filters': texts(
      (text) => [
        isPackageName(text),
        newNameProblems(text),
        parsePath(text),
        parseSearch({ q: text, type: text, page: text, per_page: text }),
        passes(parseFilter({ filter: text }), text),
        passes(text, 'a'.repeat(200)),
      ],
      many('a'),
      many('a-'),
      many('a*'),
      many('/a'),
      many('%61', 'p2/', '.json'),
      many(' a'),
    ),
    'a version': texts(
      (text) => [normalize(text), versionOf(text), compareNormalized(text, `${text}1`)],
      many('1'),
      many('1.'),
      many('-1', '1.0.0-beta'),
      many('.x', '1'),
      many('9999999.', '1.', '-dev'),
      many(' ', '1.0 ', ' as 1'),
      many('+', '1.0'),
    ),
    'a document of an upstream': bytes(
      rendered,
      document(() => ({})),
      document((at) => ({ require: { php: `>=${at}` } })),
      document((at) => (at % 2 === 0 ? { bin: ['a'] } : { bin: '__unset' })),
      document((at) => ({ dist: { type: 'zip', url: `https://a.example/${at}`, reference: `${at}` } })),
    ),
    'the addresses and the names of an upstream': bytes(
      (content) => [
        addressesIn(parseObject(content, 'packages.json'), 'https://a.example/packages.json'),
        namesIn(parseObject(content, 'list.json')),
      ],
      many('"a":"b",', '{"metadata-url":"/p2/%package%.json","packageNames":{', '"b":"a"}}'),
      many('a', '{"metadata-url":"/', '"}'),
      many('"a/b",', '{"packageNames":[', '"a/b"]}'),
    ),
  });
});
