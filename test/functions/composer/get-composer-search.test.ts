import { getComposerSearch } from '../../../functions/composer/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { type ComposerRequest, useComposer } from '../../types/composer.ts';

const service = useService();
const upstream = useUpstream();
const { setting, send, published, urlOf } = useComposer(service);

interface Found {
  readonly results: readonly { readonly name: string }[];
  readonly total: number;
  readonly next?: string;
}

const search = async (query: string, request?: ComposerRequest) => {
  const answer = await send(getComposerSearch, `search.json?${query}`, request);
  const found = (answer.status === 200 ? JSON.parse(answer.text) : { results: [], total: 0 }) as Found;
  return { answer, found, names: found.results.map(({ name }) => name) };
};

const remote = async (path: string): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'composer', remoteRepositoryUrl: `${upstream.url}/${path}` });

/** Each upstream finds other packages; those that are left out fail. */
const finding = (registries: Readonly<Record<string, readonly string[]>>): void => {
  upstream.answer = (request, response) => {
    const [, registry = '', file] = request.url?.split(/[/?]/) ?? [];
    const results = registries[registry]?.map((name) => ({
      name,
      description: 'theirs',
      url: upstream.url,
      downloads: 3,
    }));
    const packages = { 'metadata-url': '/p2/%package%.json', search: `/${registry}/find?q=%query%&type=%type%` };
    const content = file === 'packages.json' ? packages : { results, total: 7, next: upstream.url };
    (results ? serving(JSON.stringify(content)) : refusing(503))(request, response);
  };
};

const asked = (): unknown[] =>
  upstream.requests.map(({ url }) => url).filter((url) => url?.endsWith('/packages.json') === false);

describe('GET /composer/{workspace}/{repository}/search.json', () => {
  itAnswers('200 with what has each word in its name, as its newest stable version describes it', async () => {
    const word = uniqueName('w');
    const name = `one/${word}`;
    for (const [version, description] of [
      ['1.9.0', 'old'],
      ['1.10.0', 'new'],
      ['dev-main', 'branch'],
    ] as const)
      await published({ name, version, fields: { description, homepage: 'https://acme.example' } });
    await published({ name: `two/${word}` });
    const { answer, found } = await search(`q=ONE%20${word}&type=`);
    const hit = { name, description: 'new', url: 'https://acme.example', repository: '', downloads: 0, favers: 0 };
    expect(found).toEqual({ results: [hit], total: 1 });
    return answer;
  });

  it('finds packages of a type: without one in composer.json, that is a library', async () => {
    const word = uniqueName('w');
    await published({ name: `a/${word}`, fields: { type: 'symfony-bundle' } });
    await published({ name: `b/${word}`, fields: { abandoned: 'c/new' } });
    expect((await search(`q=${word}&type=symfony-bundle`)).names).toEqual([`a/${word}`]);
    expect((await search(`q=${word}&type=library`)).found.results).toMatchObject([
      { name: `b/${word}`, abandoned: 'c/new' },
    ]);
  });

  it('has pages, each with the address of the next', async () => {
    const word = uniqueName('w');
    const names = ['a', 'b', 'c'].map((vendor) => `${vendor}/${word}`);
    for (const name of names.toReversed()) await published({ name });
    const { found, names: first } = await search(`q=${word}&per_page=2`);
    expect([first, found.total, found.next]).toEqual([
      names.slice(0, 2),
      3,
      urlOf(`search.json?q=${word}&type=&page=2&per_page=2`),
    ]);
    expect(await search(`q=${word}&per_page=2&page=2`)).toMatchObject({ names: names.slice(2) });
    for (const size of ['0', 'x', '1e1', '']) expect((await search(`q=${word}&per_page=${size}`)).names).toEqual(names);
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const repository = await service.world.repository(setting.workspace);
    return (await search('q=x', { repository })).answer;
  });
});

describe('GET /composer/{workspace}/{repository}/search.json of upstreams', () => {
  itAnswers('200 with what the upstream finds, without its addresses', async () => {
    finding({ one: ['Monolog/Monolog', 'no-vendor'] });
    const { answer, found } = await search('q=mono%20log&type=library', { repository: await remote('one') });
    const theirs = { name: 'monolog/monolog', description: 'theirs', url: '', repository: '', downloads: 3, favers: 0 };
    expect(found).toEqual({ results: [theirs], total: 7 });
    expect([asked(), answer.text.includes(upstream.url)]).toEqual([['/one/find?q=mono%20log&type=library'], false]);
    return answer;
  });

  it('gives packages from here first, then those of each upstream, each name once', async () => {
    const word = uniqueName('w');
    const ours = await published({ name: `our/${word}` });
    finding({ one: ['x/one', ours.toUpperCase(), 'y/y'], two: ['Y/Y', 'z/z'] });
    const virtual = await createVirtual(
      service,
      setting.workspace,
      [await remote('one'), setting.repository, await remote('two')],
      { packageType: 'composer' },
    );
    expect((await search(`q=${word}`, { repository: virtual })).names).toEqual([ours, 'x/one', 'y/y', 'z/z']);
  });

  it('sends no text upstream with a name that must not go there', async () => {
    const held = await published();
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, await remote('one')], {
      packageType: 'composer',
    });
    const params = { workspace: setting.workspace.id, repository: virtual.id };
    const body = { upstreamNames: { block: ['corp/*'] } };
    await service.client.succeed(updateRepository, { params, body, as: setting.admin.bearer });
    finding({ one: ['free/free', held, 'corp/tool'] });
    for (const text of [held, 'CORP/x', '']) await search(`q=${encodeURIComponent(text)}`, { repository: virtual });
    expect(upstream.requests).toEqual([]);
    expect((await search('q=free', { repository: virtual })).names).toEqual(['free/free']);
  });

  itAnswers('502 UPSTREAM_FAILED if every upstream fails', async () => {
    finding({});
    return (await search('q=x', { repository: await remote('one') })).answer;
  });

  it('finds nothing at an upstream that cannot search', async () => {
    upstream.answer = serving(JSON.stringify({ 'metadata-url': '/p2/%package%.json', search: '/without-markers' }));
    expect((await search('q=x', { repository: await remote('one') })).names).toEqual([]);
    expect(upstream.requests).toHaveLength(1);
  });
});
