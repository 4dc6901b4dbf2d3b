import { mavenFormat } from '../../../functions/maven/format.ts';
import { pomsIn } from '../../../functions/maven/jar.ts';
import { impliedPrefix } from '../../../functions/maven/plugins.ts';
import { readPom } from '../../../functions/maven/pom.ts';
import { fileInMemory } from '../../../shared/store/received-file.ts';
import { zipOf } from '../../harness/zips.ts';

const pomOf = (fields = '<groupId>org.acme</groupId><artifactId>app</artifactId><version>1.0</version>'): string =>
  `<project xmlns="http://maven.apache.org/POM/4.0.0">${fields}</project>`;
const jarOf = (...poms: string[]): Buffer =>
  zipOf(poms.map((content, index) => ({ path: `META-INF/maven/org.acme/app${index}/pom.xml`, content })));

type Sent = Readonly<Record<string, string | Uint8Array>>;

const read = async (sent: Sent) => {
  const files = Object.entries(sent).map(([name, content]) => ({ name, received: fileInMemory(Buffer.from(content)) }));
  mavenFormat.check({ files: files.map(({ name, received: { size } }) => ({ name, size })) });
  return mavenFormat.read({ files: [] }, files);
};

describe('a form of a Maven repository', () => {
  it.each<[string, Sent]>([
    ['the POM beside the jar', { 'app-1.0.jar': 'x', 'pom.xml': pomOf(), 'app-1.0-sources.jar': 'y' }],
    ['the POM under its own name', { 'app-1.0.jar': 'x', 'app-1.0.pom': pomOf(), 'app-1.0-sources.jar': 'y' }],
    ['the POM in the jar', { 'app-1.0.jar': jarOf(pomOf()), 'app-1.0-sources.jar': jarOf() }],
  ])('makes a version of %s', async (_, sent) => {
    const { name, version, files } = await read(sent);
    expect([name, version]).toEqual(['org.acme:app', '1.0']);
    expect(files.map((file) => file.name).toSorted()).toEqual(['app-1.0-sources.jar', 'app-1.0.jar', 'app-1.0.pom']);
  });

  it('has the prefix of a plugin', async () => {
    const fields = '<artifactId>maven-acme-plugin</artifactId><packaging>maven-plugin</packaging>';
    const pom = pomOf(`<parent><groupId>org.acme</groupId><version>2</version></parent>${fields}`);
    const { name, version, alsoListed } = await read({ 'pom.xml': pom });
    expect([name, version]).toEqual(['org.acme:maven-acme-plugin', '2']);
    expect(alsoListed).toMatchObject([{ index: 'plugins:org.acme', parts: ['', 'acme'] }]);
  });

  it.each<[string, Sent, RegExp]>([
    ['no POM', { 'app-1.0.jar': jarOf() }, /need a POM/],
    ['two POMs', { 'a.pom': pomOf(), 'b.pom': pomOf() }, /more than one POM/],
    [
      'a jar of two modules',
      { 'app-1.0.jar': jarOf(pomOf(), pomOf('<artifactId>b</artifactId>')) },
      /must have only one/,
    ],
    ['a jar that is none', { 'app-1.0.jar': 'x' }, /is not a zip archive/],
    ['a POM that is none', { 'pom.xml': '<a/>' }, /element project/],
    ['a POM with a document type', { 'pom.xml': `<!DOCTYPE x>${pomOf()}` }, /without a document type/],
    [
      'a POM without a version',
      { 'pom.xml': pomOf('<groupId>g</groupId><artifactId>a</artifactId>') },
      /must have a groupId/,
    ],
    [
      'a group with an empty segment',
      { 'pom.xml': pomOf('<groupId>a..b</groupId><artifactId>a</artifactId><version>1</version>') },
      /groupId/,
    ],
    [
      'a POM with properties',
      { 'pom.xml': pomOf('<groupId>g</groupId><artifactId>a</artifactId><version>$\u007brevision}</version>') },
      /\$\{revision\}/,
    ],
    ['a file of another name', { 'pom.xml': pomOf(), 'other.jar': 'x' }, /begin with app-1\.0/],
    ['a checksum', { 'pom.xml': pomOf(), 'app-1.0.jar.sha1': 'x' }, /Leave out/],
  ])('is refused with %s', async (_, sent, sentence) => {
    await expect((async () => read(sent))()).rejects.toThrow(sentence);
  });

  it('needs no name and no version', () => {
    expect(() => mavenFormat.check({ packageName: 'x', packageVersion: '1', files: [] })).toThrow(
      /Leave out packageName/,
    );
  });
});

describe('a POM', () => {
  it('inherits its group and its version', () => {
    expect(
      readPom(
        Buffer.from(
          pomOf(
            '<parent><groupId>g</groupId><artifactId>p</artifactId><version>1</version></parent><artifactId>a</artifactId>',
          ),
        ),
      ),
    ).toEqual({
      name: 'g:a',
      artifactId: 'a',
      version: '1',
      packaging: 'jar',
    });
  });
});

describe('a jar', () => {
  it('that breaks off in the store is not taken for a damaged one', async () => {
    const failing = { size: 1_000, read: async () => Promise.reject(new Error('The store is gone.')) };
    await expect(pomsIn(failing)).rejects.toThrow('The store is gone.');
  });

  it('with too large a POM is refused', async () => {
    const jar = zipOf([{ path: 'META-INF/maven/g/a/pom.xml', content: Buffer.alloc(4 * 1024 * 1024 + 1) }]);
    await expect(pomsIn(fileInMemory(jar))).rejects.toThrow(/more than 4194304 bytes/);
  });

  it('whose directory lies about a size is refused', async () => {
    const jar = zipOf([{ path: 'META-INF/maven/g/a/pom.xml', content: pomOf(), saidSize: 1 }]);
    await expect(pomsIn(fileInMemory(jar))).rejects.toThrow(/damaged/);
  });
});

describe('the prefix of a plugin', () => {
  it.each([
    ['maven-deploy-plugin', 'deploy'],
    ['versions-maven-plugin', 'versions'],
    ['maven-plugin-plugin', 'plugin'],
    ['exec', 'exec'],
  ])('of %s is %s', (artifactId, prefix) => {
    expect(impliedPrefix(artifactId)).toBe(prefix);
  });
});
