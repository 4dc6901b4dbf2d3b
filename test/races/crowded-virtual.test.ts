import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { upstreamsAtOnceMax } from '../../shared/packages/serve/ordered-map.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { serving, useUpstream } from '../harness/upstream.ts';
import { contentOf } from '../upstreams/contents.ts';

const service = useService();
const upstream = useUpstream();
const count = 12;

describe('A virtual repository over many remote ones', () => {
  it('asks eight of them at the same time, and has the answers of all', async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const folders = Array.from({ length: count }, (_, folder) => `/of-${folder}`);
    const { contents, document } = contentOf.npm(upstream.url);
    const asked: string[] = [];
    let [running, most] = [0, 0];
    upstream.answer = (request, response) => {
      const { url = '' } = request;
      asked.push(url);
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        serving(contents[`/${document?.path}`] ?? '')(request, response);
      }, 400);
    };
    const remotes = [];
    for (const folder of folders)
      remotes.push(await createRemote(service, workspace, { remoteRepositoryUrl: upstream.url + folder }));
    const virtual = await createVirtual(service, workspace, remotes);
    const { status, headers } = await service.client.attempt(getNpmDocument, {
      params: { workspace: workspace.id, repository: virtual.id, path: document?.path ?? '' },
      as: admin.bearer,
    });
    expect([status, headers['x-stockroom-origin']]).toEqual([200, remotes.map(({ name }) => name).join(',')]);
    expect(most).toBe(upstreamsAtOnceMax);
    expect(asked.slice(0, upstreamsAtOnceMax).toSorted()).toEqual(
      folders.slice(0, upstreamsAtOnceMax).map((folder) => `${folder}/${document?.path}`),
    );
    expect(asked).toHaveLength(count);
  });
});
