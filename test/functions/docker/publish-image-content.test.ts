import {
  getPackage,
  getPackageVersion,
  listPackages,
  listPackageVersions,
} from '../../../functions/packages/contracts.ts';
import { updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import { inBatches } from '../../harness/concurrency.ts';
import {
  descriptorOf,
  digestOf,
  imageMediaType,
  indexMediaType,
  manifestOf,
  newImage,
  useImages,
} from '../../harness/images.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';
import { uniqueName } from '../../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const images = useImages(service);

const codesIn = (text: string): string[] =>
  (JSON.parse(text) as { errors: { code: string }[] }).errors.map(({ code }) => code);

describe('PUT /v2/{workspace}/{repository}/{image}/manifests/{reference}', () => {
  itAnswers('201 with the digest, and again; the tag moves', async () => {
    const { manifest, digest } = await images.push('app', 'latest');
    const answers = [
      await images.pushManifest('app', 'latest', manifest),
      await images.pushManifest('app', digest, manifest),
      await images.pushManifest('app', 'other', manifest),
    ];
    for (const { headers } of answers)
      expect([headers.location, headers['docker-content-digest']]).toEqual([
        `${images.base()}/app/manifests/${digest}`,
        digest,
      ]);
    const next = await images.push('app', 'latest');
    const tagged = await Promise.all(['latest', 'other'].map((tag) => images.get(`app/manifests/${tag}`)));
    expect(tagged.map(({ text }) => text)).toEqual([next.manifest, manifest]);
    expect(await brokenContent(service)).toEqual([]);
    return answers;
  });

  itAnswers('201 for an index of two platforms, and for old caches of BuildKit, which list blobs', async () => {
    const platforms = [await images.push('multi', 'amd64'), await images.push('multi', 'arm64')];
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: indexMediaType,
      manifests: platforms.map(({ manifest }) => descriptorOf(manifest, imageMediaType)),
    });
    const cache = JSON.stringify({
      schemaVersion: 2,
      mediaType: indexMediaType,
      manifests: [descriptorOf(platforms[0]?.image.config ?? '', 'application/vnd.buildkit.cacheconfig.v0')],
    });
    const answers = [
      await images.pushManifest('multi', '1', index, { type: indexMediaType }),
      await images.pushManifest('multi', 'cache', cache, { type: indexMediaType }),
    ];
    expect((await images.get('multi/manifests/1')).text).toBe(index);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for a blob or a manifest that the image does not have', async () => {
    const image = newImage();
    const elsewhere = await images.push('elsewhere', '1', image);
    await images.pushBlob('lacking', image.config);
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: indexMediaType,
      manifests: [descriptorOf(elsewhere.manifest, imageMediaType)],
    });
    const answers = [
      await images.pushManifest('lacking', '1', manifestOf(image)),
      await images.pushManifest('lacking', '1', index, { type: indexMediaType }),
    ];
    expect(codesIn(answers[0]?.text ?? '')).toEqual(['MANIFEST_BLOB_UNKNOWN']);
    expect(answers[0]?.problem?.detail).toContain(digestOf(String(image.layers[0])));
    expect((await images.get('lacking/manifests/1')).status).toBe(404);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for an index whose children were deleted', async () => {
    const { digest, manifest } = await images.push('childless', '1');
    await images.remove(`childless/manifests/${digest}`);
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: indexMediaType,
      manifests: [descriptorOf(manifest, imageMediaType)],
    });
    return images.pushManifest('childless', '2', index, { type: indexMediaType });
  });

  itAnswers('400 PACKAGE_INVALID for an index again whose children were deleted since; no tag moves', async () => {
    const { digest, manifest } = await images.push('orphaned', '1');
    const manifests = [descriptorOf(manifest, imageMediaType)];
    const index = JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests });
    const push = async () => images.pushManifest('orphaned', '2', index, { type: indexMediaType });
    expect([(await push()).status, (await push()).status]).toEqual([201, 201]);
    const other = await images.push('orphaned', '2');
    await images.remove(`orphaned/manifests/${digest}`);
    const answer = await push();
    expect((await images.get('orphaned/manifests/2')).text).toBe(other.manifest);
    // For the tests after this one, what a manifest names and nobody has is lost.
    await images.remove(`orphaned/manifests/${digestOf(index)}`);
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for what is no manifest', async () => {
    const image = newImage();
    const fields = JSON.parse(manifestOf(image)) as object;
    const send = async (changes: object, type = imageMediaType) =>
      images.pushManifest('invalid', '1', JSON.stringify({ ...fields, ...changes }), { type });
    return [
      await send({ schemaVersion: 1 }),
      await send({ mediaType: indexMediaType }),
      await send({}, 'text/html'),
      await send({ config: undefined }),
      await send({ layers: 'none' }),
      await send({ layers: [{ digest: 'md5:0' }] }),
      await send({ subject: {} }),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for what some clients read as an image and others as an index', async () => {
    const { image, manifest } = await images.push('both', '1');
    const { config, layers } = JSON.parse(manifest) as Record<string, object>;
    const manifests = [descriptorOf(manifest, imageMediaType)];
    const send = async (type: string, fields: object) =>
      images.pushManifest('both', '2', JSON.stringify({ schemaVersion: 2, ...fields }), { type });
    const answers = [
      await images.pushManifest('both', '2', manifestOf(image, { manifests })),
      await send(imageMediaType, { config, layers, manifests: [] }),
      await send(indexMediaType, { manifests, layers }),
      await send(indexMediaType, { manifests, config }),
    ];
    for (const { text } of answers) expect(codesIn(text)).toEqual(['MANIFEST_INVALID']);
    expect(answers[2]?.problem?.detail).toContain('layers');
    // Registries that are written in Go may send null for what is not there.
    expect((await send(indexMediaType, { manifests, config: null, layers: null })).status).toBe(201);
    return answers;
  });

  itAnswers('400 BODY_MALFORMED for what is no JSON', async () => images.pushManifest('invalid', '1', 'no manifest'));

  itAnswers('413 BODY_TOO_LARGE for more than 4 MiB', async () =>
    images.pushManifest('invalid', '1', manifestOf(newImage(), { annotations: { x: 'x'.repeat(4_194_304) } })),
  );

  itAnswers('400 PACKAGE_INVALID for another digest', async () => {
    const { image, manifest } = await images.push('digests', '1');
    const other = manifestOf(image, { annotations: { is: 'another' } });
    return images.pushManifest('digests', digestOf(manifest), other);
  });

  it('names the subject, which need not be there', async () => {
    const subject = descriptorOf(uniqueName('subject'), imageMediaType);
    const image = newImage();
    for (const bytes of [image.config, ...image.layers]) await images.pushBlob('about', bytes);
    const { headers } = await images.pushManifest('about', '1', manifestOf(image, { subject }));
    expect(headers['oci-subject']).toBe(subject.digest);
  });

  it('takes an image of 300 layers, and 4 MiB of manifest', async () => {
    const image = newImage(300);
    await inBatches([image.config, ...image.layers], 8, async (bytes) =>
      expect((await images.pushBlob('layers', bytes)).status).toBe(201),
    );
    const plain = manifestOf(image);
    const manifest = manifestOf(image, { annotations: { x: 'x'.repeat(4_194_304 - plain.length - 25) } });
    const answer = await images.pushManifest('layers', 'many', manifest);
    expect([answer.status, manifest.length > 4_194_200]).toEqual([201, true]);
    expect((await images.get('layers/manifests/many')).text).toBe(manifest);
  });

  it('lets one of two pushes of a tag win, and loses neither image', async () => {
    const pushes = await Promise.all(Array.from({ length: 8 }, () => images.push('race', 'latest')));
    const { text } = await images.get('race/manifests/latest');
    expect(pushes.map(({ manifest }) => manifest)).toContain(text);
    for (const { digest, manifest } of pushes)
      expect((await images.get(`race/manifests/${digest}`)).text).toBe(manifest);
    const same = newImage();
    const again = await Promise.all(Array.from({ length: 8 }, (_, at) => images.push('race', `same${at}`, same)));
    const tags = JSON.parse((await images.get('race/tags/list')).text) as { tags: string[] };
    expect(tags.tags).toEqual(['latest', ...again.map((_, at) => `same${at}`)]);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('is published through a virtual repository to its upload target', async () => {
    const { workspace, repository } = images.setting;
    const virtual = await createVirtual(service, workspace, [repository], {
      packageType: 'docker',
      uploadLocalRepositoryId: repository.id,
    });
    const { manifest, image } = await images.push('virtual', '1', undefined, { repository: virtual });
    expect((await images.get('virtual/manifests/1')).text).toBe(manifest);
    expect((await images.get('virtual/manifests/1', { repository: virtual })).text).toBe(manifest);
    const layer = digestOf(String(image.layers[0]));
    expect((await images.get(`virtual/blobs/${layer}`, { repository: virtual })).text).toBe(image.layers[0]);
    expect((await images.get('virtual/tags/list', { repository: virtual })).text).toContain('"tags":["1"]');
  });

  it('is a version of a package: its digest, with who pushed it. Blobs alone make none', async () => {
    const repository = await service.world.repository(images.setting.workspace, undefined, 'docker');
    await images.pushBlob('blobs', 'only', { repository });
    const { digest, manifest, image } = await images.push('listed', '1', undefined, { repository });
    const place = { workspace: images.setting.workspace.id, repository: repository.id };
    const as = images.setting.admin.bearer;
    const { packages } = await service.client.succeed(listPackages, { params: place, as });
    const sizes = [manifest, image.config, ...image.layers].map((bytes) => Buffer.byteLength(bytes));
    expect(packages).toMatchObject([
      { name: 'listed', latestVersion: digest, versionCount: 1, sizeInBytes: sizes.reduce((sum, size) => sum + size) },
    ]);
    const params = { ...place, package: 'listed' };
    expect(await service.client.succeed(listPackageVersions, { params, as })).toMatchObject([{ version: digest }]);
    const version = await service.client.succeed(getPackageVersion, { params: { ...params, version: digest }, as });
    expect(version.files).toMatchObject([{ mediaType: imageMediaType, sizeInBytes: manifest.length }]);
    const next = await images.push('listed', 'next', undefined, { repository });
    const record = async () => service.client.succeed(getPackage, { params, as });
    expect(await record()).toMatchObject({
      latestVersion: next.digest,
      tags: [
        { tag: '1', version: digest },
        { tag: 'next', version: next.digest },
      ],
    });
    await images.pushManifest('listed', 'latest', manifest, { repository });
    expect((await record()).latestVersion).toBe(digest);
    await images.remove(`listed/manifests/${next.digest}`, { repository });
    expect((await record()).tags.map(({ tag }) => tag)).toEqual(['1', 'latest']);
  });

  itAnswers('403 QUOTA_EXCEEDED for a blob beyond the limit of the workspace', async () => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace, undefined, 'docker');
    const as = images.setting.admin.bearer;
    await service.client.succeed(updateWorkspace, {
      params: { workspace: workspace.id },
      body: { storageLimit: 10 },
      as,
    });
    const path = `/v2/${workspace.name}/${repository.name}/app/blobs/uploads/?digest=${digestOf('more than ten')}`;
    return images.send('POST', path, { body: 'more than ten' });
  });
});
