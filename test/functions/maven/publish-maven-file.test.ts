import { createHash } from 'node:crypto';
import { publishPackage } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { formOf } from '../../harness/uploads.ts';
import type { Named } from '../../harness/world.ts';
import { fileOf, MavenWorkspace, newArtifact, textsOf } from './repository.ts';

const service = useService();
let maven: MavenWorkspace;
let repository: Named;

beforeAll(async () => {
  maven = await MavenWorkspace.create(service);
  repository = await maven.local();
});

const hash = (algorithm: string, content: string): string => createHash(algorithm).update(content).digest('hex');

describe('PUT /maven/{workspace}/{repository}/{path+}', () => {
  itAnswers('201 for the files of a version, one by one, which the next read serves', async () => {
    const artifact = newArtifact();
    const answers = [
      await maven.put(repository, fileOf(artifact, '1.0'), 'the jar'),
      await maven.put(repository, fileOf(artifact, '1.0', '-sources.jar'), 'the sources'),
      await maven.put(repository, fileOf(artifact, '1.0', '.jar.asc'), 'the signature'),
    ];
    expect(answers[0]?.result).toEqual({
      package: artifact.replace('org/acme/', 'org.acme:'),
      file: fileOf(artifact, '1.0').split('/').at(-1),
      status: 'published',
    });
    const texts = await Promise.all(
      ['.jar', '-sources.jar', '.jar.asc'].map(
        async (ending) => (await maven.get(repository, fileOf(artifact, '1.0', ending))).text,
      ),
    );
    expect(texts).toEqual(['the jar', 'the sources', 'the signature']);
    return answers;
  });

  itAnswers('409 VERSION_EXISTS for a file of a release that is there', async () => {
    const path = fileOf(newArtifact(), '1.0');
    await maven.publish(repository, { [path]: 'first' });
    return [await maven.put(repository, path, 'first'), await maven.put(repository, path, 'second')];
  });

  itAnswers('409 VERSION_EXISTS for a timestamped file that is there', async () => {
    const artifact = newArtifact();
    const path = `${artifact}/1.0-SNAPSHOT/${artifact.split('/').at(-1)}-1.0-20240131.120000-1.jar`;
    await maven.publish(repository, { [path]: 'first' });
    return maven.put(repository, path, 'second');
  });

  itAnswers('201 for a SNAPSHOT without a timestamp, which replaces the one before', async () => {
    const path = fileOf(newArtifact(), '1.0-SNAPSHOT');
    const answers = [await maven.put(repository, path, 'first'), await maven.put(repository, path, 'second')];
    expect((await maven.get(repository, path)).text).toBe('second');
    return answers;
  });

  itAnswers(
    '400 PACKAGE_INVALID for a SNAPSHOT with a timestamp that is no date, or more than a day ahead',
    async () => {
      const artifact = newArtifact();
      const id = artifact.split('/').at(-1) ?? '';
      const fileAt = (timestamp: string): string => `${id}-1.0-${timestamp}-1.jar`;
      const stampIn = (hours: number): string =>
        new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '.');
      const wrong = ['20990101.000000', '20269999.000000', '20260230.120000', '20260101.240000', '00000000.000000'];
      const put = (timestamp: string) => maven.put(repository, `${artifact}/1.0-SNAPSHOT/${fileAt(timestamp)}`, 'x');
      const pom = `<project><groupId>org.acme</groupId><artifactId>${id}</artifactId><version>1.0-SNAPSHOT</version></project>`;
      const send = (timestamp: string) => {
        const bytes = formOf([
          { file: 'pom.xml', content: pom },
          { file: fileAt(timestamp), content: 'x' },
        ]);
        const params = { workspace: maven.workspace.id, repository: repository.id };
        return service.client.attempt(publishPackage, { params, bytes, as: maven.admin.bearer });
      };
      const answers = [];
      for (const timestamp of [...wrong, stampIn(25)]) answers.push(await put(timestamp), await send(timestamp));
      for (const { text } of answers) expect(text).toContain('must be a time in UTC');
      expect((await maven.get(repository, `${artifact}/1.0-SNAPSHOT/maven-metadata.xml`)).status).toBe(404);
      for (const timestamp of ['20240229.235959', stampIn(0), stampIn(23)])
        expect((await put(timestamp)).status).toBe(201);
      return answers;
    },
  );

  itAnswers('409 VERSION_EXISTS for a timestamped file beside one without a timestamp, in one form', async () => {
    const artifact = newArtifact();
    const id = artifact.split('/').at(-1) ?? '';
    const pom = `<project><groupId>org.acme</groupId><artifactId>${id}</artifactId><version>1.0-SNAPSHOT</version></project>`;
    const build = `${id}-1.0-20240131.120000-1.jar`;
    const send = (jar: string) => {
      const bytes = formOf([
        { file: 'pom.xml', content: pom },
        { file: build, content: jar },
      ]);
      const params = { workspace: maven.workspace.id, repository: repository.id };
      return service.client.attempt(publishPackage, { params, bytes, as: maven.admin.bearer });
    };
    expect((await send('first')).status).toBe(201);
    const answer = await send('second');
    expect((await maven.get(repository, `${artifact}/1.0-SNAPSHOT/${build}`)).text).toBe('first');
    return answer;
  });

  itAnswers('200 for the right checksums, which are not stored', async () => {
    const path = fileOf(newArtifact(), '1.0');
    await maven.publish(repository, { [path]: 'the jar' });
    const answers = await Promise.all(
      ['md5', 'sha1', 'sha256', 'sha512'].map((each) =>
        maven.put(repository, `${path}.${each}`, `${hash(each, 'the jar').toUpperCase()}  app.jar\n`),
      ),
    );
    expect(answers[0]?.result).toMatchObject({ status: 'compared' });
    return answers;
  });

  itAnswers('409 VERSION_EXISTS for a checksum of other bytes, with both checksums', async () => {
    const path = fileOf(newArtifact(), '1.0');
    await maven.publish(repository, { [path]: 'the jar' });
    const algorithms = ['md5', 'sha1', 'sha256', 'sha512'];
    const answers = await Promise.all(
      algorithms.map((each) => maven.put(repository, `${path}.${each}`, hash(each, 'another'))),
    );
    for (const [index, { text }] of answers.entries()) {
      const each = algorithms[index] ?? '';
      expect(text).toContain(`${each} ${hash(each, 'the jar')}, and not ${hash(each, 'another')}`);
    }
    return answers;
  });

  itAnswers('404 FILE_NOT_FOUND for the checksum of a file that is not there', async () =>
    maven.put(repository, `${fileOf(newArtifact(), '1.0')}.sha1`, hash('sha1', 'the jar')),
  );

  itAnswers('400 PACKAGE_INVALID for a checksum that is none', async () => [
    await maven.put(repository, `${fileOf(newArtifact(), '1.0')}.sha1`, 'nothing'),
    await maven.put(repository, `${fileOf(newArtifact(), '1.0')}.sha1`, hash('sha1', 'the jar').padEnd(65_537)),
  ]);

  itAnswers("200 for the client's own metadata and its checksum, which change nothing", async () => {
    const artifact = newArtifact();
    await maven.publish(repository, { [fileOf(artifact, '1.0')]: 'the jar' });
    const path = `${artifact}/maven-metadata.xml`;
    const before = (await maven.get(repository, path)).text;
    const answers = [
      await maven.put(
        repository,
        path,
        '<metadata><versioning><versions><version>9</version></versions></versioning></metadata>',
      ),
      await maven.put(repository, `${path}.sha1`, hash('sha1', 'anything')),
      await maven.put(repository, `${artifact}/1.0-SNAPSHOT/maven-metadata.xml`, 'anything'),
    ];
    expect(answers[0]?.result).toMatchObject({ status: 'ignored' });
    expect((await maven.get(repository, path)).text).toBe(before);
    expect(textsOf(before, 'version')).toEqual(['1.0']);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for a path that is none of a Maven repository', async () =>
    Promise.all(
      [
        'app.jar',
        'app/1.0/app.jar',
        'org.acme/app/1.0/app.jar',
        'org/acme/a%2fb/1.0/app.jar',
        'org//app/1.0/app.jar',
        'org/../app/1.0/app.jar',
        'org/acme/app/1%3a0/app.jar',
        'org/acme/app/1.0/app.jar.sha1.md5',
        'org/acme/app/1.0/',
      ].map((path) => maven.put(repository, path, 'x')),
    ),
  );

  itAnswers(
    '400 REPOSITORY_READ_ONLY for a remote repository, and a virtual one without an upload target',
    async () => {
      const remote = await createRemote(service, maven.workspace, { packageType: 'maven' });
      const virtual = await createVirtual(service, maven.workspace, [repository], { packageType: 'maven' });
      const artifact = newArtifact();
      return [
        await maven.put(remote, fileOf(artifact, '1.0'), 'x'),
        await maven.put(remote, `${artifact}/maven-metadata.xml`, 'x'),
        await maven.put(virtual, fileOf(artifact, '1.0'), 'x'),
      ];
    },
  );

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () =>
    maven.put(await service.world.repository(maven.workspace), fileOf(newArtifact(), '1.0'), 'x'),
  );
});
