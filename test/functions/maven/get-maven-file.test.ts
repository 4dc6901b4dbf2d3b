import { createHash, randomBytes } from 'node:crypto';
import { deletePackageVersion, publishPackage } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { formOf } from '../../harness/uploads.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { zipOf } from '../../harness/zips.ts';
import { fileOf, MavenWorkspace, newArtifact, textsOf } from './repository.ts';

const service = useService();
let maven: MavenWorkspace;
let repository: Named;

beforeAll(async () => {
  maven = await MavenWorkspace.create(service);
  repository = await maven.local();
});

const hash = (algorithm: string, content: string): string => createHash(algorithm).update(content).digest('hex');

const metadataOf = async (folder: string, at = repository): Promise<string> => {
  const { status, text } = await maven.get(at, `${folder}/maven-metadata.xml`);
  return status === 200 ? text : `${status}`;
};

describe('GET /maven/{workspace}/{repository}/{path+}', () => {
  itAnswers('304 before any redirect, for a large file that the client has already', async () => {
    const path = fileOf(newArtifact(), '1.0');
    await maven.publish(repository, { [path]: randomBytes(300_000) });
    const { status, headers: first } = await maven.get(repository, path);
    expect(status).toBe(302);
    const headers = { 'If-None-Match': String(first.etag) };
    const answers = [
      await maven.get(repository, path, { headers }),
      await maven.get(repository, path, { method: 'HEAD', headers }),
    ];
    expect(answers.map((each) => each.headers.location)).toEqual([undefined, undefined]);
    expect((await maven.get(repository, path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(302);
    return answers;
  });

  itAnswers('200 with the metadata of an artifact, which follow from its versions', async () => {
    const artifact = newArtifact();
    for (const version of ['1.10', '1.9', '2.0-SNAPSHOT'])
      await maven.publish(repository, { [fileOf(artifact, version)]: 'x' });
    const answer = await maven.get(repository, `${artifact}/maven-metadata.xml`);
    const valuesOf = (name: string) => textsOf(answer.text, name);
    expect([
      valuesOf('groupId'),
      valuesOf('artifactId'),
      valuesOf('version'),
      valuesOf('latest'),
      valuesOf('release'),
    ]).toEqual([
      ['org.acme'],
      [artifact.split('/').at(-1)],
      ['1.9', '1.10', '2.0-SNAPSHOT'],
      ['2.0-SNAPSHOT'],
      ['1.10'],
    ]);
    expect(valuesOf('lastUpdated')).toEqual([expect.stringMatching(/^20\d{12}$/)]);
    expect(answer.headers['content-type']).toBe('application/xml');
    return answer;
  });

  it('has a release in the metadata of its artifact once its POM is there, whatever came before', async () => {
    const artifact = newArtifact();
    const listed = async () => {
      const text = await metadataOf(artifact);
      return [textsOf(text, 'version'), textsOf(text, 'latest'), textsOf(text, 'release')];
    };
    await maven.publish(repository, { [fileOf(artifact, '1.0')]: 'x', [fileOf(artifact, '1.0', '.pom')]: 'x' });
    const first = [['1.0'], ['1.0'], ['1.0']];
    expect(await listed()).toEqual(first);
    const jar = fileOf(artifact, '1.1');
    await maven.publish(repository, { [jar]: 'x', [fileOf(artifact, '1.1', '-sources.jar')]: 'x' });
    await maven.publish(repository, { [fileOf(artifact, '1.1', '-test.pom')]: 'x' });
    expect(await listed()).toEqual(first);
    expect((await maven.get(repository, jar)).status).toBe(200);
    await maven.publish(repository, { [fileOf(artifact, '1.1', '.pom')]: 'x' });
    expect(await listed()).toEqual([['1.0', '1.1'], ['1.1'], ['1.1']]);
    await maven.publish(repository, { [fileOf(artifact, '1.2', '.pom')]: 'x', [fileOf(artifact, '1.2')]: 'x' });
    await maven.publish(repository, { [fileOf(artifact, '2.0-SNAPSHOT')]: 'x' });
    expect(await listed()).toEqual([['1.0', '1.1', '1.2', '2.0-SNAPSHOT'], ['2.0-SNAPSHOT'], ['1.2']]);
  });

  itAnswers('200 with the metadata of a SNAPSHOT, which follow from its files', async () => {
    const artifact = newArtifact();
    const id = artifact.split('/').at(-1);
    const files = [
      '20240131.120000-1.jar',
      '20240131.120000-1.pom',
      '20240201.120000-2.jar',
      '20240131.120000-1-sources.jar',
    ];
    await maven.publish(
      repository,
      Object.fromEntries(files.map((file) => [`${artifact}/1.0-SNAPSHOT/${id}-1.0-${file}`, file])),
    );
    const answer = await maven.get(repository, `${artifact}/1.0-SNAPSHOT/maven-metadata.xml`);
    expect(textsOf(answer.text, 'buildNumber')).toEqual(['2']);
    expect(textsOf(answer.text, 'value').toSorted()).toEqual([
      '1.0-20240131.120000-1',
      '1.0-20240131.120000-1',
      '1.0-20240201.120000-2',
    ]);
    expect(textsOf(answer.text, 'version')).toEqual(['1.0-SNAPSHOT']);
    return answer;
  });

  it('loses no file of a SNAPSHOT whose files arrive at the same time', async () => {
    const artifact = newArtifact();
    const id = artifact.split('/').at(-1);
    const classifiers = Array.from({ length: 8 }, (_, index) => `c${index}`);
    const answers = await Promise.all(
      classifiers.map((each) =>
        maven.put(repository, `${artifact}/1.0-SNAPSHOT/${id}-1.0-20240131.120000-1-${each}.jar`, each),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(classifiers.map(() => 201));
    expect(textsOf(await metadataOf(`${artifact}/1.0-SNAPSHOT`), 'classifier').toSorted()).toEqual(classifiers);
  });

  itAnswers('200 with the checksums of a file, and of metadata', async () => {
    const artifact = newArtifact();
    const path = fileOf(artifact, '1.0');
    await maven.publish(repository, { [path]: 'the jar' });
    const algorithms = ['md5', 'sha1', 'sha256', 'sha512'];
    const answers = await Promise.all(algorithms.map((each) => maven.get(repository, `${path}.${each}`)));
    expect(answers.map(({ text }) => text)).toEqual(algorithms.map((each) => hash(each, 'the jar')));
    const metadata = await metadataOf(artifact);
    const ofMetadata = await maven.get(repository, `${artifact}/maven-metadata.xml.sha1`);
    expect(ofMetadata.text).toBe(hash('sha1', metadata));
    return [...answers, ofMetadata];
  });

  itAnswers('304 for metadata that the client has already, until a version comes', async () => {
    const artifact = newArtifact();
    await maven.publish(repository, { [fileOf(artifact, '1.0')]: 'x' });
    const path = `${artifact}/maven-metadata.xml`;
    const { headers } = await maven.get(repository, path);
    const known = { headers: { 'If-None-Match': headers.etag ?? '' } };
    const answer = await maven.get(repository, path, known);
    await maven.publish(repository, { [fileOf(artifact, '1.1')]: 'x' });
    expect((await maven.get(repository, path, known)).status).toBe(200);
    return answer;
  });

  it('lists the plugins of a group by the prefix that the jar declares, or that follows from the name', async () => {
    const folder = `org/${uniqueName('group')}`;
    const pom = (artifactId: string, packaging: string): string =>
      `<project><modelVersion>4.0.0</modelVersion><parent><groupId>${folder.replace('/', '.')}</groupId><version>1</version></parent><artifactId>${artifactId}</artifactId><packaging>${packaging}</packaging></project>`;
    const descriptor = '<plugin><goalPrefix>declared</goalPrefix></plugin>';
    const jar = zipOf([
      { path: 'A.class', content: 'x' },
      { path: 'META-INF/maven/plugin.xml', content: descriptor },
    ]);
    await maven.publish(repository, {
      [fileOf(`${folder}/maven-one-plugin`, '1', '.pom')]: pom('maven-one-plugin', 'maven-plugin'),
      [fileOf(`${folder}/two-maven-plugin`, '1', '.jar')]: jar,
      [fileOf(`${folder}/two-maven-plugin`, '1', '.pom')]: pom('two-maven-plugin', 'maven-plugin'),
      [fileOf(`${folder}/library`, '1', '.pom')]: pom('library', 'jar'),
      [fileOf(`${folder}/maven-broken-plugin`, '1', '.pom')]: '<project>',
      [fileOf(`${folder}/maven-broken-plugin`, '1', '.jar')]: 'no zip',
    });
    const document = await metadataOf(folder);
    expect(textsOf(document, 'prefix')).toEqual(['one', 'declared']);
    expect(textsOf(document, 'artifactId')).toEqual(['maven-one-plugin', 'two-maven-plugin']);
    const params = { workspace: maven.workspace.id, repository: repository.id };
    const name = `${folder.replace('/', '.')}:two-maven-plugin`;
    await service.client.succeed(deletePackageVersion, {
      params: { ...params, package: name, version: '1' },
      as: maven.admin.bearer,
    });
    expect(textsOf(await metadataOf(folder), 'prefix')).toEqual(['one']);
    expect(await metadataOf(`${folder}/two-maven-plugin`)).toBe('404');
  });

  it('serves what a form publishes: a jar under the names of its own POM', async () => {
    const id = uniqueName('app');
    const pom = `<project><groupId>org.acme</groupId><artifactId>${id}</artifactId><version>1.0</version></project>`;
    const jar = zipOf([{ path: `META-INF/maven/org.acme/${id}/pom.xml`, content: pom }]);
    const bytes = formOf([{ file: `${id}-1.0.jar`, content: jar }]);
    const params = { workspace: maven.workspace.id, repository: repository.id };
    const answer = await service.client.attempt(publishPackage, { params, bytes, as: maven.admin.bearer });
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining(`org.acme%3A${id}/versions/1.0`)]);
    const path = fileOf(`org/acme/${id}`, '1.0', '.pom');
    const texts = [await maven.get(repository, path), await maven.get(repository, `${path}.sha1`)].map(
      ({ text }) => text,
    );
    expect(texts).toEqual([pom, hash('sha1', pom)]);
    expect(textsOf(await metadataOf(`org/acme/${id}`), 'release')).toEqual(['1.0']);
  });

  it('answers HEAD with the length', async () => {
    const path = fileOf(newArtifact(), '1.0');
    await maven.publish(repository, { [path]: 'the jar' });
    const { status, headers } = await maven.get(repository, path, { method: 'HEAD' });
    expect([status, headers['content-length']]).toEqual([200, '7']);
  });

  itAnswers('404 FILE_NOT_FOUND for what is not there, and for paths that mean nothing', async () => {
    const artifact = newArtifact();
    await maven.publish(repository, { [fileOf(artifact, '1.0')]: 'x' });
    return Promise.all(
      [
        fileOf(artifact, '1.1'),
        `${fileOf(artifact, '1.1')}.sha1`,
        `${newArtifact()}/maven-metadata.xml`,
        `${newArtifact()}/maven-metadata.xml.sha1`,
        `${artifact}/1.1-SNAPSHOT/maven-metadata.xml`,
        'archetype-catalog.xml',
        '.meta/prefixes.txt',
        `${artifact}/`,
      ].map((path) => maven.get(repository, path)),
    );
  });
});
