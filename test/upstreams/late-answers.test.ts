import { setTimeout as pause } from 'node:timers/promises';
import { packumentOf } from '../harness/npm.ts';
import { createLocal, createRemote, createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { serving, useUpstream } from '../harness/upstream.ts';

jest.setTimeout(60_000);

const service = useService();
const upstream = useUpstream();

/** Longer than a request has for its table and its store where no upstream is asked. */
const lateMilliseconds = 8_500;

/** Of the larger one, processes share what they render: it takes calls of the store after the answer of the upstream. */
const counts = { small: 1, large: 5_000 } as const;

const packument = (name: keyof typeof counts): string => {
  const versions = Array.from({ length: counts[name] }, (_, number) => `${number + 1}.0.0`);
  const manifest = { description: 'words '.repeat(50) };
  return JSON.stringify(
    packumentOf(upstream.url, name, Object.fromEntries(versions.map((version) => [version, { manifest }]))),
  );
};

describe('A document that an upstream sends after eight seconds', () => {
  it('is served, from its repository and through a virtual one, however large it is', async () => {
    const workspace = await service.world.workspace();
    const { bearer } = await service.world.systemAdmin();
    const documents: Readonly<Record<string, string>> = { '/small': packument('small'), '/large': packument('large') };
    upstream.answer = (request, response) =>
      void pause(lateMilliseconds).then(() => serving(documents[request.url ?? ''] ?? '')(request, response));
    const remote = async () =>
      createRemote(service, workspace, { packageType: 'npm', remoteRepositoryUrl: upstream.url });
    const children = [await createLocal(service, workspace), await remote()];
    const repositories = [await remote(), await createVirtual(service, workspace, children, { packageType: 'npm' })];
    const read = async (repository: string, name: keyof typeof counts): Promise<void> => {
      const url = `${service.url}/npm/${workspace.name}/${repository}/${name}`;
      const answer = await fetch(url, { headers: { Authorization: bearer } });
      const { versions = {} } = (await answer.json()) as { readonly versions?: object };
      expect([name, answer.status, Object.keys(versions).length]).toEqual([name, 200, counts[name]]);
    };
    await Promise.all(repositories.flatMap(({ name }) => [read(name, 'small'), read(name, 'large')]));
  });
});

describe('A file that an upstream sends after eight seconds', () => {
  it('is served to everybody who waits for it, however large it is', async () => {
    const workspace = await service.world.workspace();
    const { bearer } = await service.world.systemAdmin();
    const sizes = [50_000, 500_000];
    upstream.answer = (request, response) =>
      void pause(lateMilliseconds).then(() =>
        serving('a'.repeat(Number(request.url?.split('/').at(-1))))(request, response),
      );
    const { name } = await createRemote(service, workspace, {
      packageType: 'universal',
      remoteRepositoryUrl: `${upstream.url}/{package-name}/{version}/{file}`,
    });
    const read = async (size: number) => {
      const url = `${service.url}/universal/${workspace.name}/${name}/tool/1.0.0/${size}`;
      const answer = await fetch(url, { headers: { Authorization: bearer } });
      return [answer.status, (await answer.text()).length];
    };
    const wanted = [...sizes, ...sizes, ...sizes];
    expect(await Promise.all(wanted.map(read))).toEqual(wanted.map((size) => [200, size]));
    expect(upstream.requests).toHaveLength(sizes.length);
  });
});
