import { getComposerList } from '../../../functions/composer/contracts.ts';
import { passes } from '../../../functions/composer/search.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { serving, useUpstream } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';
import { type ComposerRequest, useComposer } from '../../types/composer.ts';

const service = useService();
const upstream = useUpstream();
const { setting, send, published } = useComposer(service);

const list = async (query: string, request?: ComposerRequest) => {
  const answer = await send(getComposerList, `list.json${query}`, request);
  return { answer, names: (JSON.parse(answer.text) as { packageNames?: string[] }).packageNames };
};

describe('GET /composer/{workspace}/{repository}/list.json', () => {
  itAnswers('200 with the names that a filter lets pass', async () => {
    const repository = await service.world.repository(setting.workspace, undefined, 'composer');
    for (const name of ['acme/app', 'acme/dep', 'corp/app']) await published({ name }, { repository });
    const { answer, names } = await list('', { repository });
    expect(names).toEqual(['acme/app', 'acme/dep', 'corp/app']);
    expect((await list('?filter=ACME/*', { repository })).names).toEqual(['acme/app', 'acme/dep']);
    expect((await list('?vendor=acme', { repository })).names).toEqual(['acme/app', 'acme/dep']);
    expect((await list('?filter=*/app', { repository })).names).toEqual(['acme/app', 'corp/app']);
    expect((await list('?filter=acme/dep', { repository })).names).toEqual(['acme/dep']);
    return answer;
  });

  it('asks upstreams for what a filter lets pass, and for nothing without one', async () => {
    const remoteRepositoryUrl = upstream.url;
    const remote = await createRemote(service, setting.workspace, { packageType: 'composer', remoteRepositoryUrl });
    const ours = await published({ name: `acme/${uniqueName('app')}` });
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, remote], {
      packageType: 'composer',
    });
    upstream.answer = (request, response) => {
      const root = { 'metadata-url': '/p2/%package%.json', list: '/names?x=1' };
      const content = request.url === '/packages.json' ? root : { packageNames: ['Free/Free', ours, 'no name', 1] };
      serving(JSON.stringify(content))(request, response);
    };
    expect((await list('', { repository: remote })).names).toEqual([]);
    expect(upstream.requests).toEqual([]);
    expect((await list('?filter=free/*', { repository: virtual })).names).toEqual(['free/free']);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/packages.json', '/names?x=1&filter=free%2F*']);
  });

  it.each([
    ['', 'a/b', true],
    ['a/b', 'a/b', true],
    ['a/b', 'a/bc', false],
    ['a/*', 'a/b', true],
    ['*b', 'a/b', true],
    ['a*b', 'a/b', true],
    ['a/b*b', 'a/b', false],
    ['*/*', 'a/b', true],
    ['a*x*b', 'a/xb', true],
    ['a*x*b', 'a/b', false],
  ])('the filter %j against %j: %j', (filter, name, expected) => {
    expect(passes(filter, name)).toBe(expected);
  });
});
