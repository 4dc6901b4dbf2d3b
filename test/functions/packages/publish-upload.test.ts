import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMavenFile } from '../../../functions/maven/contracts.ts';
import { removeRepositoryMember } from '../../../functions/members/contracts.ts';
import { formatOf } from '../../../functions/package-formats.ts';
import { getPackageVersion, getRepositoryUsage } from '../../../functions/packages/contracts.ts';
import { getUniversalFile } from '../../../functions/universal/contracts.ts';
import { updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import { publish } from '../../../shared/packages/changes/publish-to.ts';
import { publisherOf } from '../../../shared/packages/changes/publisher.ts';
import { fileInMemory } from '../../../shared/store/received-file.ts';
import { Table } from '../../../shared/table/client.ts';
import { repositoryKey, uploadKey, workspaceKey } from '../../../shared/table/keys.ts';
import { completeUpload } from '../../../shared/table/packages/uploads.ts';
import { contentIdOf } from '../../../shared/table/repositories/repositories.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { packed } from '../../harness/npm.ts';
import { NpmClient } from '../../harness/npm-client.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { putStaged, useUploads } from '../../harness/uploads.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);
const uploads = useUploads(service, world);
const { begin, arrived, complete } = uploads;

const fileOf = async (packageName: string, repository: Named = world.repository) =>
  service.client.attempt(getPackageVersion, {
    params: world.params({ repository: repository.id, package: packageName, version: '1.0.0' }),
    as: world.admin.bearer,
  });

const download = async (path: string): Promise<Buffer> => {
  const params = world.params({ path });
  const { headers } = await service.client.attempt(getUniversalFile, { params, as: world.admin.bearer });
  return Buffer.from(await (await fetch(String(headers.location))).arrayBuffer());
};

/** The session as the table has it. */
const stored = async (id: string) => {
  const key = uploadKey(id);
  return (await new Table().read([key])).find(key);
};

describe('POST /1/workspaces/{workspace}/repositories/{repository}/packages/uploads/{upload}', () => {
  itAnswers('201 with all hashes of a small file, which the next read serves', async () => {
    const { name, id } = await arrived({ 'file.txt': 'the file' });
    const answer = await complete(id);
    expect(answer.result).toMatchObject([{ packageFileName: 'file.txt', isSucceeded: true }]);
    const md5 = createHash('md5').update('the file').digest('hex');
    expect((await fileOf(name)).result).toMatchObject({ files: [{ name: 'file.txt', sizeInBytes: 8, md5 }] });
    expect(await world.statusOf(`${name}/1.0.0/file.txt`)).toBe(200);
    return answer;
  });

  itAnswers(
    '201 for a large file, whose bytes never pass through the service, and which comes back as it was',
    async () => {
      const bytes = randomBytes(9 * 1024 * 1024);
      const { name, id, files } = await arrived({ 'large.bin': bytes, 'empty.txt': '' });
      service.store.forget();
      const answer = await complete(id);
      const key = new URL(String(files[0]?.uploadUrl)).pathname.split('/').slice(2).join('/');
      const calls = service.store.calls.filter((call) => call.key === key).map(({ method }) => method);
      expect(calls).toEqual(['HEAD', 'DELETE']);
      expect((await fileOf(name)).result).toMatchObject({
        files: [
          { name: 'empty.txt', sizeInBytes: 0 },
          {
            name: 'large.bin',
            sizeInBytes: bytes.length,
            sha256: files[0]?.sha256,
            sha512: null,
            sha1: null,
            md5: null,
          },
        ],
      });
      expect((await download(`${name}/1.0.0/large.bin`)).equals(bytes)).toBe(true);
      return answer;
    },
  );

  itAnswers('201 again with the same answer, however often it is sent, and it is published once', async () => {
    const { name, id } = await arrived({ file: uniqueName() });
    const answers = [await complete(id), await complete(id), await complete(id.toUpperCase())];
    expect(answers.map(({ text }) => text)).toEqual(answers.map(() => answers[0]?.text));
    expect((await fileOf(name)).result).toMatchObject({ fileCount: 1 });
    return answers;
  });

  it('does not replace a later SNAPSHOT where a request still has the session as it was before it was published', async () => {
    const repository = await service.world.repository(world.workspace, undefined, 'maven');
    const artifact = uniqueName();
    const options = { repository, isNamed: false };
    const pom = (name: string): string =>
      `<project><groupId>acme</groupId><artifactId>${artifact}</artifactId><version>1-SNAPSHOT</version><name>${name}</name></project>`;
    const { id } = await arrived({ 'pom.xml': pom('old') }, options);
    const stale = await stored(id);
    expect((await complete(id, options)).status).toBe(201);
    expect((await complete((await arrived({ 'pom.xml': pom('new') }, options)).id, options)).status).toBe(201);

    const [atRepository, atWorkspace] = [
      repositoryKey(world.workspace.id, repository.id),
      workspaceKey(world.workspace.id),
    ];
    const loaded = await new Table().read([atRepository, atWorkspace]);
    const [target, quota] = [loaded.find(atRepository), loaded.find(atWorkspace)];
    if (!stale || !target || !quota) throw new Error('The session, its repository or its workspace is gone.');
    const files = [{ name: 'pom.xml', received: fileInMemory(Buffer.from(pom('old'))) }];
    const content = await (await formatOf('maven')).format.read(stale, files);
    const published = { contentId: contentIdOf(target), name: content.name, version: content.version };
    const again = publish(new Table(), {
      repository: target,
      quota,
      origin: { kind: 'published', by: publisherOf(stale) },
      session: { uploadId: id, ends: completeUpload(id, stale, published) },
      isOpen: true,
      isReplacing: true,
      ...content,
    });
    await expect(again).rejects.toMatchObject({ code: 'UPLOAD_NOT_FOUND' });
    const { text } = await service.client.sendTo(getMavenFile, {
      path: `/maven/${world.workspace.name}/${repository.name}/acme/${artifact}/1-SNAPSHOT/${artifact}-1-SNAPSHOT.pom`,
      headers: [['Authorization', world.admin.bearer]],
    });
    expect(text).toBe(pom('new'));
  });

  itAnswers('201 to all of several completions at once, of which one publishes', async () => {
    const repository = await service.world.repository(world.workspace, undefined, 'universal');
    const { id } = await arrived({ file: randomBytes(9 * 1024 * 1024) }, { repository });
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete(id, { repository })));
    expect([...new Set(answers.map(({ text }) => text))]).toHaveLength(1);
    const params = world.params({ repository: repository.id });
    expect(await service.client.succeed(getRepositoryUsage, { params, as: world.admin.bearer })).toMatchObject({
      files: 1,
      packages: 1,
    });
    return answers;
  });

  itAnswers('201 through a virtual repository, whose upload target gets it', async () => {
    const repository = await createVirtual(service, world.workspace, [world.repository], {
      packageType: 'universal',
      uploadLocalRepositoryId: world.repository.id,
    });
    const { name, id } = await arrived({ file: 'x' }, { repository });
    const answer = await complete(id, { repository });
    expect((await fileOf(name)).status).toBe(200);
    return answer;
  });

  itAnswers(
    '409 UPLOAD_INCOMPLETE without a file: the sentence names it, and nothing is visible until it came',
    async () => {
      const session = await begin({ 'one.txt': 'one', 'two.txt': 'two' });
      await uploads.put(session, 'one.txt');
      const answer = await complete(session.id);
      expect(answer.problem?.detail).toBe("'two.txt' has not arrived: send it with PUT to its uploadUrl first.");
      expect((await fileOf(session.name)).status).toBe(404);
      await uploads.put(session, 'two.txt');
      expect((await complete(session.id)).status).toBe(201);
      return answer;
    },
  );

  itAnswers(
    '409 UPLOAD_INCOMPLETE for bytes that S3 did not check: of another size, or without their hash',
    async () => {
      const session = await begin({ file: 'the file' });
      await putStaged(session, 'the file and more');
      const size = await complete(session.id);
      expect(size.problem?.detail).toContain("'file' arrived with 17 bytes instead of the announced 8");
      await putStaged(session, 'THE FILE');
      const hash = await complete(session.id);
      expect(hash.problem?.detail).toContain("'file' arrived without the announced SHA-256");
      expect((await fileOf(session.name)).status).toBe(404);
      return [size, hash];
    },
  );

  itAnswers(
    '404 UPLOAD_NOT_FOUND for a session of another user or repository, an expired one, and what is none',
    async () => {
      const elsewhere = await service.world.repository(world.workspace, undefined, 'universal');
      const { id } = await arrived({ file: 'x' });
      const expired = await arrived({ file: 'x' });
      const before = await stored(expired.id);
      await new Table().writeUnrecorded([
        { put: { ...uploadKey(expired.id), ...before, expiresAt: Date.now() / 1000 - 1 } },
      ]);
      const answers = [
        await complete(id, { as: (await service.world.user({ userRole: 'system-admin' })).bearer }),
        await complete(id, { repository: elsewhere }),
        await complete(expired.id),
        await complete('0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11'),
        await complete('none'),
        await complete('x'.repeat(3_000)),
      ];
      expect((await complete(id)).status).toBe(201);
      return answers;
    },
  );

  itAnswers('403 FORBIDDEN when the level was lowered meanwhile, and 404 when it was taken away', async () => {
    const deployer = await service.world.member(world.workspace);
    await service.world.grant(world.workspace, world.repository, deployer, 'canDeploy');
    const { name, id } = await arrived({ file: 'x' }, { as: deployer.bearer });
    await service.world.grant(world.workspace, world.repository, deployer, 'canView');
    const answer = await complete(id, { as: deployer.bearer });
    const params = world.params({ user: deployer.userId });
    await service.client.succeed(removeRepositoryMember, { params, as: world.admin.bearer });
    expect(await complete(id, { as: deployer.bearer })).toMatchObject({ code: 'REPOSITORY_NOT_FOUND' });
    expect((await fileOf(name)).status).toBe(404);
    return answer;
  });

  itAnswers('403 QUOTA_EXCEEDED beyond a limit that came meanwhile; the session waits for a higher one', async () => {
    const { name, id } = await arrived({ file: '1234' });
    const limit = async (storageLimit: number | null) =>
      service.client.succeed(updateWorkspace, {
        params: { workspace: world.workspace.id },
        body: { storageLimit },
        as: world.admin.bearer,
      });
    await limit(1);
    const answer = await complete(id);
    expect((await fileOf(name)).status).toBe(404);
    await limit(null);
    expect((await complete(id)).status).toBe(201);
    return answer;
  });

  itAnswers('409 VERSION_EXISTS for a file that was published meanwhile', async () => {
    const { name, id } = await arrived({ file: 'first' });
    await world.publish(`${name}/1.0.0/file`, 'second');
    return [await complete(id), await complete(id)];
  });
});

describe('A tarball of npm by an upload session', () => {
  const npm = new NpmClient();
  let repository: Named;
  beforeAll(async () => {
    repository = await service.world.repository(world.workspace);
  });
  afterAll(() => npm.close());

  it('is installed by npm, which checks its integrity', async () => {
    const name = `@acme/${uniqueName('package')}`;
    const padding = randomBytes(9 * 1024 * 1024);
    const tarball = await packed({ name, version: '1.2.3', main: 'index.js' }, { 'index.js': '1', padding });
    const { id } = await arrived({ 'any.tgz': tarball }, { repository, isNamed: false });
    const { status, text } = await complete(id, { repository });
    expect([status, text]).toEqual([201, text]);
    const url = `${service.runner.url}/npm/${world.workspace.name}/${repository.name}/`;
    const project = npm.project({ name: 'empty', version: '1.0.0' });
    const ran = await npm.run(project, { url, token: world.admin.token }, ['install', name]);
    expect(ran).toMatchObject({ isFailed: false });
    expect(readFileSync(join(project, 'node_modules', name, 'padding')).equals(padding)).toBe(true);
    const lock = readFileSync(join(project, 'package-lock.json'), 'utf8');
    expect(lock).toContain(`sha512-${createHash('sha512').update(tarball).digest('base64')}`);
  }, 60_000);

  it('that is a prerelease moves no tag, and another one moves the tag that it names', async () => {
    const name = uniqueName('package');
    const publishOne = async (manifest: object): Promise<Answer> => {
      const { id } = await arrived({ 'a.tgz': await packed({ name, ...manifest }) }, { repository, isNamed: false });
      return complete(id, { repository });
    };
    const statuses = [
      (await publishOne({ version: '1.0.0' })).status,
      (await publishOne({ version: '2.0.0-rc.1' })).status,
      (await publishOne({ version: '0.9.0', publishConfig: { tag: 'old' } })).status,
      (await publishOne({ version: '3.0.0', publishConfig: { tag: '1.x' } })).code,
    ];
    expect(statuses).toEqual([201, 201, 201, 'PACKAGE_INVALID']);
    const tags = await fetch(`${service.runner.url}/npm/${world.workspace.name}/${repository.name}/${name}`, {
      headers: { Authorization: world.admin.bearer },
    });
    expect(await tags.json()).toMatchObject({ 'dist-tags': { latest: '1.0.0', old: '0.9.0' } });
  });

  itAnswers('400 PACKAGE_INVALID with the limit for a package.json of a megabyte, with nothing visible', async () => {
    const manifest = { name: 'heavy', version: '1.0.0', unheardOf: randomBytes(750_000).toString('base64') };
    const padding = randomBytes(9 * 1024 * 1024);
    const answers: Answer[] = [];
    for (const content of [await packed(manifest), await packed(manifest, { padding })]) {
      const { id } = await arrived({ 'a.tgz': content }, { repository, isNamed: false });
      answers.push(await complete(id, { repository }));
    }
    for (const { problem } of answers)
      expect(problem?.detail).toMatch(/^The manifest of the version has \d+ bytes, .* at most 1000000\./);
    expect((await fileOf('heavy', repository)).status).toBe(404);
    return answers;
  });

  itAnswers('400 BODY_MALFORMED for what is no tarball, with nothing visible', async () => {
    const whole = await packed({ name: 'name', version: '1.0.0' }, { padding: randomBytes(9 * 1024 * 1024) });
    const answers: Answer[] = [];
    for (const content of [
      randomBytes(100),
      whole.subarray(0, -100),
      Buffer.concat([whole, Buffer.alloc(500_000, 'x')]),
    ]) {
      const { id } = await arrived({ 'a.tgz': content }, { repository, isNamed: false });
      answers.push(await complete(id, { repository }));
    }
    expect((await fileOf('name', repository)).status).toBe(404);
    return answers;
  });
});
