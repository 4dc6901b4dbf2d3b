import { artifactMetadata, versionWith } from '../../../functions/maven/index-entries.ts';
import { mergeMetadata, parseMetadata, renderMetadata } from '../../../functions/maven/metadata.ts';
import { snapshotElement, snapshotVersionElements, withFile } from '../../../functions/maven/snapshot-files.ts';
import { snapshotFileOf } from '../../../functions/maven/snapshot-names.ts';
import { childOf, parseDocument, renderDocument, textOf } from '../../../shared/packages/formats/xml.ts';
import { recordedBytes, recordedNames } from './documents.ts';
import { textsOf } from './repository.ts';

const metadata = (content: string) => parseMetadata(Buffer.from(`<metadata>${content}</metadata>`));
const merged = (...contents: string[]): string => renderMetadata(mergeMetadata(contents.map(metadata))).toString();

describe('metadata', () => {
  it.each(recordedNames)('of %s lose nothing when they are parsed and rendered', (name) => {
    const bytes = recordedBytes(name);
    const rendered = renderMetadata(parseMetadata(bytes));
    const sorted = (document: Buffer) =>
      document
        .toString()
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .toSorted();
    expect(sorted(rendered)).toEqual(sorted(bytes));
  });

  it.each(['junit', 'guava', 'commons-lang3'] as const)('of %s keep latest and release when merged', (name) => {
    const [theirs, ours] = [
      parseMetadata(recordedBytes(name)),
      metadata('<versioning><versions><version>0.0.1</version></versions></versioning>'),
    ];
    const { versions, versioning, fields } = mergeMetadata([ours, theirs]);
    expect(versions).toEqual(expect.arrayContaining(['0.0.1', ...theirs.versions]));
    expect(fields).toEqual(theirs.fields);
    const texts = (elements = versioning) =>
      Object.fromEntries((elements ?? []).map(({ name: key, text }) => [key, text]));
    expect(texts()).toEqual(texts(theirs.versioning));
  });

  it('are merged by the order of Maven, not by that of the documents', () => {
    const document = merged(
      '<versioning><latest>1.0</latest><release>1.0</release><versions><version>1.10</version><version>1.0</version></versions><lastUpdated>20240101000000</lastUpdated></versioning>',
      '<versioning><latest>1.9</latest><versions><version>1.9</version><version>2.0-SNAPSHOT</version><version>1.0</version></versions><lastUpdated>20230101000000</lastUpdated></versioning>',
    );
    expect(textsOf(document, 'version')).toEqual(['1.0', '1.9', '1.10', '2.0-SNAPSHOT']);
    expect([textsOf(document, 'latest'), textsOf(document, 'release'), textsOf(document, 'lastUpdated')]).toEqual([
      ['2.0-SNAPSHOT'],
      ['1.10'],
      ['20240101000000'],
    ]);
  });

  it('have no release when all versions are SNAPSHOTs, whatever a document says', () => {
    const document = merged(
      '<versioning><release>1</release><versions><version>2-SNAPSHOT</version></versions></versioning>',
    );
    expect(textsOf(document, 'release')).toEqual([]);
  });

  it('of SNAPSHOT versions are merged by the newest build, and by the newest of each file', () => {
    const build = (timestamp: string, number: number, ...extensions: string[]): string =>
      `<version>1-SNAPSHOT</version><versioning><snapshot><timestamp>${timestamp}</timestamp><buildNumber>${number}</buildNumber></snapshot><snapshotVersions>${extensions.map((extension) => `<snapshotVersion><extension>${extension}</extension><value>1-${timestamp}-${number}</value><updated>${timestamp.replace('.', '')}</updated></snapshotVersion>`).join('')}</snapshotVersions></versioning>`;
    const document = merged(build('20240101.000000', 10, 'jar', 'pom'), build('20240102.000000', 9, 'jar'));
    expect(textsOf(document, 'buildNumber')).toEqual(['9']);
    expect(textsOf(document, 'value')).toEqual(['1-20240102.000000-9', '1-20240101.000000-10']);
  });

  it('of SNAPSHOT versions count builds of one second by their numbers, and of equal ones the first', () => {
    const build = (number: number, word: string): string =>
      `<versioning><snapshot><timestamp>20240101.000000</timestamp><buildNumber>${number}</buildNumber><word>${word}</word></snapshot><lastUpdated>20240101000000</lastUpdated><snapshotVersions><snapshotVersion><extension>jar</extension><value>${word}</value><updated>20240101000000</updated></snapshotVersion></snapshotVersions></versioning>`;
    const told = (...documents: string[]) => {
      const document = merged(...documents);
      return [textsOf(document, 'buildNumber'), textsOf(document, 'word'), textsOf(document, 'value')];
    };
    expect(told(build(9, 'nine'), build(10, 'ten'))).toEqual([['10'], ['ten'], ['nine']]);
    expect(told(build(10, 'ten'), build(9, 'nine'))).toEqual([['10'], ['ten'], ['ten']]);
    expect(told(build(10, 'first'), build(10, 'second'))).toEqual([['10'], ['first'], ['first']]);
  });

  it('unite the plugins of a group, and the first of each prefix counts', () => {
    const plugin = (prefix: string, id: string): string =>
      `<plugin><name>${id}</name><prefix>${prefix}</prefix><artifactId>${id}</artifactId><more>x</more></plugin>`;
    const document = merged(
      `<plugins>${plugin('a', 'one')}</plugins>`,
      `<plugins>${plugin('a', 'two')}${plugin('b', 'three')}</plugins>`,
    );
    expect(textsOf(document, 'artifactId')).toEqual(['one', 'three']);
    expect(textsOf(document, 'more')).toEqual(['x', 'x']);
  });

  it('keep elements that this service does not know', () => {
    const document = merged(
      '<groupId>g</groupId><custom a="1">x &amp; &lt;y&gt;</custom><versioning><other><deep>z</deep></other></versioning>',
      '<groupId>h</groupId><versioning><versions><version>1</version></versions></versioning>',
    );
    expect(document).toContain('<custom a="1">x &amp; &lt;y&gt;</custom>');
    expect(document).toContain('<deep>z</deep>');
    expect(textsOf(document, 'groupId')).toEqual(['g']);
  });
});

describe('the computed metadata of a SNAPSHOT', () => {
  it('are those that mvn writes for the same files', () => {
    const recorded = parseMetadata(recordedBytes('snapshot'));
    const files = [
      '2335-2.jar',
      '2330-1.jar',
      '2330-1.pom',
      '2330-1-bin.tar.gz',
      '2335-2.pom',
      '2335-2-sources.jar',
      '2335-2-bin.tar.gz',
    ]
      .map((end) => snapshotFileOf('org.acme:app', '1.0-SNAPSHOT', `app-1.0-20261122.00${end}`))
      .reduce<ReturnType<typeof withFile>>((known, file) => withFile(known, file), []);
    expect(snapshotElement(files)).toEqual(recorded.versioning?.find(({ name }) => name === 'snapshot'));
    const sorted = (elements: typeof recorded.snapshotVersions) =>
      elements.map((each) => renderDocument(each).toString()).toSorted();
    expect(sorted(snapshotVersionElements(files))).toEqual(sorted(recorded.snapshotVersions));
  });

  it.each([
    ['app-1.0-20240131.120000-12.jar', '', 'jar'],
    ['app-1.0-20240131.120000-12-jdk1.8.jar', 'jdk1.8', 'jar'],
    ['app-1.0-20240131.120000-12-sources.jar.asc', 'sources', 'jar.asc'],
    ['app-1.0-20240131.120000-12.tar.gz', '', 'tar.gz'],
    ['app-1.0-20240131.120000-12-linux-x86_64.tar.bz2.asc', 'linux-x86_64', 'tar.bz2.asc'],
  ])('%s has the classifier %j and the extension %s', (file, classifier, extension) => {
    expect(snapshotFileOf('org.acme:app', '1.0-SNAPSHOT', file)).toEqual({
      value: '1.0-20240131.120000-12',
      timestamp: '20240131.120000',
      buildNumber: 12,
      classifier,
      extension,
    });
  });

  it.each([
    'app-1.0-SNAPSHOT.jar',
    'app-1.0-20240131.120000.jar',
    'other-1.0-20240131.120000-1.jar',
    'app-1.0-20240131.120000-1',
  ])('%s has no timestamp', (file) => {
    expect(snapshotFileOf('org.acme:app', '1.0-SNAPSHOT', file)).toBeUndefined();
  });
});

describe('XML', () => {
  const parse = (content: string | Uint8Array) => parseDocument(Buffer.from(content), 'The document', 100_000);

  it('is read with its entities, CDATA and comments', () => {
    const root = parse('<?xml version="1.0"?><!-- x --><a><b> 1 &lt; <![CDATA[2 & 3]]> </b><!-- y --><c x="1"/></a>');
    expect([textOf(root, 'b'), childOf(root, 'c')?.attributes, textOf(root, 'c')]).toEqual([
      '1 < 2 & 3',
      { x: '1' },
      undefined,
    ]);
  });

  it.each([
    ['no document', ''],
    ['an open element', '<a>'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['a document type in lower case', '<!doctype a><a/>'],
    ['an entity of its own', '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
    ['an unknown entity', '<a>&e;</a>'],
    ['another encoding', Buffer.from('<a>é</a>', 'latin1')],
    ['too many levels', `${'<a>'.repeat(65)}${'</a>'.repeat(65)}`],
    ['levels without an end', '<a>'.repeat(30_000)],
    ['too many bytes', `<a>${'x'.repeat(100_000)}</a>`],
  ])('is refused when it is %s', (_, content) => {
    expect(() => parse(content)).toThrow(/^The document /);
  });
});

describe('metadata of a local artifact', () => {
  const versionsOf = (entries: Readonly<Record<string, readonly string[]>>) => {
    const listed = Object.entries(entries).map(
      ([version, parts]) => [version, { version, revision: 1, parts }] as const,
    );
    return artifactMetadata('org.acme:app', { entries: new Map(listed) }).versions;
  };
  const entryOf = (version: string, file: string) =>
    versionWith({ name: 'org.acme:app', version, files: [`app-${version}${file}`] }).parts;
  const before = ['20260101000000'];

  it('have all releases as long as none is known to have a POM, such as those of earlier entries', () => {
    expect(versionsOf({ '1': before, '2': entryOf('2', '.jar') })).toEqual(['1', '2']);
    expect(versionsOf({ '1': entryOf('1', '.jar'), '2': entryOf('2', '.jar') })).toEqual(['1', '2']);
  });

  it('have no release without a POM beside one that has it, but earlier entries and SNAPSHOTs', () => {
    const entries = { '1': before, '2': entryOf('2', '.pom'), '3': entryOf('3', '.jar') };
    expect(versionsOf({ ...entries, '4-SNAPSHOT': entryOf('4-SNAPSHOT', '.jar') })).toEqual(['1', '2', '4-SNAPSHOT']);
  });
});
