import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { useUpstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';
import { useGems } from '../../types/gems.ts';

/** What a remote repository asks of a list that grows at its end, and what it takes of the answers. */
const service = useService();
const upstream = useUpstream();
const { setting, get } = useGems(service);

const begin = 'created_at: 2026-01-01T00:00:00Z\n---\n';
const lineOf = (gem: string, versions: string): string => `${gem} ${versions} ${'0'.repeat(32)}\n`;
const before = `${begin}${lineOf('rake', '13.0.0')}`;
const grown = `${before}${lineOf('tool', '1.0.0')}`;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');
const byRepr = (text: string): OutgoingHttpHeaders => ({ 'Repr-Digest': `sha-256=:${digestOf(text)}:` });
const byDigest = (text: string): OutgoingHttpHeaders => ({ Digest: `SHA-256=${digestOf(text)}` });

/** Answers who asks for a part with it, if the content is another than that of their ETag. `changed` is what is sent in its place. */
const parts =
  (list: string, headers: OutgoingHttpHeaders = byRepr(list), changed?: RequestListener): RequestListener =>
  (request, response) => {
    const etag = `"${digestOf(list)}"`;
    const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { ETag: etag }).end();
    else if (from !== undefined && changed) changed(request, response);
    else if (from === undefined) response.writeHead(200, { ETag: etag, ...headers }).end(list);
    else response.writeHead(206, { ETag: etag, ...headers }).end(list.slice(Number(from)));
  };

const newRemote = async (): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: 'gems',
    remoteRepositoryUrl: upstream.url,
    metadataCacheTimeTillRevalidation: 1,
  });

const namesIn = async (repository: Named): Promise<string[]> =>
  (await get('names', { repository })).text.split('\n').slice(1, -1);

/** The ranges that the upstream was asked for, oldest first. */
const ranges = (): string[] => upstream.requests.map(({ headers: { range = 'whole' } }) => range);

/** A repository that has the list from before, and the ranges that it asks for from then on. */
const filled = async (): Promise<Named> => {
  upstream.answer = parts(before);
  const repository = await newRemote();
  expect(await namesIn(repository)).toEqual(['rake']);
  upstream.requests.length = 0;
  return repository;
};

const behind = `bytes=${before.length - 1}-`;

describe('A list of all gems that has grown at an upstream', () => {
  it.each([
    ['Repr-Digest', byRepr],
    ['Digest', byDigest],
  ])('is asked for behind what is kept of it, and proven by %s', async (_, promise) => {
    const repository = await filled();
    upstream.answer = parts(grown, promise(grown));
    expect(await namesIn(repository)).toEqual(['rake', 'tool']);
    expect(ranges()).toEqual([behind]);
    const again = `${grown}${lineOf('tool', '-1.0.0')}${lineOf('zip', '2.0')}`;
    upstream.answer = parts(again, promise(again));
    expect(await namesIn(repository)).toEqual(['rake', 'zip']);
    expect(ranges()).toEqual([behind, `bytes=${grown.length - 1}-`]);
    expect(upstream.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'identity']);
  });

  it('is kept while the upstream confirms it', async () => {
    const repository = await filled();
    expect(await namesIn(repository)).toEqual(['rake']);
    expect(upstream.requests.map(({ headers }) => [headers.range, headers['if-none-match']])).toEqual([
      [behind, `"${digestOf(before)}"`],
    ]);
  });

  it('is taken as a whole where the upstream sends that, and asked for behind it from then on', async () => {
    const repository = await filled();
    upstream.answer = (_request, response) => void response.writeHead(200).end(grown);
    expect(await namesIn(repository)).toEqual(['rake', 'tool']);
    expect(await namesIn(repository)).toEqual(['rake', 'tool']);
    expect(ranges()).toEqual([behind, `bytes=${grown.length - 1}-`]);
  });

  const rewritten = `${begin}${lineOf('a', '1.0')}${lineOf('b', '1.0')}${lineOf('c', '1.0')}`;

  it.each<readonly [string, string, RequestListener]>([
    ['does not have so many bytes', begin, (_, response) => void response.writeHead(416).end()],
    [
      'was written anew, with another byte at the end of what is kept',
      rewritten,
      (_, response) => void response.writeHead(206, byRepr(`${before}bc`)).end('abc'),
    ],
    [
      'was written anew, with the same byte at the end of what is kept',
      rewritten,
      (_, response) => void response.writeHead(206, byRepr(rewritten)).end(`\n${lineOf('c', '1.0')}`),
    ],
    ['is proven by nothing', grown, (_, response) => void response.writeHead(206).end(`\n${lineOf('tool', '1.0.0')}`)],
    ['is sent without a byte', grown, (_, response) => void response.writeHead(206, byRepr(grown)).end()],
    [
      'is sent in a part of its compressed form',
      grown,
      (_, response) =>
        void response.writeHead(206, { ...byRepr(grown), 'Content-Encoding': 'gzip' }).end(gzipSync('part')),
    ],
  ])('is fetched as a whole if it %s', async (_, list, changed) => {
    const repository = await filled();
    upstream.answer = parts(list, byRepr(list), changed);
    const expected = list === begin ? [] : list === grown ? ['rake', 'tool'] : ['a', 'b', 'c'];
    expect(await namesIn(repository)).toEqual(expected);
    expect(ranges()).toEqual([behind, 'whole']);
    expect(upstream.requests.at(-1)?.headers['if-none-match']).toBeUndefined();
  });

  it('is stale while the upstream fails, and no second question follows', async () => {
    const repository = await filled();
    upstream.answer = (_request, response) => void response.writeHead(500).end();
    const { status, text, headers } = await get('names', { repository });
    expect([status, text, headers.warning === undefined]).toEqual([200, '---\nrake\n', false]);
    expect(ranges()).toEqual([behind]);
  });

  it('is never asked for in parts where nothing is kept', async () => {
    upstream.answer = parts(before);
    const repository = await createRemote(service, setting.workspace, {
      packageType: 'gems',
      remoteRepositoryUrl: upstream.url,
      isRemoteCacheEnabled: false,
    });
    for (const list of [before, grown]) {
      upstream.answer = parts(list);
      await namesIn(repository);
    }
    expect(ranges()).toEqual(['whole', 'whole']);
  });
});

describe('A list of all gems of an upstream', () => {
  it('is read with all of its lines, whichever gem has several of them', async () => {
    const md5 = '1'.repeat(32);
    upstream.answer = parts(
      [
        begin.trimEnd(),
        `late -1.0 ${md5}`,
        `late 1.0,1.1-java ${md5}`,
        `twice 1.0,2.0 ${md5}`,
        `gone 1.0 ${md5}`,
        `odd 1.0,?,${'1'.repeat(81)} ${md5}`,
        `none ? ${md5}`,
        `../up 1.0 ${md5}`,
        `no-hash 1.0 ${'1'.repeat(31)}`,
        `twice 3.0,-1.0 ${'2'.repeat(32)}`,
        `twice 4.0 ${'3'.repeat(32)}`,
        `gone -1.0 ${'2'.repeat(32)}`,
        '',
      ].join('\n'),
    );
    const { text } = await get('versions', { repository: await newRemote() });
    expect(text.split('\n').slice(2, -1)).toEqual([
      `late 1.0,1.1-java ${md5}`,
      `odd 1.0 ${md5}`,
      `twice 2.0,3.0,4.0 ${'3'.repeat(32)}`,
    ]);
  });
});
