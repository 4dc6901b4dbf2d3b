import { randomBytes } from 'node:crypto';
import { getNpmDocument, publishNpmPackage, updateDistTag } from '../../../functions/npm/contracts.ts';
import { deletePackageVersion } from '../../../functions/packages/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { fetchChecked } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { contentIn, errorOf, type NpmRequest, publishBody, tarballOf, useNpmRepository } from '../../harness/npm.ts';
import { publishVersions } from '../../harness/packages.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);
const abbreviated = 'application/vnd.npm.install-v1+json';

const get = async (path: string, request?: NpmRequest) => npm.send(getNpmDocument, path, request);

/** The tarball of a package whose version is 1.0.0, of the size of its content. */
const tarballWith = (name: string, content = `the tarball of ${name} 1.0.0`): Buffer =>
  tarballOf({ name, version: '1.0.0' }, content);

/** Publishes a tarball of a version with this content. */
const publishTarball = async (name: string, tarball: Buffer) => {
  const answer = await npm.send(publishNpmPackage, name, { body: publishBody(name, '1.0.0', {}, tarball) });
  if (answer.status !== 201) throw new Error(answer.text);
};

describe('GET /npm/{workspace}/{repository}/{name}', () => {
  itAnswers('200 with the packument, its tarballs at the address that was asked', async () => {
    const name = await npm.publish({ description: 'Pads', scripts: { test: 'node --test' } });
    const answer = await get(name);
    const packument = JSON.parse(answer.text) as Record<string, unknown>;
    expect(packument).toMatchObject({
      _id: name,
      name,
      description: 'Pads',
      'dist-tags': { latest: '1.0.0' },
      time: { created: expect.any(String) as string, '1.0.0': expect.any(String) as string },
      versions: {
        '1.0.0': { scripts: { test: 'node --test' }, dist: { tarball: npm.urlOf(`${name}/-/${name}-1.0.0.tgz`) } },
      },
    });
    const { headers } = answer;
    expect({ type: headers['content-type'], origin: headers['x-stockroom-origin'], vary: headers.vary }).toEqual({
      type: 'application/json',
      origin: npm.setting.repository.name,
      vary: 'Accept, Accept-Encoding',
    });
    return answer;
  });

  itAnswers('200 with what an installation needs, for a client that asks for that', async () => {
    const name = await npm.publish({ description: 'Pads', dependencies: { other: '^1.0.0' } });
    const answer = await get(name, { headers: { Accept: `${abbreviated}; q=1.0, application/json; q=0.8, */*` } });
    expect(answer.headers['content-type']).toBe(abbreviated);
    const { versions, ...head } = JSON.parse(answer.text) as Awaited<ReturnType<typeof npm.document>>;
    expect(Object.keys(head).toSorted()).toEqual(['dist-tags', 'modified', 'name']);
    expect(versions['1.0.0']).toMatchObject({
      dependencies: { other: '^1.0.0' },
      dist: { tarball: npm.urlOf(`${name}/-/${name}-1.0.0.tgz`) },
    });
    expect(versions['1.0.0']).not.toHaveProperty('description');
    return answer;
  });

  it.each([
    [abbreviated.toUpperCase(), abbreviated],
    [`${abbreviated};q=0.5, application/json;q=0.5`, abbreviated],
    [`*/*, ${abbreviated}`, abbreviated],
    [`${abbreviated};q=0, application/json`, 'application/json'],
    [`${abbreviated};q=0`, 'application/json'],
    [`${abbreviated};q=0.1, application/json;q=1`, 'application/json'],
    [`${abbreviated};q=0.1, */*`, 'application/json'],
    [`${abbreviated};q=0.1, application/*, */*;q=0.01`, 'application/json'],
    [`${abbreviated}-next`, 'application/json'],
  ])('for Accept: %s is %s', async (accept, type) => {
    const { headers } = await get(await npm.publish(), { headers: { Accept: accept } });
    expect(headers['content-type']).toBe(type);
  });

  itAnswers('200 for every spelling of a scoped name', async () => {
    const unscoped = uniqueName('package');
    await npm.publish({ name: `@acme/${unscoped}` });
    const answers = await Promise.all(
      ['@acme/', '@acme%2f', '@acme%2F', '%40acme%2F'].map((scope) => get(scope + unscoped)),
    );
    for (const { text } of answers) expect(text).toBe(answers[0]?.text);
    return answers;
  });

  itAnswers('304 for who has it already, until something changes', async () => {
    const name = await npm.publish();
    const [full, short] = [await get(name), await get(name, { headers: { Accept: abbreviated } })];
    expect(full.headers.etag).not.toBe(short.headers.etag);
    const known = { 'If-None-Match': String(full.headers.etag) };
    const answer = await get(name, { headers: known });
    expect(answer).toMatchObject({ text: '', headers: { etag: full.headers.etag } });
    expect((await get(name, { headers: { ...known, Accept: abbreviated } })).status).toBe(200);
    await npm.publish({ name, version: '2.0.0' });
    const changed = await get(name, { headers: known });
    expect(changed.status).toBe(200);
    expect(changed.text).toContain('2.0.0');
    return answer;
  });

  it('is compressed for who takes it so, under an ETag of its own', async () => {
    const name = await npm.publish();
    const plain = await get(name);
    const answer = await fetchChecked(getNpmDocument, npm.urlOf(name), {
      Authorization: npm.setting.admin.bearer,
      'Accept-Encoding': 'gzip',
    });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await answer.text()).toBe(plain.text);
    expect(answer.headers.get('etag')).not.toBe(plain.headers.etag);
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  itAnswers('200 with no more than npm sends back, for who says that it will write', async () => {
    const name = await npm.publish({ description: 'Pads', scripts: { test: 'node --test' } });
    const answer = await get(`${name}?write=true`, { headers: { Accept: abbreviated } });
    expect(JSON.parse(answer.text)).toEqual({
      _id: name,
      _rev: expect.any(String) as string,
      _readTags: { latest: '1.0.0' },
      name,
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { name, version: '1.0.0', dist: { tarball: npm.urlOf(`${name}/-/${name}-1.0.0.tgz`) } } },
    });
    expect(answer.headers['content-type']).toBe('application/json');
    return answer;
  });

  itAnswers(
    '200 through a virtual repository: all versions of its children, of the same one that of the first',
    async () => {
      const { workspace, repository: second } = npm.setting;
      const first = await service.world.repository(workspace);
      const name = await npm.publish({ description: 'of the second' });
      await npm.publish({ name, version: '2.0.0', description: 'of the second' });
      await npm.publish({ name, description: 'of the first' }, first);
      const virtual = await createVirtual(service, workspace, [first, second]);
      const answer = await get(name, { repository: virtual });
      expect(JSON.parse(answer.text)).toMatchObject({
        'dist-tags': { latest: '1.0.0' },
        versions: {
          '1.0.0': {
            description: 'of the first',
            dist: { tarball: npm.urlOf(`${name}/-/${name}-1.0.0.tgz`, virtual) },
          },
          '2.0.0': { description: 'of the second' },
        },
      });
      expect(answer.headers['x-stockroom-origin']).toBe(`${first.name},${second.name}`);
      return answer;
    },
  );

  it('shows the readme and the description of the first child of a virtual repository', async () => {
    const { workspace, repository: second } = npm.setting;
    const first = await service.world.repository(workspace);
    const name = uniqueName('package');
    for (const [repository, text] of [[first, 'of the first'] as const, [second, 'of the second'] as const]) {
      const body = { ...publishBody(name, '1.0.0', { description: text }), readme: text };
      await npm.send(publishNpmPackage, name, { body, repository });
    }
    for (const children of [
      [first, second],
      [second, first],
    ]) {
      const virtual = await createVirtual(service, workspace, children);
      const { readme, description } = await npm.document(name, { repository: virtual });
      const promised = children[0] === first ? 'of the first' : 'of the second';
      expect([readme, description]).toEqual([promised, promised]);
    }
  });

  itAnswers('200 by the IDs of workspace and repository, which the addresses of the tarballs repeat', async () => {
    const { workspace, repository, admin } = npm.setting;
    const name = await npm.publish();
    const base = `/npm/${workspace.id}/${repository.id}/${name}`;
    const answer = await service.client.sendTo(getNpmDocument, {
      path: base,
      headers: [['Authorization', admin.bearer]],
    });
    expect(answer.text).toContain(`"tarball":"${service.runner.url}${base}/-/${name}-1.0.0.tgz"`);
    return answer;
  });

  it('shows every version of an index that was compacted', async () => {
    const name = uniqueName('package');
    await publishVersions(npm.setting.workspace, npm.setting.repository, name, 80);
    expect(Object.keys((await npm.document(name)).versions)).toHaveLength(80);
  }, 60_000);

  itAnswers('404 PACKAGE_NOT_FOUND for an unknown package; npm prints which one', async () => {
    const name = uniqueName('unknown');
    const answer = await get(name);
    expect(errorOf(answer)).toBe(`There is no package '${name}' in this repository.`);
    return answer;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    return get(uniqueName(), { repository });
  });
});

describe('GET /npm/{workspace}/{repository}/{name}/{version}', () => {
  itAnswers('200 with one manifest, by version and by tag', async () => {
    const name = await npm.publish({ name: `@acme/${uniqueName()}` });
    await npm.publish({ name, version: '2.0.0' });
    const answers = await Promise.all(['1.0.0', 'latest', '2.0.0'].map((part) => get(`${name}/${part}`)));
    expect(answers.map(({ text }) => (JSON.parse(text) as { version: string }).version)).toEqual([
      '1.0.0',
      '2.0.0',
      '2.0.0',
    ]);
    const file = `${name.slice('@acme/'.length)}-1.0.0.tgz`;
    expect(JSON.parse(answers[0]?.text ?? '')).toMatchObject({ dist: { tarball: npm.urlOf(`${name}/-/${file}`) } });
    return answers;
  });

  it('takes latest from its tag, and without the tag the highest release, whatever was published last', async () => {
    const name = await npm.publish();
    for (const version of ['2.0.0', '3.0.0-beta.1', '1.0.1']) await npm.publish({ name, version });
    const latest = async () => {
      const [document, manifest] = [await npm.document(name), await get(`${name}/latest`)];
      return [document['dist-tags'].latest, (JSON.parse(manifest.text) as { version: string }).version];
    };
    await npm.send(updateDistTag, `-/package/${name}/dist-tags/latest`, { body: '"1.0.0"' });
    expect(await latest()).toEqual(['1.0.0', '1.0.0']);
    const { workspace, repository, admin } = npm.setting;
    const params = { workspace: workspace.id, repository: repository.id, package: name, version: '1.0.0' };
    await service.client.succeed(deletePackageVersion, { params, as: admin.bearer });
    expect(await latest()).toEqual(['2.0.0', '2.0.0']);
  });

  itAnswers('404 VERSION_NOT_FOUND for a version and a tag that are not there', async () => {
    const name = await npm.publish();
    return [await get(`${name}/1.0.1`), await get(`${name}/beta`), await get(`${name}/constructor`)];
  });
});

describe('GET /npm/{workspace}/{repository}/{name}/-/{file}', () => {
  itAnswers(
    '200 with the tarball as bytes whatever its publisher called it, also under the form that lock files of other registries hold',
    async () => {
      const unscoped = uniqueName();
      const name = `@acme/${unscoped}`;
      const body = JSON.stringify(publishBody(name)).replace('application/octet-stream', 'text/html');
      await npm.send(publishNpmPackage, name, { body });
      const file = `${unscoped}-1.0.0.tgz`;
      const paths = [`${name}/-/${file}`, `@acme%2f${unscoped}/-/${file}`, `${name}/-/@acme/${file}`];
      const answers = await Promise.all(paths.map((path) => get(path)));
      for (const { text, headers } of answers)
        expect({ text: contentIn(text), type: headers['content-type'] }).toEqual({
          text: `the tarball of ${name} 1.0.0`,
          type: 'application/octet-stream',
        });
      return answers;
    },
  );

  it('answers HEAD, conditions and ranges', async () => {
    const name = await npm.publish();
    const path = `${name}/-/${name}-1.0.0.tgz`;
    const content = tarballWith(name);
    const [head, part, whole] = [
      await get(path, { method: 'HEAD' }),
      await get(path, { headers: { Range: 'bytes=0-2' } }),
      await get(path),
    ];
    expect({ status: head.status, length: head.headers['content-length'] }).toEqual({
      status: 200,
      length: String(content.length),
    });
    expect({ status: part.status, length: part.headers['content-length'] }).toEqual({ status: 206, length: '3' });
    expect(whole.headers.etag).toBe(`"${sha256(content)}"`);
    expect((await get(path, { headers: { 'If-None-Match': String(whole.headers.etag) } })).status).toBe(304);
  });

  itAnswers('302 for a large tarball, to where it is without a credential', async () => {
    const name = uniqueName('package');
    const tarball = tarballWith(name, randomBytes(150_000).toString('hex'));
    await publishTarball(name, tarball);
    const answer = await get(`${name}/-/${name}-1.0.0.tgz`);
    const content = await (await fetch(String(answer.headers.location))).arrayBuffer();
    expect(Buffer.from(content).equals(tarball)).toBe(true);
    return answer;
  });

  itAnswers('304 before any redirect, for a large tarball that the client has already', async () => {
    const name = uniqueName('package');
    const tarball = tarballWith(name, randomBytes(150_000).toString('hex'));
    await publishTarball(name, tarball);
    const path = `${name}/-/${name}-1.0.0.tgz`;
    const etag = `"${sha256(tarball)}"`;
    expect((await get(path)).headers.etag).toBe(etag);
    const answers = [
      await get(path, { headers: { 'If-None-Match': etag } }),
      await get(path, { method: 'HEAD', headers: { 'If-None-Match': `"other", W/${etag}` } }),
    ];
    expect(answers.map(({ headers }) => [headers.etag, headers.location])).toEqual(
      answers.map(() => [etag, undefined]),
    );
    return answers;
  });

  itAnswers('404 FILE_NOT_FOUND for a name that no key of the table could hold', async () => {
    const name = await npm.publish();
    return npm.send(getNpmDocument, `${name}/-/${name}-${'%23'.repeat(220)}.tgz`);
  });

  itAnswers('404 FILE_NOT_FOUND for what is no file of a version', async () => {
    const name = await npm.publish();
    const paths = [
      `${name}/-/${name}-1.0.1.tgz`,
      `${name}/-/other-1.0.0.tgz`,
      `${name}/-/%2e%2e`,
      '-/unheard-of',
      '..%2f..',
      'a%2fb%2fc',
      '%00',
    ];
    return Promise.all(paths.map((path) => get(path)));
  });
});
