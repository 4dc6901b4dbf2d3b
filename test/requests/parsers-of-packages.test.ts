import { Readable } from 'node:stream';
import { readCrate } from '../../functions/cargo/crate-archive.ts';
import { readPublishBody } from '../../functions/cargo/publish-body.ts';
import { differentDependencies } from '../../functions/cargo/same-dependencies.ts';
import { readChart } from '../../functions/helm/archive.ts';
import { readProvenance } from '../../functions/helm/provenance.ts';
import { goalPrefixIn, pomsIn } from '../../functions/maven/jar.ts';
import type { Manifest } from '../../functions/npm/manifest.ts';
import { parsePackumentUpdate } from '../../functions/npm/packument-update.ts';
import { differentMembers } from '../../functions/npm/same-manifest.ts';
import { readTarball } from '../../functions/npm/tarball.ts';
import { readWheel } from '../../functions/pypi/distribution.ts';
import { parseFileName } from '../../functions/pypi/filenames.ts';
import { descriptionIn } from '../../functions/pypi/readme.ts';
import { readSdist } from '../../functions/pypi/sdist.ts';
import { checkFields, provenanceIn, readContent } from '../../functions/pypi/upload-form.ts';
import { readWheelMetadata } from '../../functions/pypi/wheel-metadata.ts';
import { readZipEntry } from '../../functions/pypi/zip-entry.ts';
import { readmeInTar } from '../../shared/packages/formats/readme.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { framed } from '../harness/cargo.ts';
import { bytes, itReadsInLinearTime, type Make, many, type Reading, texts } from '../harness/growth.ts';
import { archiveOf } from '../harness/helm.ts';
import { zipOf } from '../harness/pypi.ts';

jest.setTimeout(240_000);

type Files = (length: number) => Readonly<Record<string, string>>;

/** Readings of an archive with files of each length. It is made once. */
const archives =
  (read: (content: Buffer) => unknown, ...makers: readonly Files[]) =>
  () =>
    makers.map((make) => (length: number): Reading => {
      const content = archiveOf(make(length));
      return async () => read(await content);
    });

const zips = (read: (content: Buffer) => unknown, ...makers: readonly Files[]) =>
  bytes(
    read,
    ...makers.map(
      (make): Make =>
        (length) =>
          zipOf(make(length)),
    ),
  );

/** A file with so many bytes of a piece between a beginning and an end. */
const file =
  (path: string, ...content: Parameters<typeof many>): Files =>
  (length) => ({ [path]: many(...content)(length).toString() });

/** So many files, which are empty. */
const files =
  (pathOf: (at: number) => string): Files =>
  (length) =>
    Object.fromEntries(Array.from({ length: length / 200 }, (_, at) => [pathOf(at), ''] as const));

const stream = (content: Buffer): Readable => Readable.from([content]);

const objects =
  <T>(read: (object: T) => unknown, ...makers: readonly ((count: number) => T)[]) =>
  () =>
    makers.map((make) => (length: number): Reading => {
      const object = make(Math.ceil(length / 20));
      return () => read(object);
    });

const record = (count: number, fieldOf: (at: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`name-${at}`, fieldOf(at)]));

const dependency = (at: number, fields: object = {}) => ({ name: `name-${at}`, version_req: '1', ...fields });

const manifestOf = (fields: object): Manifest => ({ name: 'a', version: '1.0.0', ...fields });

const described = 'Metadata-Version: 2.1\nName: a\nVersion: 1\n';

const distribution = (name: string) => (content: Buffer) => ({ name, received: fileInMemory(content) });
const [wheelOf, sdistOf, zippedOf] = [
  distribution('a-1-py3-none-any.whl'),
  distribution('a-1.tar.gz'),
  distribution('a-1.zip'),
];

describe('The time to read a package that somebody publishes grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'the body of cargo publish': () => [
      (length) => {
        const features = record(length / 20, () => ['a']);
        const body = framed({ name: 'a', vers: '1.0.0', deps: [], features }, Buffer.alloc(0));
        return async () => readPublishBody(stream(body), AbortSignal.timeout(60_000));
      },
      (length) => {
        const body = framed({ name: 'a', vers: '1.0.0', deps: [], features: {} }, Buffer.alloc(length / 10));
        const pieces = Array.from(body, (_, at) => body.subarray(at, at + 1));
        return async () => readPublishBody(Readable.from(pieces), AbortSignal.timeout(60_000));
      },
    ],
    'a crate': archives(
      async (content) => readCrate(stream(content)),
      file('a-1.0.0/Cargo.toml', 'a = 1\n', '[package]\n'),
      files((at) => `a-1.0.0/${at}`),
      files((at) => `a-1.0.0/${'../'.repeat(at % 30)}`),
    ),
    'the dependencies of a crate': objects<readonly [object[], object[]]>(
      ([sent, own]) => differentDependencies(sent as never, own as never),
      (count) => [
        Array.from({ length: count }, (_, at) => dependency(at)),
        Array.from({ length: count }, (_, at) => dependency(count - at)),
      ],
      (count) => [Array.from({ length: count }, () => dependency(1)), [dependency(1)]],
      (count) => [[dependency(1, { features: Array.from({ length: count }, (_, at) => `f${at}`) })], []],
      (count) => [[dependency(1, { version_req: ' 1x,'.repeat(count) })], []],
    ),
    'the tarball of a package of npm': archives(
      async (content) => readTarball(stream(content)),
      file('package/package.json', '"a":1,', '{"name":"a","version":"1.0.0",', '"b":1}'),
      files((at) => `package/${at}`),
      files((at) => `package/${'a/../'.repeat(at % 30)}b`),
    ),
    'the members of a manifest': objects<readonly [Manifest, Manifest]>(
      ([sent, own]) => differentMembers(sent, own),
      (count) => [manifestOf({ dependencies: record(count, () => '1') }), manifestOf({ dependencies: {} })],
      (count) => [manifestOf({ bin: record(count, () => 'a\\b') }), manifestOf({ bin: record(count, () => 'a/b') })],
      (count) => [manifestOf({ bin: Array.from({ length: count }, (_, at) => `a/${at}`) }), manifestOf({})],
      ...['github:a/', 'a/', 'git+https://github.com/a/', 'a/#', ' '].map((begin) => (count: number) => {
        const dependencies = { a: `${begin}${'.git'.repeat(count)}#${' '.repeat(count)}\n` };
        return [manifestOf({ dependencies }), manifestOf({})] as const;
      }),
    ),
    'a packument that npm sends back': objects<Readonly<Record<string, unknown>>>(
      (body) => parsePackumentUpdate(body, 'a'),
      (count) => ({ name: 'a', versions: record(count, () => ({ deprecated: 'x' })), 'dist-tags': {} }),
      (count) => ({ name: 'a', versions: {}, 'dist-tags': record(count, () => '1.0.0') }),
    ),
    'a wheel': zips(
      async (content) => [await readWheel(wheelOf(content)), await readWheelMetadata(fileInMemory(content))],
      file('a-1.dist-info/METADATA', 'Classifier: x\n', described),
      file('a-1.dist-info/METADATA', ' ', `${described}Summary:`),
      files((at) => `a-1.dist-info/${at}`),
    ),
    'the description in the metadata of a wheel': bytes(
      (content) => descriptionIn(content),
      many('Classifier: x\n', described, '\n\ntext'),
      many('\n', described),
      many('\r\n', described, 'text'),
      many('Description-Content-Type: ', described, '\n\ntext'),
    ),
    'the README in an archive': archives(
      async (content) => readmeInTar('archive')(fileInMemory(content)),
      file('a-1/README.md', '# a\n'),
      files((at) => `a-1/${at}/README.md`),
      files((at) => `${'./'.repeat(at % 30)}README.md`),
    ),
    'a source distribution': archives(
      async (content) => readSdist(sdistOf(content)),
      file('a-1/PKG-INFO', 'Classifier: x\n', described),
      files((at) => `a-1/${at}/PKG-INFO`),
    ),
    'a source distribution as a zip': zips(
      async (content) => [
        await readSdist(zippedOf(content)),
        await readZipEntry(fileInMemory(content), { path: /PKG-INFO$/, what: 'PKG-INFO', word: 'zip' }),
      ],
      file('a-1/PKG-INFO', 'Classifier: x\n', described),
      files((at) => `a-1/${at}`),
    ),
    'the name of a source distribution': texts(
      (text) => [parseFileName(text, 'a'), parseFileName(text, 'a-a')],
      many('a-', '', '.tar.gz'),
      many('-', 'a', '.zip'),
      many('1-', 'a-', '.tgz'),
    ),
    'the fields of an upload to PyPI': texts(
      async (text) => {
        const fields = new Map([
          ['name', [text]],
          ['version', [text]],
          ['attestations', [`[${text}]`]],
          ['sha256_digest', [text]],
        ]);
        const sent = sdistOf(Buffer.from([0x1f, 0x8b]));
        const known = {
          ...sent,
          file: sent.name,
          kind: 'sdist',
          project: 'a',
          displayName: 'a',
          version: '1',
        } as const;
        await Promise.allSettled([readContent(fields, sent), checkFields(fields, known)]);
        return provenanceIn(fields, 'robin');
      },
      many('a'),
      many('-', 'a'),
      many(' ', 'a', 'b'),
      many('1.', '1'),
      many('{},', '', '{}'),
      many('{"version":1,"envelope":{}},', '', '1'),
    ),
    'the archive of a chart': archives(
      async (content) => readChart(stream(content)),
      file('a/Chart.yaml', 'keywords: [a]\n', 'name: a\nversion: 1.0.0\n'),
      files((at) => `a/templates/${at}.yaml`),
      files((at) => `a/${'b/../'.repeat(at % 30)}c`),
    ),
    'a file of provenance': bytes(
      async (content) => readProvenance(fileInMemory(content)),
      many('Hash: a\n', '-----BEGIN PGP SIGNED MESSAGE-----\n'),
      many('files:\n  a: sha256:b\n', '-----BEGIN PGP SIGNED MESSAGE-----\n\nname: a\n...\n'),
    ),
    'a jar': zips(
      async (content) => [await pomsIn(fileInMemory(content)), await goalPrefixIn(fileInMemory(content))],
      files((at) => `META-INF/maven/a/${at}/pom.xml`),
      file('META-INF/maven/plugin.xml', '<a/>', '<plugin>', '<goalPrefix>a</goalPrefix></plugin>'),
      file('META-INF/maven/plugin.xml', '<a>'),
    ),
  });
});
