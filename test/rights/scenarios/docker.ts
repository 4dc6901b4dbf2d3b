import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import {
  createBlobUpload,
  deleteImageContent,
  getImageContent,
  publishImageContent,
  updateBlobUpload,
} from '../../../functions/docker/contracts.ts';
import { getPackage } from '../../../functions/packages/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { digestOf, imageMediaType, manifestOf, newImage } from '../../harness/images.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { createRemote, createVirtual, typedRepository } from '../../harness/repositories.ts';
import { serving } from '../../harness/upstream.ts';
import { newPassword, uniqueName } from '../../harness/world.ts';
import { announcing, breakingOff, largeContent } from './fetched-files.ts';
import { contentsOf, placeIn, type RightsScenario } from './scenario.ts';

const octets = (content: string | Uint8Array) => ({ content, mediaType: 'application/octet-stream' });

const manyVersions: RightsScenario['manyVersions'] = async (fixture) => {
  const repository = await typedRepository(fixture, 'docker');
  const name = uniqueName('image');
  await publishUntilDue(fixture.workspace, repository, name, () => ['']);
  const place = placeIn(fixture, repository);
  const image = newImage();
  const unneeded = uniqueName('unneeded');
  const manifest = manifestOf(image);
  const at = (path: string) => ({ params: { ...place, path: `${name}/${path}` } });
  return [
    ...[image.config, ...image.layers, unneeded, `${unneeded} again`].map(
      (content) =>
        [
          createBlobUpload,
          { ...at('blobs/uploads/'), query: { digest: digestOf(content) }, bytes: octets(content) },
        ] as const,
    ),
    [publishImageContent, { ...at('manifests/1'), bytes: { content: manifest, mediaType: imageMediaType } }],
    [getImageContent, at(`referrers/${digestOf(manifest)}`)],
    [getPackage, { params: { ...place, package: name } }],
    [deleteImageContent, at(`blobs/${digestOf(unneeded)}`)],
  ];
};

/** A large blob in pieces, which are merged. The bytes are stored, but not the blob: the next try gives up its own copy of them. */
const pushLargeBlob: RightsScenario['others'] = async ({ service: { proxy }, fixture }) => {
  const { client, systemAdmin } = fixture;
  const place = placeIn(fixture, await typedRepository(fixture, 'docker'));
  const as = systemAdmin.bearer;
  const pieces = Array.from({ length: 4 }, () => randomBytes(4_400_000));
  const requestAt = (location: unknown) => {
    const url = new URL(String(location), 'http://localhost');
    const path = url.pathname.split('/').slice(4).join('/');
    return { params: { ...place, path }, query: { state: url.searchParams.get('state') ?? '' }, as };
  };
  const path = `${uniqueName('image')}/blobs/uploads/`;
  let { headers } = await client.attempt(createBlobUpload, { params: { ...place, path }, as });
  for (const piece of pieces)
    ({ headers } = await client.attempt(updateBlobUpload, { ...requestAt(headers.location), bytes: octets(piece) }));
  const { query, ...request } = requestAt(headers.location);
  const complete = async (): Promise<number> => {
    const whole = { ...query, digest: digestOf(Buffer.concat(pieces)) };
    return (await client.attempt(publishImageContent, { ...request, query: whole })).status;
  };
  // What prepares the image and what announces the bytes succeed, and what makes them a blob of the image does not.
  proxy.inject({
    functionId: publishImageContent.id,
    fault: 'server-error',
    operation: 'TransactWriteItems',
    after: 2,
    times: 30,
  });
  const first = await complete();
  proxy.heal();
  expect([first, await complete()]).toEqual([503, 201]);
};

/** The manifest of an upstream is pushed: the first fetch of its layer breaks off, and the worker goes on with the second. */
const retagImage: RightsScenario['others'] = async ({ service, fixture, upstream }) => {
  const { client, systemAdmin, workspace } = fixture;
  const large = largeContent();
  const image = { ...newImage(), layers: [large] };
  const [manifest, name] = [manifestOf(image), uniqueName('image')];
  const answers = [breakingOff(large), announcing(10 ** 9), serving(large)];
  upstream.answer = (request, response) => {
    const [digest, kind] = String(request.url).split('/').toReversed();
    const answerOf = (): RequestListener => {
      if (kind === 'manifests') return serving(manifest, { 'Content-Type': imageMediaType });
      return digest === digestOf(large) ? (answers.shift() ?? serving(large)) : serving(image.config);
    };
    answerOf()(request, response);
  };
  const remote = await createRemote(service, workspace, {
    packageType: 'docker',
    remoteRepositoryUrl: upstream.url,
    remoteRepositoryUsername: 'ci',
    remoteRepositoryPassword: newPassword(),
  });
  const target = await service.world.repository(workspace, undefined, 'docker');
  const settings = { packageType: 'docker', uploadLocalRepositoryId: target.id } as const;
  const place = placeIn(fixture, await createVirtual(service, workspace, [target, remote], settings));
  const as = systemAdmin.bearer;
  const paramsOf = (reference: string) => ({ ...place, path: `${name}/manifests/${reference}` });
  expect((await client.attempt(getImageContent, { params: paramsOf(digestOf(manifest)), as })).status).toBe(200);
  const push = async (): Promise<number> => {
    const bytes = { content: manifest, mediaType: imageMediaType };
    return (await client.attempt(publishImageContent, { params: paramsOf('stable'), bytes, as })).status;
  };
  expect([await push(), await push(), answers.length]).toEqual([502, 201, 0]);
};

export const dockerScenario: RightsScenario = {
  manyVersions,
  fetching: {
    contract: getImageContent,
    paramsOf: (file, large) => ({ path: `tool/blobs/sha256:${sha256(contentsOf(large)[file])}` }),
  },
  others: async (setting) => {
    await pushLargeBlob(setting);
    await retagImage(setting);
  },
};
