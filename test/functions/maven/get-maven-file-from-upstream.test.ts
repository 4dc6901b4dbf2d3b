import { createHash } from 'node:crypto';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';
import { zipOf } from '../../harness/zips.ts';
import { recordedBytes, recordedNames } from './documents.ts';
import { fileOf, MavenWorkspace, newArtifact, textsOf } from './repository.ts';

const service = useService();
const upstream = useUpstream();
let maven: MavenWorkspace;

beforeAll(async () => {
  maven = await MavenWorkspace.create(service);
});

const remote = (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, maven.workspace, {
    packageType: 'maven',
    remoteRepositoryUrl: `${upstream.url}/maven2/`,
    ...fields,
  });

const virtual = (children: readonly Named[]) =>
  createVirtual(service, maven.workspace, children, { packageType: 'maven' });

const setNames = (repository: Named, upstreamNames: object) =>
  service.client.succeed(updateRepository, {
    params: { workspace: maven.workspace.id, repository: repository.id },
    body: { upstreamNames },
    as: maven.admin.bearer,
  });

const sha1 = (content: string | Uint8Array): string => createHash('sha1').update(content).digest('hex');

/** Lets the upstream serve files by their paths, each with an ETag; a checksum only where it is among them. */
const offer = (files: Readonly<Record<string, string | Uint8Array>>): void => {
  upstream.answer = (request, response) => {
    const content = files[(request.url ?? '').replace('/maven2/', '')];
    if (content === undefined) refusing(404)(request, response);
    else serving(content, { ETag: `"${sha1(content)}"` })(request, response);
  };
};

const asked = (): string[] => upstream.requests.map(({ url = '' }) => url.replace('/maven2/', ''));

const metadata = (...versions: string[]): string =>
  `<metadata><versioning><versions>${versions.map((version) => `<version>${version}</version>`).join('')}</versions></versioning></metadata>`;

describe('The date of a file of Maven', () => {
  it('is that of the upstream, also of a kept copy, and there is none if the upstream says none', async () => {
    const [path, other] = [fileOf(newArtifact(), '1.0', '.pom'), fileOf(newArtifact(), '1.0', '.pom')];
    const repository = await remote();
    const date = 'Wed, 05 Nov 2025 10:00:00 GMT';
    upstream.answer = ({ url = '' }, response) => {
      const headers = url.endsWith(path) ? { 'Last-Modified': date } : {};
      if (url.endsWith('.pom')) response.writeHead(200, headers).end('<project/>');
      else response.writeHead(404).end();
    };
    const dates = [];
    for (const each of [path, path, other]) dates.push((await maven.get(repository, each)).headers['last-modified']);
    expect(dates).toEqual([date, date, undefined]);
  });

  it('is that of its publication in a local repository', async () => {
    const path = fileOf(newArtifact(), '1.0');
    const repository = await maven.local();
    await maven.put(repository, path, 'the jar');
    const date = Date.parse(String((await maven.get(repository, path)).headers['last-modified']));
    expect(Math.abs(date - Date.now())).toBeLessThan(60_000);
  });
});

describe('GET /maven/{workspace}/{repository}/{path+} of a remote repository', () => {
  itAnswers('200 with a file that has the SHA-1 of the upstream, and keeps it', async () => {
    const path = fileOf(newArtifact(), '1.0');
    offer({ [path]: 'the jar', [`${path}.sha1`]: `${sha1('the jar')}  app.jar` });
    const repository = await remote();
    const answers = [await maven.get(repository, path), await maven.get(repository, path)];
    expect(answers.map(({ text, headers }) => [text, headers['x-stockroom-cache']])).toEqual([
      ['the jar', 'miss'],
      ['the jar', 'hit'],
    ]);
    expect((await maven.get(repository, `${path}.sha256`)).text).toBe(
      createHash('sha256').update('the jar').digest('hex'),
    );
    expect(asked().toSorted()).toEqual([path, `${path}.sha1`]);
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for a file with another SHA-1, which is not kept', async () => {
    const path = fileOf(newArtifact(), '1.0');
    offer({ [path]: 'the jar', [`${path}.sha1`]: sha1('another') });
    const repository = await remote();
    const answer = await maven.get(repository, path);
    offer({ [path]: 'PK the jar' });
    expect((await maven.get(repository, path)).text).toBe('PK the jar');
    return answer;
  });

  it('asks again for a file once its time is over, although its checksum is known', async () => {
    const path = fileOf(newArtifact(), '1.0');
    offer({ [path]: 'first', [`${path}.sha1`]: sha1('first') });
    const repository = await remote({ fileCacheTimeTillRevalidation: 1 });
    await maven.get(repository, path);
    offer({ [path]: 'second', [`${path}.sha1`]: sha1('second') });
    expect((await maven.get(repository, path)).text).toBe('second');
    upstream.answer = refusing(503);
    const { text, headers } = await maven.get(repository, path);
    expect([text, headers['x-stockroom-cache']]).toEqual(['second', 'stale']);
  });

  it('takes the lifetime of metadata for a SNAPSHOT that may be replaced', async () => {
    const path = fileOf(newArtifact(), '1.0-SNAPSHOT');
    const repository = await remote({ fileCacheTimeTillRevalidation: null, metadataCacheTimeTillRevalidation: 1 });
    offer({ [path]: 'PK first' });
    await maven.get(repository, path);
    offer({ [path]: 'PK second' });
    expect((await maven.get(repository, path)).text).toBe('PK second');
  });

  it('keeps an archive without a checksum that a script begins, as those that run themselves, and no text after one', async () => {
    const repository = await remote();
    const [script, end] = ['#!/bin/sh\nexec java -jar "$0" "$@"\n', zipOf([{ path: 'A.class' }], 'a comment')];
    const fillings = [Buffer.alloc(0), Buffer.alloc(200_000, 'x')];
    for (const filling of fillings) {
      const path = fileOf(newArtifact(), '1.0');
      const content = Buffer.concat([Buffer.from(script), filling, end]);
      offer({ [path]: content });
      expect((await maven.get(repository, path)).status).toBe(200);
      expect((await maven.get(repository, `${path}.sha1`)).text).toBe(sha1(content));
      const other = fileOf(newArtifact(), '1.0', '.war');
      offer({ [other]: Buffer.concat([content, Buffer.alloc(70_000, 'x')]) });
      expect((await maven.get(repository, other)).code).toBe('UPSTREAM_FAILED');
    }
  });

  it.each(recordedNames)('renders the metadata of %s without a loss, and answers their checksum', async (name) => {
    const path = `${newArtifact()}/${name === 'snapshot' ? '1.0-SNAPSHOT/' : ''}maven-metadata.xml`;
    const bytes = recordedBytes(name);
    offer({ [path]: bytes });
    const repository = await remote();
    const { text } = await maven.get(repository, path);
    const linesOf = (document: string): string[] => document.split('\n').flatMap((line) => line.trim() || []);
    expect(linesOf(text).toSorted()).toEqual(linesOf(bytes.toString()).toSorted());
    expect((await maven.get(repository, `${path}.sha1`)).text).toBe(sha1(text));
    expect(asked()).toEqual([path]);
  });

  it('passes on nothing that a browser could run: no other namespace, no instruction, no comment', async () => {
    const path = `${newArtifact()}/maven-metadata.xml`;
    const script = '<s:script xmlns:s="http://www.w3.org/1999/xhtml">alert(1)</s:script>';
    const other = '<script xmlns="http://www.w3.org/1999/xhtml" xlink:href="https://evil.example">alert(2)</script>';
    const document = metadata('1').replace('<metadata>', '<metadata modelVersion="1.1.0" xmlns:x="urn:x">');
    const children = ['<?xml-stylesheet href="evil.xsl"?>', document.replace('<versioning>', `${script}${other}$&`)];
    offer({ [path]: children.join('') });
    const alone = await remote();
    const second = await remote();
    for (const repository of [alone, await virtual([alone, second])]) {
      const { text, headers } = await maven.get(repository, path);
      expect(text).not.toMatch(/xmlns|xhtml|stylesheet|s:script|xlink|alert\(1\)/);
      expect(textsOf(text, 'version')).toEqual(['1']);
      expect(text).toContain('<metadata modelVersion="1.1.0">');
      expect(headers['content-disposition']).toBe('attachment');
    }
  });

  it('asks for metadata again once their time is over', async () => {
    const path = `${newArtifact()}/maven-metadata.xml`;
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    offer({ [path]: metadata('1') });
    await maven.get(repository, path);
    offer({ [path]: metadata('1', '2') });
    expect(textsOf((await maven.get(repository, path)).text, 'version')).toEqual(['1', '2']);
    upstream.answer = refusing(503);
    const { headers, status } = await maven.get(repository, path);
    expect([status, headers['x-stockroom-cache']]).toEqual([200, 'stale']);
  });

  itAnswers('404 FILE_NOT_FOUND for what the upstream does not have, and remembers it', async () => {
    const artifact = newArtifact();
    const repository = await remote();
    const paths = [fileOf(artifact, '1.0'), `${artifact}/maven-metadata.xml`];
    const answers = [];
    for (const path of [...paths, ...paths]) answers.push(await maven.get(repository, path));
    expect(asked().toSorted()).toEqual([...paths, `${paths[0]}.sha1`].toSorted());
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for metadata that are no XML', async () => {
    const path = `${newArtifact()}/maven-metadata.xml`;
    offer({ [path]: '<html>' });
    return maven.get(await remote(), path);
  });

  it('keeps nothing where caching is off, and passes checksums on', async () => {
    const artifact = newArtifact();
    const path = fileOf(artifact, '1.0');
    const repository = await remote({ isRemoteCacheEnabled: false });
    offer({
      [path]: 'the jar',
      [`${path}.sha1`]: sha1('the jar'),
      [`${artifact}/maven-metadata.xml`]: metadata('1.0'),
    });
    const texts = [];
    for (const each of [`${path}.sha1`, path, `${artifact}/maven-metadata.xml`])
      texts.push((await maven.get(repository, each)).text);
    const document = texts.pop() ?? '';
    expect([...texts, ...textsOf(document, 'version')]).toEqual([sha1('the jar'), 'the jar', '1.0']);
    offer({});
    expect((await maven.get(repository, path)).status).toBe(404);
  });
});

describe('GET /maven/{workspace}/{repository}/{path+} of a virtual repository', () => {
  it('merges what its children have, and finds a parent POM in another child', async () => {
    const artifact = newArtifact();
    const [first, second] = [await maven.local(), await maven.local()];
    await maven.publish(first, { [fileOf(artifact, '1.0')]: 'first' });
    await maven.publish(second, { [fileOf(artifact, '1.1', '.pom')]: 'parent', [fileOf(artifact, '1.0')]: 'second' });
    const both = await virtual([first, second]);
    const { text, headers } = await maven.get(both, `${artifact}/maven-metadata.xml`);
    expect([textsOf(text, 'version'), textsOf(text, 'release'), headers['x-stockroom-origin']]).toEqual([
      ['1.0', '1.1'],
      ['1.1'],
      `${first.name},${second.name}`,
    ]);
    expect((await maven.get(both, fileOf(artifact, '1.0'))).text).toBe('first');
    expect((await maven.get(both, fileOf(artifact, '1.1', '.pom'))).text).toBe('parent');
  });

  it('never asks an upstream for an artifact that a local child holds, unless it is allowed', async () => {
    const artifact = newArtifact();
    const [ours, theirs] = [await maven.local(), await remote()];
    const both = await virtual([theirs, ours]);
    await maven.publish(ours, { [fileOf(artifact, '1.0')]: 'ours' });
    offer({ [`${artifact}/maven-metadata.xml`]: metadata('1.0', '9.0'), [fileOf(artifact, '9.0')]: 'theirs' });
    expect(textsOf((await maven.get(both, `${artifact}/maven-metadata.xml`)).text, 'version')).toEqual(['1.0']);
    expect((await maven.get(both, fileOf(artifact, '9.0'))).status).toBe(404);
    expect(asked()).toEqual([]);
    await setNames(both, { allow: ['org.acme:*'] });
    expect(textsOf((await maven.get(both, `${artifact}/maven-metadata.xml`)).text, 'release')).toEqual(['9.0']);
  });

  it('unites the plugins of a group, but takes none of an upstream under a name that is held locally', async () => {
    const folder = newArtifact();
    const [ours, theirs] = [await maven.local(), await remote()];
    const both = await virtual([ours, theirs]);
    const pom =
      '<project><groupId>g</groupId><artifactId>maven-own-plugin</artifactId><version>1</version><packaging>maven-plugin</packaging></project>';
    await maven.publish(ours, { [fileOf(`${folder}/maven-own-plugin`, '1', '.pom')]: pom });
    const plugin = (prefix: string, id: string): string =>
      `<plugin><prefix>${prefix}</prefix><artifactId>${id}</artifactId></plugin>`;
    const path = `${folder}/maven-metadata.xml`;
    const plugins = [
      plugin('own', 'evil'),
      plugin('deploy', 'maven-own-plugin'),
      plugin('other', 'maven-other-plugin'),
    ];
    offer({ [path]: `<metadata><plugins>${plugins.join('')}</plugins></metadata>` });
    const { text } = await maven.get(both, path);
    expect([textsOf(text, 'prefix'), textsOf(text, 'artifactId')]).toEqual([
      ['own', 'other'],
      ['maven-own-plugin', 'maven-other-plugin'],
    ]);
    upstream.answer = refusing(503);
    const other = await virtual([ours, await remote()]);
    const { status, headers } = await maven.get(other, path);
    expect([status, headers.warning]).toEqual([200, expect.stringMatching(/^199 - /)]);
  });

  it('takes a plugin of an upstream under a name that is held locally, if the name is allowed', async () => {
    const folder = newArtifact();
    const ours = await maven.local();
    const both = await virtual([ours, await remote()]);
    const pom = (id: string): string =>
      `<project><groupId>g</groupId><artifactId>${id}</artifactId><version>1</version></project>`;
    for (const id of ['one-maven-plugin', 'two-maven-plugin'])
      await maven.publish(ours, { [fileOf(`${folder}/${id}`, '1', '.pom')]: pom(id) });
    const path = `${folder}/maven-metadata.xml`;
    const plugin = (id: string): string => `<plugin><prefix>${id}</prefix><artifactId>${id}</artifactId></plugin>`;
    const plugins = ['one-maven-plugin', 'two-maven-plugin', 'other-maven-plugin'].map(plugin).join('');
    offer({ [path]: `<metadata><plugins>${plugins}</plugins></metadata>` });
    const shown = async () => textsOf((await maven.get(both, path)).text, 'artifactId');
    expect(await shown()).toEqual(['other-maven-plugin']);
    await setNames(both, { allow: [`${folder.replaceAll('/', '.')}:two-maven-plugin`] });
    expect(await shown()).toEqual(['two-maven-plugin', 'other-maven-plugin']);
  });

  it.each(['each group below its own', 'the group of its name'])(
    'has the versions of an artifact where only %s is blocked, and none of their plugins',
    async (what) => {
      const blocking = await virtual([await remote()]);
      const artifact = newArtifact();
      const group = artifact.replaceAll('/', '.');
      await setNames(blocking, { block: [what === 'the group of its name' ? `${group}:*` : 'org.acme.*'] });
      const path = `${artifact}/maven-metadata.xml`;
      const plugin = '<plugins><plugin><prefix>x</prefix><artifactId>x-maven-plugin</artifactId></plugin></plugins>';
      offer({ [path]: metadata('1.0', '1.1').replace('<metadata>', `$&${plugin}`) });
      const { status, text } = await maven.get(blocking, path);
      expect([status, textsOf(text, 'version'), textsOf(text, 'artifactId')]).toEqual([200, ['1.0', '1.1'], []]);
      await setNames(blocking, { block: [artifact.replaceAll('/', '.').replace(/\.([^.]*)$/, ':$1')] });
      expect((await maven.get(blocking, path)).status).toBe(404);
      expect(asked()).toEqual([path]);
    },
  );

  it('asks no upstream for a group that is blocked', async () => {
    const blocking = await virtual([await remote()]);
    await setNames(blocking, { block: ['org.acme*'] });
    const artifact = newArtifact();
    const statuses = [];
    for (const path of [fileOf(artifact, '1'), `${artifact}/maven-metadata.xml`, 'org/acme/maven-metadata.xml'])
      statuses.push((await maven.get(blocking, path)).status);
    expect([statuses, asked()]).toEqual([[404, 404, 404], []]);
  });
});
