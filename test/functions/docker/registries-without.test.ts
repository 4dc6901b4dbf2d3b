import type { RequestListener } from 'node:http';
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
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();
const images = useImages(service);
const upstream = useUpstream();

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, images.setting.workspace, {
    packageType: 'docker',
    remoteRepositoryUrl: upstream.url,
    ...fields,
  });

/** The registry answers these paths, and 404 to any other. */
const serve = (answers: Readonly<Record<string, RequestListener>>): void => {
  upstream.answer = (request, response) => (answers[request.url ?? ''] ?? refusing(404))(request, response);
};

const asked = (): string[] => upstream.requests.map(({ method, url }) => `${method} ${url}`);

const manifest = manifestOf(newImage());
const digest = digestOf(manifest);

describe('A registry that sends no digest with HEAD', () => {
  const tag = '/v2/app/manifests/1';
  const paths = (content: string, headers: Readonly<Record<string, string>> = { 'Content-Type': imageMediaType }) => ({
    [tag]: serving(content, headers),
    [`/v2/app/manifests/${digestOf(content)}`]: serving(content, headers),
  });

  it.each<Readonly<Record<string, string>>>([
    { 'Content-Type': imageMediaType },
    {},
    { 'Docker-Content-Digest': 'md5:0' },
  ])('is asked with GET, and the manifest is hashed: %j', async (headers) => {
    const repository = await remote();
    serve(paths(manifest, headers));
    for (const cache of ['miss', 'hit']) {
      const answer = await images.get('app/manifests/1', { repository });
      expect([answer.text, answer.headers['docker-content-digest'], answer.headers['x-stockroom-cache']]).toEqual([
        manifest,
        digest,
        cache,
      ]);
    }
    expect(asked()).toEqual([`HEAD ${tag}`, `GET ${tag}`, `GET /v2/app/manifests/${digest}`]);
  });

  it.each([403, 405, 501])('is asked with GET where it refuses HEAD with %i', async (status) => {
    const repository = await remote();
    serve(paths(manifest));
    const { answer: serveGet } = upstream;
    upstream.answer = (request, response) =>
      (request.method === 'HEAD' ? refusing(status) : serveGet)(request, response);
    expect((await images.get('app/manifests/1', { repository })).text).toBe(manifest);
    expect(asked()).toEqual([`HEAD ${tag}`, `GET ${tag}`, `GET /v2/app/manifests/${digest}`]);
  });

  it('shows where its tag has moved, and the copy while it fails', async () => {
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    const stateOf = async () => {
      const { text, headers } = await images.get('app/manifests/1', { repository });
      return [text, headers['x-stockroom-cache']];
    };
    serve(paths(manifest));
    expect(await stateOf()).toEqual([manifest, 'miss']);
    const moved = manifestOf(newImage());
    serve(paths(moved));
    expect(await stateOf()).toEqual([moved, 'miss']);
    upstream.answer = refusing(503);
    expect(await stateOf()).toEqual([moved, 'stale']);
  });
});

describe('A registry without the referrers API', () => {
  const referrer = { ...descriptorOf('signature', imageMediaType), artifactType: 'application/vnd.test' };
  const list = JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests: [referrer] });
  const path = `/v2/app/referrers/${digest}`;
  const fallback = `/v2/app/manifests/sha256-${digest.slice('sha256:'.length)}`;
  const empty = JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests: [] });

  const get = async (repository: Named) => images.get(`app/referrers/${digest}`, { repository });
  const listOf = async (repository: Named) => JSON.parse((await get(repository)).text) as object;

  it('is answered with the list at its fallback tag', async () => {
    const repository = await remote();
    serve({ [fallback]: serving(list, { 'Content-Type': indexMediaType }) });
    for (const _ of ['asked', 'kept']) expect(await listOf(repository)).toMatchObject({ manifests: [referrer] });
    expect(asked()).toEqual([`GET ${path}`, `GET ${fallback}`]);
  });

  itAnswers('404 VERSION_NOT_FOUND without that tag, so that clients look further', async () => {
    const repository = await remote();
    const virtual = await createVirtual(service, images.setting.workspace, [images.setting.repository, repository], {
      packageType: 'docker',
    });
    return [await get(repository), await get(virtual)];
  });

  it('does not hide what another child of a virtual repository knows', async () => {
    const [one, two] = [await remote(), await remote({ remoteRepositoryUrl: `${upstream.url}/two` })];
    const virtual = await createVirtual(service, images.setting.workspace, [one, two], { packageType: 'docker' });
    serve({ [`/v2/two/app/referrers/${digest}`]: serving(list) });
    expect(await listOf(virtual)).toMatchObject({ manifests: [referrer] });
  });

  it.each([empty, empty.replace('[]', 'null')])('is none that answers with an empty list: %s', async (sent) => {
    const repository = await remote();
    serve({ [path]: serving(sent), [fallback]: serving(list) });
    const { status, text } = await get(repository);
    expect([status, JSON.parse(text)]).toEqual([200, JSON.parse(empty)]);
    expect(asked()).toEqual([`GET ${path}`]);
  });

  itAnswers('502 UPSTREAM_FAILED if it has a page in place of the list', async () => {
    const repository = await remote();
    const answers = [];
    for (const sent of ['<html></html>', '{"error":"maintenance"}']) {
      serve({ [path]: serving(sent) });
      answers.push(await get(repository));
    }
    serve({ [fallback]: serving(manifest) });
    return [...answers, await get(repository)];
  });
});
