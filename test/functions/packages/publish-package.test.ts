import { createHash, randomBytes } from 'node:crypto';
import { getNpmDocument } from '../../../functions/npm/contracts.ts';
import { getPackageVersion, publishPackage } from '../../../functions/packages/contracts.ts';
import { createLocalRepository } from '../../../functions/repositories/contracts.ts';
import { updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { packed } from '../../harness/npm.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { snapshot } from '../../harness/snapshot.ts';
import { formOf } from '../../harness/uploads.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);

type Parts = Parameters<typeof formOf>[0];

const post = async (parts: Parts, repository: Named = world.repository, as = world.admin.bearer): Promise<Answer> =>
  service.client.attempt(publishPackage, {
    params: world.params({ repository: repository.id }),
    bytes: formOf(parts),
    as,
  });

const version = (packageName: string, packageVersion = '1.0.0'): Parts => [
  { field: 'packageName', value: packageName },
  { field: 'packageVersion', value: packageVersion },
];

const blobs = async (): Promise<string[]> => [...(await snapshot()).keys()].filter((key) => key.startsWith('BLOB#'));

describe('POST /1/workspaces/{workspace}/repositories/{repository}/packages/single', () => {
  itAnswers('201 with a link to the version, for several files of one', async () => {
    const name = `tools/${uniqueName()}`;
    const answer = await post([
      ...version(name),
      { file: 'one.txt', content: 'one' },
      { file: 'two.txt', content: 'two' },
    ]);
    const result = answer.result as {
      packageFileName: string;
      createdPackages: { link: string; versionId: string }[];
    }[];
    expect(result).toMatchObject([
      { packageFileName: 'one.txt', isSucceeded: true },
      { packageFileName: 'two.txt', isSucceeded: true },
    ]);
    const [created] = result[0]?.createdPackages ?? [];
    const shown = await service.client.sendTo(getPackageVersion, {
      path: String(created?.link).slice(service.runner.url.length),
      headers: [['Authorization', world.admin.bearer]],
    });
    expect(shown.result).toMatchObject({
      id: created?.versionId,
      packageName: name,
      files: [
        { name: 'one.txt', sha256: sha256('one') },
        { name: 'two.txt', md5: createHash('md5').update('two').digest('hex') },
      ],
    });
    expect(await world.statusOf(`${name}/1.0.0/two.txt`)).toBe(200);
    return answer;
  });

  itAnswers('201 for a tarball of npm, which says its name and version itself', async () => {
    const repository = await service.world.repository(world.workspace);
    const name = `@acme/${uniqueName('package')}`;
    const tarball = await packed({
      name,
      version: 'v2.1.0',
      description: 'Pads',
      dist: { integrity: 'sha512-forged' },
    });
    const answer = await post([{ file: 'any-name.tgz', content: tarball }], repository);
    const { text } = await service.client.sendTo(getNpmDocument, {
      path: `/npm/${world.workspace.name}/${repository.name}/${name}`,
      headers: [['Authorization', world.admin.bearer]],
    });
    expect(JSON.parse(text)).toMatchObject({
      'dist-tags': { latest: '2.1.0' },
      versions: {
        '2.1.0': {
          description: 'Pads',
          dist: {
            integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
            shasum: createHash('sha1').update(tarball).digest('hex'),
            fileCount: 1,
          },
        },
      },
    });
    return answer;
  });

  itAnswers('201 through a virtual repository, whose upload target gets it', async () => {
    const virtual = await createVirtual(service, world.workspace, [world.repository], {
      packageType: 'universal',
      uploadLocalRepositoryId: world.repository.id,
    });
    const name = uniqueName('package');
    const answer = await post([...version(name), { file: 'file', content: 'x' }], virtual);
    expect(await world.statusOf(`${name}/1.0.0/file`)).toBe(200);
    return answer;
  });

  itAnswers(
    '400 REPOSITORY_READ_ONLY for a remote repository, and for a virtual one without an upload target',
    async () => {
      const remote = await createRemote(service, world.workspace, {
        packageType: 'universal',
        remoteRepositoryUrl: 'https://example.com/{package-name}/{version}/{file}',
      });
      const virtual = await createVirtual(service, world.workspace, [world.repository], { packageType: 'universal' });
      const parts = [...version('name'), { file: 'file', content: 'x' }];
      return Promise.all([remote, virtual].map((repository) => post(parts, repository)));
    },
  );

  itAnswers('409 VERSION_EXISTS when one of the files is there, and none is published', async () => {
    const name = uniqueName('package');
    await post([...version(name), { file: 'there', content: 'first' }]);
    const before = await blobs();
    const answer = await post([
      ...version(name),
      { file: 'new', content: uniqueName() },
      { file: 'there', content: 'second' },
    ]);
    expect(await world.statusOf(`${name}/1.0.0/new`)).toBe(404);
    expect(await blobs()).toEqual(before);
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for names that no file can have, with nothing stored', async () => {
    const before = await blobs();
    const file = { file: 'file', content: uniqueName() };
    const answers = [
      await post([...version('../up'), file]),
      await post([...version('name', 'a/b'), file]),
      await post([...version('a//b'), file]),
      await post([...version('name'), file, file]),
      await post([...version(`${'%'.repeat(250)}/${'%'.repeat(60)}`), file]),
    ];
    expect(await blobs()).toEqual(before);
    return answers;
  });

  itAnswers(
    '400 REQUEST_INVALID for fields that are missing or unknown, before and behind the files, with nothing stored',
    async () => {
      const before = await blobs();
      const npm = await service.world.repository(world.workspace);
      const file = { file: 'file', content: uniqueName() };
      const unknown = { field: 'packageTag', value: 'x' };
      const missing = await post([file]);
      expect(missing.problem?.violations).toMatchObject([{ pointer: '/packageName' }, { pointer: '/packageVersion' }]);
      const answers = [
        missing,
        await post([...version('name'), unknown, file]),
        await post([file, ...version('name'), unknown]),
        await post([...version('name')]),
        await post([...version('name'), { file: 'package.tgz', content: 'x' }], npm),
      ];
      expect(await blobs()).toEqual(before);
      return answers;
    },
  );

  itAnswers(
    '400 PACKAGE_INVALID for what is no tarball of npm by its name or its number, or for a type that stores nothing',
    async () => {
      const npm = await service.world.repository(world.workspace);
      const images = await service.client.succeed(createLocalRepository, {
        params: { workspace: world.workspace.id },
        body: { name: uniqueName('images'), packageType: 'docker' },
        as: world.admin.bearer,
      });
      const tarball = { file: 'package.tgz', content: await packed({ name: 'name', version: '1.0.0' }) };
      return [
        await post([{ file: 'package.zip', content: 'x' }], npm),
        await post([tarball, tarball], npm),
        await post([{ file: 'package.tgz', content: await packed({ name: 'Upper', version: '1' }) }], npm),
        await post([{ file: 'image.tar', content: 'x' }], images),
      ];
    },
  );

  itAnswers('400 PACKAGE_INVALID with the limit for a package.json of a megabyte, with nothing stored', async () => {
    const npm = await service.world.repository(world.workspace);
    const withText = (length: number) =>
      packed({ name: uniqueName('package'), version: '1.0.0', unheardOf: randomBytes(length).toString('base64') });
    const before = await snapshot();
    const answer = await post([{ file: 'package.tgz', content: await withText(750_000) }], npm);
    expect(answer.problem?.detail).toMatch(/^The manifest of the version has \d+ bytes, .* at most 1000000\./);
    const incompressible = await post([{ file: 'package.tgz', content: await withText(700_000) }], npm);
    expect(incompressible.problem?.detail).toMatch(
      /^The metadata of the version, compressed, has \d+ bytes, .* at most 400000\./,
    );
    expect(await snapshot()).toEqual(before);
    return [answer, incompressible];
  });

  itAnswers('400 BODY_MALFORMED for a tarball that is none', async () => {
    const npm = await service.world.repository(world.workspace);
    const whole = await packed({ name: 'name', version: '1.0.0' });
    return [
      await post([{ file: 'package.tgz', content: 'no gzip' }], npm),
      await post([{ file: 'package.tgz', content: whole.subarray(0, -20) }], npm),
    ];
  });

  itAnswers('413 BODY_TOO_LARGE above 4.5 MB: the sentence names the limit and the upload session', async () => {
    const answer = await post([...version('large'), { file: 'file', content: Buffer.alloc(4_500_000) }]);
    expect(answer.problem?.detail).toMatch(/at most 4500000 bytes here\. .*POST .*\/packages\/uploads/);
    return answer;
  });

  itAnswers('403 QUOTA_EXCEEDED beyond a limit of the workspace', async () => {
    const workspace = await service.world.workspace();
    const params = { workspace: workspace.id };
    await service.client.succeed(updateWorkspace, { params, body: { storageLimit: 3 }, as: world.admin.bearer });
    const { id: repository } = await service.world.repository(workspace, undefined, 'universal');
    const bytes = formOf([...version('name'), { file: 'file', content: '1234' }]);
    return service.client.attempt(publishPackage, { params: { ...params, repository }, bytes, as: world.admin.bearer });
  });
});
