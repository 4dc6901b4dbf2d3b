import { getNpmSearch } from '../../../functions/npm/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useNpmRepository } from '../../harness/npm.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const npm = useNpmRepository(service);

/** Each part of the upstream finds other packages; those that are left out fail. */
const finding = (registries: Readonly<Record<string, readonly string[]>>): void => {
  upstream.answer = (request, response) => {
    const names = registries[request.url?.split('/')[1] ?? ''];
    const objects = names?.map((name) => ({
      package: { name, version: '9.9.9', maintainers: [] },
      score: { final: 0.5 },
    }));
    const answer = objects ? serving(JSON.stringify({ objects, total: objects.length })) : refusing(503);
    answer(request, response);
  };
};

const remote = async (path: string): Promise<Named> =>
  createRemote(service, npm.setting.workspace, { remoteRepositoryUrl: `${upstream.url}/${path}/` });

const search = async (repository: Named, text: string, page = '') => {
  const answer = await npm.send(getNpmSearch, `-/v1/search?text=${encodeURIComponent(text)}${page}`, { repository });
  const { objects = [], total } = JSON.parse(answer.text) as {
    objects?: { package: { name: string } }[];
    total: number;
  };
  return { answer, objects, total, names: objects.map((each) => each.package.name) };
};

const asked = (): (string | undefined)[] => upstream.requests.map(({ url }) => url);

describe('GET /npm/{workspace}/{repository}/-/v1/search of upstreams', () => {
  itAnswers('200 with what the upstream finds, as it describes it', async () => {
    finding({ one: ['left-pad', '@acme/pad'] });
    const { answer, objects, total } = await search(await remote('one'), 'pad');
    expect([objects[0], total]).toEqual([
      { package: { name: 'left-pad', version: '9.9.9', maintainers: [] }, score: { final: 0.5 } },
      2,
    ]);
    expect(asked()).toEqual(['/one/-/v1/search?text=pad&size=20']);
    return answer;
  });

  it('gives packages from here first, then those of each upstream, each name once and page by page', async () => {
    const word = uniqueName('w');
    const [a, b] = [await npm.publish({ name: `a-${word}` }), await npm.publish({ name: `b-${word}` })];
    finding({ one: ['x', a, 'y'], two: ['y', 'z', 'not a name'] });
    const virtual = await createVirtual(service, npm.setting.workspace, [
      await remote('one'),
      npm.setting.repository,
      await remote('two'),
    ]);
    const whole = await search(virtual, word);
    expect([whole.names, whole.total]).toEqual([[a, b, 'x', 'y', 'z'], 8]);
    expect((await search(virtual, word, '&from=1&size=2')).names).toEqual([b, 'x']);
    expect((await search(virtual, word, '&from=3&size=20')).names).toEqual(['y', 'z']);
    expect(new Set(asked().slice(2, 4))).toEqual(
      new Set(['one', 'two'].map((path) => `/${path}/-/v1/search?text=${word}&size=3`)),
    );
  });

  it('sends no text upstream with a name that must not go there, and shows nothing that cannot be installed from there', async () => {
    const held = await npm.publish();
    const virtual = await createVirtual(service, npm.setting.workspace, [npm.setting.repository, await remote('one')]);
    const params = { workspace: npm.setting.workspace.id, repository: virtual.id };
    const body = { upstreamNames: { block: ['@acme/*', 'secret-*'] } };
    await service.client.succeed(updateRepository, { params, body, as: npm.setting.admin.bearer });
    finding({ one: ['free', held, 'secret-plan', '@acme/pad'] });
    const texts = [held, `x ${held}`, 'secret-plan', '@acme/pad', '@acme', 'scope:acme', '', 'a '.repeat(21)];
    for (const text of texts) await search(virtual, text);
    expect(asked()).toEqual([]);
    expect((await search(virtual, 'free')).names).toEqual(['free']);
  });

  it('gives what is known with a warning while an upstream fails', async () => {
    finding({ one: ['x'] });
    const [one, two] = [await remote('one'), await remote('two')];
    const { names, answer } = await search(await createVirtual(service, npm.setting.workspace, [one, two]), 'x');
    expect([names, answer.headers['x-stockroom-origin'], answer.headers.warning]).toEqual([
      ['x'],
      one.name,
      `199 - "The upstream of ${two.name} failed"`,
    ]);
  });

  it('finds nothing at an upstream that cannot search', async () => {
    upstream.answer = refusing(404);
    const { names, total } = await search(await remote('one'), 'x');
    expect([names, total]).toEqual([[], 0]);
  });

  itAnswers('502 UPSTREAM_FAILED if every upstream fails, and for what is no result of a search', async () => {
    finding({});
    const first = await search(await remote('one'), 'x');
    upstream.answer = serving('<html>');
    return [first.answer, (await search(await remote('one'), 'x')).answer];
  });

  itAnswers('502 UPSTREAM_FAILED for an upstream whose answer is no result of a search', async () => {
    const repository = await remote('one');
    upstream.answer = serving('{"error":"maintenance"}');
    const { answer } = await search(repository, 'pad');
    expect(answer.problem?.detail).toBe(`${upstream.host} sent no result of a search (HTTP 200).`);
    return answer;
  });
});
