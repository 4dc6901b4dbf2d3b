import { randomBytes } from 'node:crypto';
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
import { refusing, useUpstream } from '../../harness/upstream.ts';
import { type Named, newPassword } from '../../harness/world.ts';
import { putImage, requestsOf, useRegistry } from './image-registry.ts';

jest.setTimeout(60_000);

const service = useService();
const images = useImages(service);
const upstream = useUpstream();
const { content, tokens, remote } = useRegistry(service, images, upstream);

const cacheOf = ({ status, headers }: Awaited<ReturnType<typeof images.get>>) => [
  status,
  headers['x-stockroom-cache'],
  headers.warning,
];

describe('GET /v2/{workspace}/{repository}/{path+} of a remote repository', () => {
  it('gets a token for the image with the credentials, and pulls once', async () => {
    const remoteRepositoryPassword = newPassword();
    const repository = await remote({ remoteRepositoryUsername: 'ci', remoteRepositoryPassword });
    const image = { ...newImage(), layers: ['small', randomBytes(400_000)] };
    const manifest = putImage(content, 'team/web', '1', image);
    const tagged = await images.get('team/web/manifests/1', { repository });
    expect([tagged.text, tagged.headers['content-type'], tagged.headers['docker-content-digest']]).toEqual([
      manifest,
      imageMediaType,
      digestOf(manifest),
    ]);
    expect(cacheOf(tagged)).toEqual([200, 'miss', undefined]);
    const blobs = async () => {
      for (const bytes of [image.config, ...image.layers]) {
        const answer = await images.get(`team/web/blobs/${digestOf(bytes)}`, { repository });
        const text =
          answer.status === 302 ? await (await fetch(String(answer.headers.location))).arrayBuffer() : answer.text;
        expect(digestOf(typeof text === 'string' ? text : Buffer.from(text))).toBe(digestOf(bytes));
      }
    };
    await blobs();
    const first = requestsOf(upstream);
    expect(first.slice(0, 2)).toEqual([
      'HEAD /v2/team/web/manifests/1',
      `GET /v2/team/web/manifests/${digestOf(manifest)}`,
    ]);
    expect(first).toHaveLength(5);
    const basic = `Basic ${Buffer.from(`ci:${remoteRepositoryPassword}`).toString('base64')}`;
    expect(new Set(tokens.asked)).toEqual(new Set([basic]));
    expect(cacheOf(await images.get('team/web/manifests/1', { repository }))).toEqual([200, 'hit', undefined]);
    await blobs();
    expect(requestsOf(upstream)).toEqual(first);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('asks for a token for each image, once, and sends it for no other', async () => {
    const repository = await remote();
    const pull = async (name: string, tag: string): Promise<void> => {
      const manifest = putImage(content, name, tag, newImage());
      expect((await images.get(`${name}/manifests/${tag}`, { repository })).text).toBe(manifest);
    };
    for (const tag of ['1', '2']) for (const name of ['one', 'two']) await pull(name, tag);
    const requests = requestsOf(upstream);
    expect(requests).toEqual([...new Set(requests)]);
  });

  it('asks for a token for each repository, also for those of one upstream without credentials', async () => {
    const manifest = putImage(content, 'app', '1', newImage());
    for (const repository of [await remote(), await remote()])
      expect((await images.get('app/manifests/1', { repository })).text).toBe(manifest);
    expect(tokens.asked).toHaveLength(2);
  });

  it('asks again for a tag when its time is over, with HEAD, and for a manifest only if the tag moved', async () => {
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    const image = newImage();
    const old = putImage(content, 'app', '1', image);
    expect((await images.get('app/manifests/1', { repository })).text).toBe(old);
    upstream.requests.length = 0;
    expect((await images.get('app/manifests/1', { repository })).text).toBe(old);
    expect(requestsOf(upstream)).toEqual(['HEAD /v2/app/manifests/1']);
    const moved = putImage(content, 'app', '1', newImage());
    expect((await images.get('app/manifests/1', { repository })).text).toBe(moved);
    upstream.answer = refusing(503);
    const stale = await images.get('app/manifests/1', { repository });
    expect([stale.text, ...cacheOf(stale)]).toEqual([moved, 200, 'stale', '110 - "Response is Stale"']);
    const known = await images.get(`app/manifests/${digestOf(old)}`, { repository });
    expect([known.text, ...cacheOf(known)]).toEqual([old, 200, 'hit', undefined]);
  });

  it('lists the tags of the upstream', async () => {
    const repository = await remote();
    for (const tag of ['b', 'a']) putImage(content, 'app', tag, newImage());
    expect(JSON.parse((await images.get('app/tags/list', { repository })).text)).toMatchObject({ tags: ['a', 'b'] });
    expect(JSON.parse((await images.get('app/tags/list?n=1', { repository })).text)).toMatchObject({ tags: ['a'] });
  });

  it('lists the tags of an upstream that sends few of them at once', async () => {
    const repository = await remote();
    content.tagsMax = 2;
    const tags = ['a', 'b', 'c', 'd', 'e'];
    for (const tag of tags) putImage(content, 'app', tag, newImage());
    for (const _ of ['asked', 'kept'])
      expect(JSON.parse((await images.get('app/tags/list', { repository })).text)).toMatchObject({ tags });
    expect(requestsOf(upstream)).toEqual([
      'GET /v2/app/tags/list?n=1000',
      'GET /v2/app/tags/list?after=b',
      'GET /v2/app/tags/list?after=d',
    ]);
  });

  it('lists the tags of an upstream that sends none of them at first', async () => {
    upstream.answer = ({ url = '' }, response) => {
      const [, at = '0'] = /next=(\d)/.exec(url) ?? [];
      const headers = { Link: `<?next=${Number(at) + 1}>; rel="next"` };
      response.writeHead(200, at < '3' ? headers : {}).end(JSON.stringify({ tags: at < '2' ? [] : [at] }));
    };
    const { text } = await images.get('app/tags/list', { repository: await remote() });
    expect(JSON.parse(text)).toMatchObject({ tags: ['2', '3'] });
  });

  it('asks for no page of tags twice, and for 20 at most', async () => {
    const repository = await remote();
    const linkTo =
      (page: (asked: string) => number) =>
      (): typeof upstream.answer =>
      ({ url = '' }, response) => {
        const Link = `<?page=${page(url)}>; rel="next"`;
        response.writeHead(200, { Link }).end(JSON.stringify({ tags: ['a'] }));
      };
    const counts: number[] = [];
    for (const [name, answer] of [
      ['same', linkTo(() => 1)],
      ['new', linkTo(() => upstream.requests.length)],
    ] as const) {
      upstream.requests.length = 0;
      upstream.answer = answer();
      expect((await images.get(`${name}/tags/list`, { repository })).status).toBe(200);
      counts.push(upstream.requests.length);
    }
    expect(counts).toEqual([2, 20]);
  });

  it('lists the referrers of an upstream that sends few of them at once, kept or not', async () => {
    const digest = digestOf('subject');
    const manifests = ['a', 'b', 'c', 'd', 'e'].map((each, at) => ({
      ...descriptorOf(each, imageMediaType),
      artifactType: `application/t${at % 2}`,
    }));
    upstream.answer = ({ url = '' }, response) => {
      const begin = Number(/begin=(\d)/.exec(url)?.[1] ?? '0');
      const headers = begin < 4 ? { Link: `<?begin=${begin + 2}>; rel="next"` } : {};
      const body = { schemaVersion: 2, manifests: manifests.slice(begin, begin + 2) };
      response.writeHead(200, headers).end(JSON.stringify(body));
    };
    const digestsIn = ({ text }: { readonly text: string }): string[] =>
      (JSON.parse(text) as { readonly manifests: typeof manifests }).manifests.map((each) => each.digest).toSorted();
    for (const isRemoteCacheEnabled of [true, false]) {
      const repository = await remote({ isRemoteCacheEnabled });
      for (const _ of ['asked', 'kept'])
        expect(digestsIn(await images.get(`app/referrers/${digest}`, { repository }))).toEqual(
          manifests.map((each) => each.digest).toSorted(),
        );
      const some = await images.get(`app/referrers/${digest}?artifactType=application/t1`, { repository });
      expect(digestsIn(some)).toHaveLength(2);
    }
    expect(upstream.requests).toHaveLength(3 + 9);
  });

  it('tells of failures with the code of the specification of distribution', async () => {
    const asked = async (repository: Named): Promise<unknown[]> => {
      const { status, text } = await images.get('app/manifests/1', { repository });
      const { errors } = JSON.parse(text) as { errors: readonly { readonly code: string }[] };
      return [status, ...errors.map(({ code }) => code)];
    };
    upstream.answer = refusing(503);
    expect(await asked(await remote())).toEqual([502, 'UNAVAILABLE']);
    const unreachable = await remote({ remoteRepositoryUrl: 'http://127.0.0.1:1' });
    expect(await asked(unreachable)).toEqual([504, 'UNAVAILABLE']);
  });

  itAnswers('502 UPSTREAM_FAILED for other bytes than the digest says, which are not kept', async () => {
    const repository = await remote();
    const digest = digestOf('the right bytes');
    content.blobs.set(`app@${digest}`, Buffer.from('other bytes'));
    content.manifests.set(`app@${digest}`, manifestOf(newImage()));
    const answers = [
      await images.get(`app/blobs/${digest}`, { repository }),
      await images.get(`app/manifests/${digest}`, { repository }),
    ];
    content.blobs.set(`app@${digest}`, Buffer.from('the right bytes'));
    expect((await images.get(`app/blobs/${digest}`, { repository })).text).toBe('the right bytes');
    return answers;
  });

  itAnswers('404 VERSION_NOT_FOUND for a tag that the upstream does not have', async () =>
    images.get('app/manifests/none', { repository: await remote() }),
  );

  it('asks nothing for as long as a registry that limits its clients says', async () => {
    const repository = await remote();
    upstream.answer = refusing(429, { 'Retry-After': '60' });
    expect((await images.get('app/manifests/1', { repository })).code).toBe('UPSTREAM_FAILED');
    const { length } = upstream.requests;
    expect((await images.get('other/manifests/1', { repository })).code).toBe('UPSTREAM_FAILED');
    expect(upstream.requests).toHaveLength(length);
  });

  it('says the digest of what it passes on where its cache is off', async () => {
    const repository = await remote({ isRemoteCacheEnabled: false });
    const image = { ...newImage(), layers: [randomBytes(400_000)] };
    const digest = digestOf(putImage(content, 'app', '1', image));
    const [config, layer] = [image.config, ...image.layers].map((each) => digestOf(each));
    const { admin } = images.setting;
    for (const [path, ...expected] of [
      ['manifests/1', 200, digest],
      [`manifests/${digest}`, 200, digest],
      [`blobs/${config}`, 200, config],
      [`blobs/${layer}`, 302, layer],
    ] as const) {
      const answer = await images.get(`app/${path}`, { repository });
      const head = await service.client.raw({
        method: 'HEAD',
        path: `${images.base(repository)}/app/${path}`,
        headers: [['Authorization', admin.bearer]],
      });
      for (const { status, headers } of [answer, head])
        expect([status, headers['docker-content-digest']]).toEqual(expected);
    }
  });

  it('names those that failed before it where it passes on what a tag leads to', async () => {
    const broken = await remote({ remoteRepositoryUrl: 'http://127.0.0.1:1' });
    const passing = await remote({ isRemoteCacheEnabled: false });
    const virtual = await createVirtual(service, images.setting.workspace, [broken, passing], {
      packageType: 'docker',
    });
    const manifest = putImage(content, 'app', '1', newImage());
    const { text, headers } = await images.get('app/manifests/1', { repository: virtual });
    expect([text, headers.warning]).toEqual([manifest, expect.stringContaining(broken.name)]);
  });

  const dockerList = 'application/vnd.docker.distribution.manifest.list.v2+json';
  const artifactType = 'application/vnd.oci.artifact.manifest.v1+json';
  const list = { schemaVersion: 2, manifests: [] };
  const untyped = { schemaVersion: 2, config: descriptorOf('{}', 'application/json'), layers: [] };

  it.each([
    ['application/json', { ...list, mediaType: indexMediaType }, 200, indexMediaType],
    ['application/octet-stream', { ...list, mediaType: dockerList }, 200, dockerList],
    ['text/plain; charset=utf-8', list, 200, indexMediaType],
    ['', untyped, 200, imageMediaType],
    [artifactType, { mediaType: artifactType, blobs: [] }, 502, undefined],
    ['application/vnd.docker.distribution.manifest.v1+prettyjws', { schemaVersion: 1, fsLayers: [] }, 502, undefined],
    ['application/json', [], 502, undefined],
  ] as const)(
    'has a manifest that is sent as "%s" by what it says itself: %j is %d %s',
    async (sent, document, ...expected) => {
      const manifest = JSON.stringify(document);
      content.mediaType = sent;
      content.manifests.set('app:1', manifest).set(`app@${digestOf(manifest)}`, manifest);
      for (const isRemoteCacheEnabled of [true, false]) {
        const repository = await remote({ isRemoteCacheEnabled });
        for (const _ of ['fetched', 'kept']) {
          const { status, headers } = await images.get('app/manifests/1', { repository });
          expect([status, status === 200 ? headers['content-type'] : undefined]).toEqual(expected);
        }
      }
    },
  );

  it('asks nothing for as long as the place limits its clients where tokens are', async () => {
    const repository = await remote();
    const registry = upstream.answer;
    upstream.answer = (request, response) =>
      (request.url?.startsWith('/token') ? refusing(429, { 'Retry-After': '60' }) : registry)(request, response);
    const asked = async (image: string) => {
      const { code, headers } = await images.get(`${image}/manifests/1`, { repository });
      return [code, Number(headers['retry-after']) > 50];
    };
    expect(await asked('app')).toEqual(['UPSTREAM_FAILED', true]);
    const { length } = upstream.requests;
    expect(await asked('other')).toEqual(['UPSTREAM_FAILED', true]);
    expect(upstream.requests).toHaveLength(length);
  });

  it('has the path of its URL before the name, and keeps nothing if its cache is off', async () => {
    const repository = await remote({ remoteRepositoryUrl: `${upstream.url}/org/`, isRemoteCacheEnabled: false });
    const image = newImage();
    const manifest = putImage(content, 'org/app', '1', image);
    for (const _ of [1, 2]) {
      expect((await images.get('app/manifests/1', { repository })).text).toBe(manifest);
      expect((await images.get(`app/blobs/${digestOf(image.config)}`, { repository })).text).toBe(image.config);
    }
    expect(requestsOf(upstream).filter((each) => each.startsWith('GET'))).toHaveLength(4);
  });
});

describe('GET /v2/{workspace}/{repository}/{path+} of a virtual repository', () => {
  it('takes the first child that has the reference, and asks no upstream for a name that a local child holds', async () => {
    const { workspace, repository: local } = images.setting;
    const child = await remote();
    const virtual = await createVirtual(service, workspace, [local, child], { packageType: 'docker' });
    const { manifest } = await images.push('held', '1');
    putImage(content, 'held', '2', newImage());
    const theirs = putImage(content, 'theirs', '1', newImage());
    expect((await images.get('held/manifests/1', { repository: virtual })).text).toBe(manifest);
    expect((await images.get('held/manifests/2', { repository: virtual })).status).toBe(404);
    expect(JSON.parse((await images.get('held/tags/list', { repository: virtual })).text)).toMatchObject({
      tags: ['1'],
    });
    expect(upstream.requests).toEqual([]);
    const answer = await images.get('theirs/manifests/1', { repository: virtual });
    expect([answer.text, answer.headers['x-stockroom-origin']]).toEqual([theirs, child.name]);
    expect((await images.get(`theirs/manifests/${digestOf(theirs)}`, { repository: virtual })).text).toBe(theirs);
  });

  it('takes a tag of its children in their order', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (path) => remote({ remoteRepositoryUrl: `${upstream.url}/${path}` })),
    );
    const theirs = ['one', 'two'].map((path) => putImage(content, `${path}/app`, '1', newImage()));
    for (const [children, expected] of [
      [[one, two], theirs[0]],
      [[two, one], theirs[1]],
    ] as const) {
      const ordered = children.filter((child) => child !== undefined);
      const virtual = await createVirtual(service, images.setting.workspace, ordered, { packageType: 'docker' });
      expect((await images.get('app/manifests/1', { repository: virtual })).text).toBe(expected);
    }
  });

  it('merges the tags of its children, and names those that fail', async () => {
    const { workspace } = images.setting;
    const [one, other] = [await remote(), await remote({ metadataCacheTimeTillRevalidation: 1 })];
    const virtual = await createVirtual(service, workspace, [one, other], { packageType: 'docker' });
    putImage(content, 'app', 'a', newImage());
    expect((await images.get('app/tags/list', { repository: one })).status).toBe(200);
    upstream.answer = refusing(503);
    const { text, headers } = await images.get('app/tags/list', { repository: virtual });
    expect(JSON.parse(text)).toMatchObject({ tags: ['a'] });
    expect(headers.warning).toContain(other.name);
    expect((await images.get('none/tags/list', { repository: virtual })).code).toBe('UPSTREAM_FAILED');
  });
});
