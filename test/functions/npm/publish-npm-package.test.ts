import { randomBytes } from 'node:crypto';
import { getNpmDocument, publishNpmPackage } from '../../../functions/npm/contracts.ts';
import type { PermissionLevel } from '../../../shared/access.ts';
import { Table } from '../../../shared/table/client.ts';
import { packageHeadKey } from '../../../shared/table/packages/package-keys.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, type NpmRequest, publishBody, tarballOf, useNpmRepository } from '../../harness/npm.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { snapshot } from '../../harness/snapshot.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);

const put = async (path: string, body: unknown, more = {}) => npm.send(publishNpmPackage, path, { body, ...more });

describe('PUT /npm/{workspace}/{repository}/{path+}', () => {
  itAnswers('201 for a version, which the next read shows with what its manifest says', async () => {
    const name = uniqueName('package');
    const answer = await put(name, publishBody(name, '1.0.0', { description: 'Pads', unheardOf: { of: ['here'] } }));
    expect(answer.result).toEqual({ ok: true });
    const { versions, 'dist-tags': tags } = await npm.document(name);
    expect(versions['1.0.0']).toMatchObject({ name, description: 'Pads', unheardOf: { of: ['here'] } });
    expect(tags).toEqual({ latest: '1.0.0' });
    return answer;
  });

  itAnswers('201 for a scoped name however its slash is spelled: it is one package', async () => {
    const unscoped = uniqueName('package');
    const name = `@acme/${unscoped}`;
    const spellings = [`@acme%2f${unscoped}`, `@acme%2F${unscoped}`, name, `%40acme%2f${unscoped}`];
    const answers = [];
    for (const [major, path] of spellings.entries()) answers.push(await put(path, publishBody(name, `${major}.0.0`)));
    expect(Object.keys((await npm.document(name)).versions).toSorted()).toEqual(['0.0.0', '1.0.0', '2.0.0', '3.0.0']);
    return answers;
  });

  itAnswers('201 through a virtual repository, whose upload target gets it', async () => {
    const { workspace, repository } = npm.setting;
    const virtual = await createVirtual(service, workspace, [repository], { uploadLocalRepositoryId: repository.id });
    const name = uniqueName('package');
    const answer = await put(name, publishBody(name), { repository: virtual });
    expect(Object.keys((await npm.document(name)).versions)).toEqual(['1.0.0']);
    return answer;
  });

  itAnswers('201 under another tag, which leaves latest where it was', async () => {
    const name = await npm.publish();
    const answer = await put(name, { ...publishBody(name, '2.0.0-rc.1'), 'dist-tags': { next: '2.0.0-rc.1' } });
    expect((await npm.document(name))['dist-tags']).toEqual({ latest: '1.0.0', next: '2.0.0-rc.1' });
    return answer;
  });

  itAnswers('201 for a deprecation, and for taking it back; what else is sent changes nothing', async () => {
    const name = await npm.publish({ description: 'Pads' });
    const deprecate = async (deprecated: string) => {
      const document = await npm.document(`${name}?write=true`);
      const versions = { '1.0.0': { ...document.versions['1.0.0'], deprecated, description: 'changed' } };
      return put(name, { ...document, versions });
    };
    const answer = await deprecate('use another one');
    expect((await npm.document(name)).versions['1.0.0']).toMatchObject({
      description: 'Pads',
      deprecated: 'use another one',
      dist: { integrity: expect.stringMatching(/^sha512-/) as string },
    });
    // Together, they are longer than an item of the table.
    for (const letter of ['a', 'b']) expect((await deprecate(letter.repeat(210_000))).status).toBe(201);
    const again = await deprecate('');
    expect((await npm.document(name)).versions['1.0.0']).not.toHaveProperty('deprecated');
    return [answer, again];
  });

  itAnswers(
    '201 for a deprecation, which moves no tag: neither back to where its client read it, nor the latest that nobody set',
    async () => {
      const name = await npm.publish();
      await put(name, { ...publishBody(name, '1.1.0-rc.1'), 'dist-tags': { next: '1.1.0-rc.1' } });
      const untagged = uniqueName('package');
      await put(untagged, { ...publishBody(untagged, '1.0.0'), 'dist-tags': { next: '1.0.0' } });
      const read = await Promise.all([name, untagged].map(async (each) => npm.document(`${each}?write=true`)));
      await npm.publish({ name, version: '2.0.0' });
      await put(untagged, { ...publishBody(untagged, '1.1.0'), 'dist-tags': { next: '1.1.0' } });
      await npm.forgetLatest(untagged);
      const deprecated = read.flatMap((document) => {
        const versions = { ...document.versions, '1.0.0': { ...document.versions['1.0.0'], deprecated: 'old' } };
        // Some clients deprecate by the document that all others read, too.
        return [
          { ...document, versions },
          { ...document, versions, _readTags: undefined },
        ].map((sentBack) => ({ name: String(document.name), sentBack }));
      });
      const answers = await Promise.all(deprecated.map(async (each) => put(each.name, each.sentBack)));
      expect((await npm.document(name))['dist-tags']).toEqual({ latest: '2.0.0', next: '1.1.0-rc.1' });
      expect((await npm.document(untagged))['dist-tags']).toEqual({ latest: '1.1.0', next: '1.1.0' });
      return answers;
    },
  );

  itAnswers('409 VERSION_EXISTS for a version that is there, whatever its bytes; npm prints why', async () => {
    const name = await npm.publish();
    const answer = await put(name, publishBody(name, '1.0.0', { description: 'another one' }));
    expect(errorOf(answer)).toBe(
      `${name} 1.0.0 already exists, and what was published never changes. Publish the change under a new version.`,
    );
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID naming each broken rule, and nothing is stored', async () => {
    const name = uniqueName('package');
    const body = publishBody(name);
    const dist = { ...body.versions['1.0.0']?.dist, shasum: '0'.repeat(40) };
    const bodies: readonly [body: unknown, pointer: string][] = [
      [{ ...body, versions: { '1.0.0': { name, version: '1.0.0', dist } } }, '/versions/1.0.0/dist/shasum'],
      [{ ...body, name: 'another' }, '/name'],
      [{ ...body, versions: {} }, '/versions'],
      [{ ...body, 'dist-tags': { '^1.0.0': '1.0.0' } }, '/dist-tags/^1.0.0'],
      [{ ...body, 'dist-tags': { latest: '2.0.0' } }, '/dist-tags/latest'],
      [{ ...body, _attachments: { 'a.txt': { data: 'AAAA' } } }, '/_attachments'],
    ];
    const answers = await Promise.all(bodies.map(([each]) => put(name, each)));
    expect(answers.map(({ problem }) => problem?.violations.map(({ pointer }) => pointer))).toEqual(
      bodies.map(([, pointer]) => [pointer]),
    );
    for (const answer of answers) expect(errorOf(answer)).toBe(answer.problem?.detail);
    expect((await npm.send(getNpmDocument, name)).status).toBe(404);
    return answers;
  });

  /** Publishes a manifest with a tarball of another one. */
  const publishAs = async (sent: Readonly<Record<string, unknown>>, own: Readonly<Record<string, unknown>>) => {
    const name = uniqueName('package');
    const tarball = tarballOf({ name, version: '1.0.0', ...own });
    return put(name, publishBody(name, '1.0.0', sent, tarball));
  };

  itAnswers(
    '400 PACKAGE_INVALID naming what the manifest says otherwise than package.json in the tarball',
    async () => {
      const cases: readonly (readonly [member: string, sent: object, own: object])[] = [
        ['dependencies', {}, { dependencies: { evil: '^1.0.0' } }],
        ['dependencies', { dependencies: { evil: '^1.0.0' } }, {}],
        ['dependencies', { dependencies: { a: '^1.0.0' } }, { dependencies: { a: '^2.0.0' } }],
        ['dependencies', { dependencies: { a: 'evil/a' } }, { dependencies: { a: 'acme/a' } }],
        ['dependencies', { dependencies: { a: 'acme/a#2' } }, { dependencies: { a: 'acme/a#1' } }],
        [
          'dependencies',
          { dependencies: { a: 'https://a.example/x/a.tgz' } },
          { dependencies: { a: 'https://b.example/x/a.tgz' } },
        ],
        ['optionalDependencies', { dependencies: { a: '1' } }, { optionalDependencies: { a: '1' } }],
        ['peerDependencies', { peerDependencies: { a: '1' } }, {}],
        ['bin', { bin: { a: 'a.js' } }, { bin: { a: 'b.js' } }],
        ['bin', {}, { bin: 'a.js' }],
        ['bin', { bin: { a: 'a.js' } }, { directories: { lib: 'lib' } }],
        ['scripts', {}, { scripts: { postinstall: 'evil' } }],
        ['scripts', { scripts: { install: 'node-gyp rebuild' } }, { scripts: { install: 'evil' } }],
        ['hasInstallScript', { scripts: { install: 'x' }, hasInstallScript: false }, { scripts: { install: 'x' } }],
        ['name', {}, { name: 'another' }],
        ['version', {}, { version: '2.0.0' }],
      ];
      const answers = [];
      for (const [, sent, own] of cases) answers.push(await publishAs({ ...sent }, { ...own }));
      expect(answers.map(errorOf)).toEqual(
        cases.map(([member]) => `${member} in the manifest must be that of package.json in the tarball.`),
      );
      return answers;
    },
  );

  itAnswers('201 for what npm, pnpm and Yarn write otherwise than package.json', async () => {
    const cases: readonly (readonly [sent: object, own: object])[] = [
      [{ scripts: { install: 'node-gyp rebuild' }, gypfile: true }, {}],
      [{ scripts: { install: 'node-gyp rebuild' } }, { scripts: { install: 'node-gyp rebuild' } }],
      [{ scripts: { test: 'x' } }, { scripts: { test: 'x', prepack: 'y', prepare: 'z' } }],
      [{ bin: { b: 'bin/b.js' } }, { bin: { b: './bin/b.js' } }],
      [{ bin: { 'c.js': 'bin/c.js' } }, { bin: ['bin/c.js'] }],
      [{ bin: { d: 'tools/d' } }, { directories: { bin: 'tools' } }],
      [{ optionalDependencies: { e: '1' }, dependencies: { e: '1' } }, { optionalDependencies: { e: '1' } }],
      [{ dependencies: { f: 'github:acme/f#v1' } }, { dependencies: { f: 'acme/f#v1' } }],
      [{ dependencies: { f: 'git+ssh://git@github.com/acme/f.git' } }, { dependencies: { f: 'github:acme/f' } }],
      [{ dependencies: { g: '^1.0.0' } }, { dependencies: { g: ' ^1.0.0 ' } }],
      [{}, { version: 'v1.0.0' }],
    ];
    const answers = [];
    for (const [sent, own] of cases) answers.push(await publishAs({ ...sent }, { ...own }));
    return answers;
  });

  itAnswers('400 BODY_MALFORMED for what is no tarball', async () => {
    const name = uniqueName('package');
    return put(name, publishBody(name, '1.0.0', {}, Buffer.from('no archive')));
  });

  const random = (length: number): string => randomBytes(length).toString('base64').slice(0, length);

  itAnswers('201 for a huge readme and 10,000 maintainers, and the readme is cut', async () => {
    const name = uniqueName('package');
    const maintainers = Array.from({ length: 10_000 }, () => ({ name: random(8), email: `${random(8)}@example.com` }));
    const body = { ...publishBody(name, '1.0.0', { maintainers }), readme: '\u0001é'.repeat(100_000) };
    const answer = await put(name, { ...body, readmeFilename: random(500_000) });
    const { versions, readme, readmeFilename } = await npm.document(name);
    expect(versions['1.0.0']).toMatchObject({ maintainers });
    expect([readme, readmeFilename]).toEqual(['é'.repeat(32 * 1024), undefined]);
    return answer;
  });

  itAnswers(
    '400 PACKAGE_INVALID with the limit for more metadata than an index entry has, with nothing stored',
    async () => {
      const name = uniqueName('package');
      const before = await snapshot();
      const answers = await Promise.all(
        [{ unheardOf: random(900_000) }, { description: random(900_000) }].map((manifest) =>
          put(name, publishBody(name, '1.0.0', manifest)),
        ),
      );
      expect(await snapshot()).toEqual(before);
      const published = await npm.publish({ description: random(400_000) });
      const { versions } = await npm.document(`${published}?write=true`);
      const deprecated = random(200_000);
      answers.push(
        await put(published, { name: published, versions: { '1.0.0': { ...versions['1.0.0'], deprecated } } }),
      );
      for (const answer of answers)
        expect(errorOf(answer)).toMatch(/^The metadata of the version, compressed, has \d+ bytes, .* at most 400000\./);
      return answers;
    },
  );

  itAnswers('400 PACKAGE_INVALID for more dist-tags than a request may move, or a package may have', async () => {
    const name = await npm.publish();
    const tags = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, '2.0.0']));
    const publish = async (count: number) => put(name, { ...publishBody(name, '2.0.0'), 'dist-tags': tags(count) });
    const tooMany = await publish(101);
    expect(errorOf(tooMany)).toBe('A publication may move at most 100 dist-tags.');
    const key = packageHeadKey({ contentId: npm.setting.repository.id, name });
    await new Table().writeUnrecorded([
      { update: key, set: 'SET #many = :many', values: { ':many': 'x'.repeat(409_000) } },
    ]);
    const full = await publish(100);
    expect(errorOf(full)).toMatch(/^The tags and the readme of .* at most 400 KiB together\./);
    return [tooMany, full];
  });

  itAnswers(
    '400 PACKAGE_INVALID for a path that names no package, and for a name that no new package may have',
    async () => Promise.all(['-/v1', '.hidden', '@acme%2f..', 'Capital'].map((name) => put(name, publishBody(name)))),
  );

  itAnswers('400 BODY_MALFORMED for what is no JSON object', async () =>
    Promise.all(['{', '[]', '"text"'].map((body) => put(uniqueName(), body))),
  );

  itAnswers('415 MEDIA_TYPE_UNSUPPORTED for what is not sent as JSON', async () => {
    const name = uniqueName();
    return put(name, publishBody(name), { headers: { 'Content-Type': 'text/plain' } });
  });

  itAnswers('413 BODY_TOO_LARGE with the limit, and the way for larger files', async () => {
    const answer = await put(uniqueName(), ' '.repeat(4_500_001));
    expect(errorOf(answer)).toMatch(/at most 4500000 bytes here.*\/packages\/uploads/);
    return answer;
  });

  itAnswers(
    '400 REPOSITORY_READ_ONLY for a remote repository, and for a virtual one without an upload target',
    async () => {
      const { workspace, repository } = npm.setting;
      const targets = [await createRemote(service, workspace), await createVirtual(service, workspace, [repository])];
      const name = uniqueName();
      const answers = await Promise.all(targets.map((target) => put(name, publishBody(name), { repository: target })));
      for (const answer of answers) expect(errorOf(answer)).toBe(answer.problem?.detail);
      return answers;
    },
  );

  itAnswers('404 PACKAGE_NOT_FOUND for a deprecation of what was never published', async () => {
    const name = uniqueName();
    return put(name, { name, versions: { '1.0.0': { name, version: '1.0.0', deprecated: 'old' } } });
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    const name = uniqueName();
    return put(name, publishBody(name), { repository });
  });

  itAnswers('403 FORBIDDEN for who may only view; npm prints who may', async () => {
    const { workspace, repository } = npm.setting;
    const viewer = await service.world.member(workspace);
    await service.world.grant(workspace, repository, viewer, 'canView');
    const name = uniqueName();
    const answer = await put(name, publishBody(name), { as: viewer.bearer });
    expect(errorOf(answer)).toContain('canDeploy');
    return answer;
  });

  describe('the first step of npm unpublish', () => {
    const revisionField = '_rev';

    /** The document without a version, as npm sends it before it deletes that version. */
    const unpublishStep = async (name: string, version: string, more: NpmRequest = {}) => {
      const document = await npm.document(`${name}?write=true`, more);
      const { [version]: _, ...versions } = document.versions;
      const latest = Object.keys(versions).at(-1);
      const path = `${name}/-rev/${String(document[revisionField])}`;
      return put(path, { ...document, versions, 'dist-tags': { latest } }, more);
    };

    const levelOf = async (level: PermissionLevel, repository: Named): Promise<NpmRequest> => {
      const member = await service.world.member(npm.setting.workspace);
      await service.world.grant(npm.setting.workspace, repository, member, level);
      return { as: member.bearer, repository };
    };

    const publishTwo = async (): Promise<string> => {
      const name = await npm.publish();
      return npm.publish({ name, version: '2.0.0' });
    };

    itAnswers('403 FORBIDDEN for who may only deploy, and no tag moves; npm prints who may', async () => {
      const name = await publishTwo();
      const answer = await unpublishStep(name, '2.0.0', await levelOf('canDeploy', npm.setting.repository));
      expect(errorOf(answer)).toBe(
        'Only users with canManage on the repository, Workspace Admins and System Admins may unpublish a version: ask one of them.',
      );
      expect((await npm.document(name))['dist-tags']).toEqual({ latest: '2.0.0' });
      return answer;
    });

    itAnswers('201 for who may manage: the tags move, and the version stays until it is deleted', async () => {
      const name = await publishTwo();
      const answer = await unpublishStep(name, '2.0.0', await levelOf('canManage', npm.setting.repository));
      const { versions, 'dist-tags': tags } = await npm.document(name);
      expect({ versions: Object.keys(versions), tags }).toEqual({
        versions: ['1.0.0', '2.0.0'],
        tags: { latest: '1.0.0' },
      });
      return answer;
    });

    itAnswers('201 for who may manage, and a tag stays that another publication moved meanwhile', async () => {
      const name = await publishTwo();
      const document = await npm.document(`${name}?write=true`);
      await npm.publish({ name, version: '3.0.0' });
      const { '2.0.0': _, ...versions } = document.versions;
      const path = `${name}/-rev/${String(document[revisionField])}`;
      const answer = await put(path, { ...document, versions, 'dist-tags': { latest: '1.0.0' } });
      expect((await npm.document(name))['dist-tags']).toEqual({ latest: '3.0.0' });
      return answer;
    });

    itAnswers('201 for who may only deploy, when the document omits nothing, or names no revision', async () => {
      const name = await publishTwo();
      const deployer = await levelOf('canDeploy', npm.setting.repository);
      const document = await npm.document(`${name}?write=true`);
      const deprecated = { ...document.versions['1.0.0'], deprecated: 'old' };
      const answers = [
        await put(
          `${name}/-rev/${String(document[revisionField])}`,
          { ...document, 'dist-tags': { beta: '1.0.0' } },
          deployer,
        ),
        // npm deprecate: a version that was published since the client read the document is no reason to refuse it.
        await put(name, { ...document, versions: { '1.0.0': deprecated } }, deployer),
      ];
      const { versions, 'dist-tags': tags } = await npm.document(name);
      expect(Object.keys(versions)).toEqual(['1.0.0', '2.0.0']);
      expect(versions['1.0.0']).toMatchObject({ deprecated: 'old' });
      expect(tags).toEqual({ latest: '2.0.0', beta: '1.0.0' });
      return answers;
    });

    itAnswers('400 REPOSITORY_READ_ONLY for a version from another child than the upload target', async () => {
      const { workspace, repository: other } = npm.setting;
      const target = await service.world.repository(workspace);
      const virtual = await createVirtual(service, workspace, [other, target], { uploadLocalRepositoryId: target.id });
      const [name, elsewhere] = [await publishTwo(), await npm.publish()];
      await npm.publish({ name, version: '1.0.2' }, target);
      await npm.publish({ name, version: '1.0.1' }, target);
      const answers = [
        await unpublishStep(name, '2.0.0', { repository: virtual }),
        await put(elsewhere, await npm.document(`${elsewhere}?write=true`), { repository: virtual }),
      ];
      expect(answers.map(errorOf)).toEqual([
        expect.stringContaining(`${name} 2.0.0 is in '${other.name}': send the request there.`) as string,
        expect.stringContaining(`${elsewhere} is in '${other.name}': send the request there.`) as string,
      ]);
      expect((await npm.document(name, { repository: target }))['dist-tags']).toEqual({ latest: '1.0.1' });
      return answers;
    });

    itAnswers('403 FORBIDDEN for that version to who may only deploy', async () => {
      const { workspace, repository: other } = npm.setting;
      const target = await service.world.repository(workspace);
      const virtual = await createVirtual(service, workspace, [other, target], { uploadLocalRepositoryId: target.id });
      const name = await publishTwo();
      await npm.publish({ name, version: '3.0.0' }, target);
      return unpublishStep(name, '2.0.0', await levelOf('canDeploy', virtual));
    });
  });
});
