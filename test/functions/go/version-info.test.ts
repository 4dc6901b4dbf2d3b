import { getPath } from '../../harness/go.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();

const time = '2026-01-02T03:04:05.6Z';
const origin = { VCS: 'git', URL: 'https://git.example/tool', Hash: 'abc', Ref: 'refs/tags/v1.0.0' };

describe.each([
  ['is cached', true],
  ['is not cached', false],
])('What an upstream says of a version, and %s,', (_, isRemoteCacheEnabled) => {
  let place: { workspace: Named; repository: Named; as: string };
  let module: string;

  beforeAll(async () => {
    const workspace = await service.world.workspace();
    const fields = { packageType: 'go', remoteRepositoryUrl: upstream.url, isRemoteCacheEnabled } as const;
    const repository = await createRemote(service, workspace, fields);
    place = { workspace, repository, as: (await service.world.systemAdmin()).bearer };
  });

  beforeEach(() => {
    module = `corp.example/${uniqueName('tool')}`;
  });

  const get = async (path: string) => getPath(service, place, `${module}/${path}`);
  const paths = ['@latest', '@v/master.info', '@v/v1.0.0.info'];

  it('is written anew, with the fields that go knows', async () => {
    const hidden = { __proto__: null, Script: '<script>', Time: time, Version: 'v1.0.0', Short: 'abc' };
    const sent = { ...hidden, Origin: { Unheard: '<b>', ...origin, Subdir: 7 } };
    upstream.answer = serving(` ${JSON.stringify(sent)}\n`);
    const written = JSON.stringify({ Version: 'v1.0.0', Time: time, Origin: origin });
    for (const path of paths) {
      const { status, text, headers } = await get(path);
      expect([path, status, text, headers['content-type']]).toEqual([path, 200, written, 'application/json']);
    }
  });

  it('has neither a time that is none nor an origin that says nothing', async () => {
    upstream.answer = serving(JSON.stringify({ Version: 'v1.0.0', Time: '<script>', Origin: { Unheard: 'x' } }));
    for (const path of paths) expect((await get(path)).text).toBe('{"Version":"v1.0.0"}');
  });

  it('is refused if it is of another version, or of none, and is not kept', async () => {
    for (const sent of ['{"Version":"v1.0.1"}', '{"Version":"main"}', '{"Version":"v1.0.0"']) {
      upstream.answer = serving(sent);
      const { status, code } = await get('@v/v1.0.0.info');
      expect([sent, status, code]).toEqual([sent, 502, 'UPSTREAM_FAILED']);
    }
    upstream.answer = serving('{"Version":"v1.0.0"}');
    expect((await get('@v/v1.0.0.info')).status).toBe(200);
  });
});
