import { getCargoSearch } from '../../../functions/cargo/contracts.ts';
import { deletePackage } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { type CargoRequest, useCargoRegistry } from '../../harness/cargo.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const { setting, send, published, yank } = useCargoRegistry(service);

interface Found {
  readonly crates: readonly { readonly name: string; readonly max_version: string; readonly description?: string }[];
  readonly meta: { readonly total: number };
}

const search = async (query: string, request?: CargoRequest) => {
  const answer = await send(getCargoSearch, `api/v1/crates?${query}`, request);
  const found = (answer.status === 200 ? JSON.parse(answer.text) : { crates: [], meta: { total: 0 } }) as Found;
  return { answer, found, names: found.crates.map(({ name }) => name) };
};

const remote = async (path: string): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'cargo', remoteRepositoryUrl: `${upstream.url}/${path}/` });

const virtualOver = async (...children: Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'cargo' });

/** Each registry finds other crates; those that are left out fail. Their settings and their API have different addresses. */
const finding = (registries: Readonly<Record<string, readonly string[]>>): void => {
  upstream.answer = (request, response) => {
    const [, registry = '', file] = request.url?.split(/[/?]/) ?? [];
    const crates = registries[registry]?.map((name) => ({ name, max_version: '9.9.9', description: null, extra: 1 }));
    const config = { dl: `${upstream.url}/dl`, api: `${upstream.url}/${registry}/of-api` };
    const content = file === 'config.json' ? config : { crates, meta: { total: 7 } };
    (crates ? serving(JSON.stringify(content)) : refusing(503))(request, response);
  };
};

const asked = (): unknown[] =>
  upstream.requests.map(({ url }) => url).filter((url) => url?.endsWith('/config.json') === false);

describe('GET /cargo/{workspace}/{repository}/api/v1/crates', () => {
  itAnswers('200 with the highest version of what has each word in its name, in any spelling', async () => {
    const word = uniqueName('w');
    const name = `One_${word.replaceAll('-', '_')}`;
    for (const version of ['1.9.0', '1.10.0+build', '2.0.0']) await published({ name, version });
    await published({ name: `two-${word}` });
    expect((await yank(name, '2.0.0')).status).toBe(200);
    const { answer, found } = await search(`q=ONE%2B${word}&per_page=10`);
    const crate = { name, max_version: '1.10.0+build', description: 'A crate of a test' };
    expect(found).toEqual({ crates: [crate], meta: { total: 1 } });
    return answer;
  });

  it('shows the highest version of all local children of a virtual repository', async () => {
    const word = uniqueName('w');
    const second = await service.world.repository(setting.workspace, undefined, 'cargo');
    for (const version of ['1.0.0', '1.1.0']) await published({ name: word, version });
    for (const version of ['1.1.0', '2.0.0']) await published({ name: word, version }, {}, { repository: second });
    const highest = async (...children: Named[]) =>
      (await search(`q=${word}`, { repository: await virtualOver(...children) })).found.crates[0]?.max_version;
    expect(await highest(setting.repository, second)).toBe('2.0.0');
    // Whether a version is yanked, the first child that has it says.
    for (const version of ['1.1.0', '2.0.0']) await yank(word, version, { repository: second });
    expect(await highest(setting.repository, second)).toBe('1.1.0');
    expect(await highest(second, setting.repository)).toBe('1.0.0');
  });

  it('shows a crate whose versions are all yanked, and none that was deleted', async () => {
    const [word, admin] = [uniqueName('w'), setting.admin.bearer];
    const [yanked, deleted] = [await published({ name: `a-${word}` }), await published({ name: `b-${word}` })];
    expect((await yank(yanked)).status).toBe(200);
    const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: deleted };
    await service.client.succeed(deletePackage, { params, as: admin });
    expect(await search(`q=${word}`)).toMatchObject({ names: [yanked], found: { meta: { total: 1 } } });
  });

  it('gives as many crates as were asked for, in the order of names', async () => {
    const word = uniqueName('w');
    const names = ['a', 'b', 'c', 'd'].map((letter) => `${letter}-${word}`);
    for (const name of names.toReversed()) await published({ name });
    expect(await search(`q=${word}&per_page=3`)).toMatchObject({
      names: names.slice(0, 3),
      found: { meta: { total: 4 } },
    });
    for (const size of ['0', 'x', '1e1', '']) expect((await search(`q=${word}&per_page=${size}`)).names).toEqual(names);
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const repository = await service.world.repository(setting.workspace);
    return (await search('q=x', { repository })).answer;
  });
});

describe('GET /cargo/{workspace}/{repository}/api/v1/crates of upstreams', () => {
  itAnswers('200 with what the API of the upstream finds, as it describes it', async () => {
    finding({ one: ['Serde_json', 'serde'] });
    const { answer, found } = await search('q=serde%20json&per_page=5', { repository: await remote('one') });
    expect(found).toEqual({
      crates: ['Serde_json', 'serde'].map((name) => ({ name, max_version: '9.9.9', description: null, extra: 1 })),
      meta: { total: 7 },
    });
    expect(asked()).toEqual(['/one/of-api/api/v1/crates?q=serde%20json&per_page=5']);
    return answer;
  });

  it('gives crates from here first, then those of each upstream, each name once', async () => {
    const word = uniqueName('w');
    const ours = await published({ name: `our-${word}` });
    finding({ one: ['x_1', ours.replaceAll('-', '_'), 'y'], two: ['y', 'X-1', 'not a name', 'z'] });
    const virtual = await virtualOver(await remote('one'), setting.repository, await remote('two'));
    expect((await search(`q=${word}`, { repository: virtual })).names).toEqual([ours, 'x_1', 'y', 'z']);
    expect((await search(`q=${word}&per_page=2`, { repository: virtual })).names).toEqual([ours, 'x_1']);
  });

  it('sends no text upstream with a name that must not go there, and shows nothing that cannot be built from there', async () => {
    const held = await published({ name: `held-${uniqueName()}` });
    const virtual = await virtualOver(setting.repository, await remote('one'));
    const params = { workspace: setting.workspace.id, repository: virtual.id };
    const body = { upstreamNames: { block: ['acme-*'] } };
    await service.client.succeed(updateRepository, { params, body, as: setting.admin.bearer });
    finding({ one: ['free', held.toUpperCase(), 'Acme_tool'] });
    for (const text of [held, `x ${held.replaceAll('-', '_')}`, 'ACME_x', '', 'a '.repeat(41)])
      await search(`q=${encodeURIComponent(text)}`, { repository: virtual });
    expect(upstream.requests).toEqual([]);
    expect((await search('q=free', { repository: virtual })).names).toEqual(['free']);
  });

  it('gives what is known with a warning while an upstream fails', async () => {
    finding({ one: ['x'] });
    const [one, two] = [await remote('one'), await remote('two')];
    const { names, answer } = await search('q=x', { repository: await virtualOver(one, two) });
    expect([names, answer.headers['x-stockroom-origin'], answer.headers.warning]).toEqual([
      ['x'],
      one.name,
      `199 - "The upstream of ${two.name} failed"`,
    ]);
  });

  it.each([
    ['has no API', { dl: 'https://example.com' }],
    ['has an API without an address', { dl: 'https://example.com', api: 'api' }],
  ])('finds nothing at an upstream that %s', async (_, config) => {
    upstream.answer = serving(JSON.stringify(config));
    expect(await search('q=x', { repository: await remote('one') })).toMatchObject({ names: [] });
    expect(upstream.requests).toHaveLength(1);
  });

  itAnswers('502 UPSTREAM_FAILED if every upstream fails, and for what is no result of a search', async () => {
    finding({});
    const first = await search('q=x', { repository: await remote('one') });
    upstream.answer = serving('<html>');
    return [first.answer, (await search('q=x', { repository: await remote('one') })).answer];
  });
});
