import { listDownloads } from '../../../functions/packages/contracts.ts';
import { digestOf, newImage, useImages } from '../../harness/images.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { emptyRegistry, putImage, registryOf } from '../docker/image-registry.ts';

const service = useService();
const images = useImages(service);
const upstream = useUpstream();

/** An image behind a repository, under a name and a tag that nobody else has. */
interface Published {
  readonly repository: Named;
  readonly name: string;
  readonly tag: string;
  readonly digest: string;
}

const inRepository = async (): Promise<Published> => {
  const [name, tag] = [uniqueName('app'), 'stable'];
  const { digest } = await images.push(name, tag);
  return { repository: images.setting.repository, name, tag, digest };
};

const ofUpstream = async (): Promise<Published> => {
  const [content, name, tag] = [emptyRegistry(), uniqueName('app'), 'stable'];
  const digest = digestOf(putImage(content, name, tag, newImage()));
  upstream.answer = registryOf(upstream, content, { given: new Map(), asked: [] });
  const { workspace } = images.setting;
  const repository = await createRemote(service, workspace, {
    packageType: 'docker',
    remoteRepositoryUrl: upstream.url,
  });
  return { repository, name, tag, digest };
};

const throughVirtual = async (): Promise<Published> => {
  const published = await ofUpstream();
  const children = [images.setting.repository, published.repository];
  const virtual = await createVirtual(service, images.setting.workspace, children, { packageType: 'docker' });
  return { ...published, repository: virtual };
};

/** The ways by which each download of a version was asked for, as the log has them. */
const foundBy = async ({ repository, name }: Published, version: string): Promise<string[]> => {
  const { workspace, admin } = images.setting;
  const { downloads } = await service.client.succeed(listDownloads, {
    params: { workspace: workspace.id },
    query: { packageType: 'docker', packageName: name, version },
    as: admin.bearer,
  });
  for (const { username, path } of downloads)
    expect([username, path.split('/').slice(0, -1).join('/')]).toEqual([
      admin.username,
      `/v2/${workspace.name}/${repository.name}/${name}/manifests`,
    ]);
  return downloads.map(({ path }) => path.split('/').at(-1) ?? '');
};

describe.each([
  ['a local repository', inRepository],
  ['a remote one', ofUpstream],
  ['a virtual one', throughVirtual],
])('Who pulled an image of %s', (_kind, publish) => {
  it('is told by the digest, however the manifest was asked for, and by the tag that was asked for', async () => {
    const published = await publish();
    const { repository, name, tag, digest } = published;
    const ask = async (method: 'GET' | 'HEAD', reference: string): Promise<number> =>
      (await images.send(method, `${name}/manifests/${reference}`, { repository })).status;
    expect([await ask('GET', tag), await ask('GET', digest)]).toEqual([200, 200]);
    expect(await foundBy(published, digest)).toEqual([tag, digest]);
    expect(await foundBy(published, tag)).toEqual([tag]);
    // As containerd pulls: it gets the manifest by its digest, or has it already.
    expect([await ask('HEAD', tag), await ask('HEAD', digest)]).toEqual([200, 200]);
    expect(await foundBy(published, digest)).toEqual([tag, digest]);
    expect(await foundBy(published, tag)).toEqual([tag, tag]);
    expect(await ask('GET', 'other')).toBe(404);
    expect(await foundBy(published, 'other')).toEqual([]);
  });
});
