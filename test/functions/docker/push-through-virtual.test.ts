import { randomBytes } from 'node:crypto';
import { deleteContent, listPackages } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import {
  descriptorOf,
  digestOf,
  elsewhere,
  imageMediaType,
  indexMediaType,
  manifestOf,
  newImage,
  type TestImage,
  useImages,
} from '../../harness/images.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';
import { refusing, useUpstream } from '../../harness/upstream.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';
import { putImage, useRegistry } from './image-registry.ts';

jest.setTimeout(60_000);

const service = useService();
const images = useImages(service);
const upstream = useUpstream();
const { content, remote, virtualOver } = useRegistry(service, images, upstream);

/** A virtual repository as of `virtualOver`, and who may push to it and see no other. */
const virtualFor = async (...others: readonly Named[]) => {
  const { workspace } = images.setting;
  const { target, repository } = await virtualOver(...others);
  const member = await service.world.member(workspace);
  await service.world.grant(workspace, repository, member, 'canDeploy');
  return { target, repository, member };
};

const headOf = async (path: string, repository: Named, { bearer }: Actor): Promise<number> => {
  const headers = [['Authorization', bearer]] as const;
  return (await service.client.raw({ method: 'HEAD', path: `${images.base(repository)}/${path}`, headers })).status;
};

/** Pushes as clients do: what HEAD says is there is not sent. Returns the answer to the manifest, and what was sent. */
const pushLacking = async (
  name: string,
  image: TestImage,
  { repository, member }: Awaited<ReturnType<typeof virtualFor>>,
) => {
  const sent: string[] = [];
  for (const bytes of [image.config, ...image.layers]) {
    const digest = digestOf(bytes);
    const status = await headOf(`${name}/blobs/${digest}`, repository, member);
    if (status === 200 || status === 302) continue;
    expect([digest, status]).toEqual([digest, 404]);
    await images.pushBlob(name, bytes, { repository, as: member.bearer });
    sent.push(digest);
  }
  const answer = await images.pushManifest(name, '2', manifestOf(image), { repository, as: member.bearer });
  return { answer, sent };
};

/** The bytes of an image as a repository has them. */
const pulled = async (name: string, { config, layers }: TestImage, repository: Named): Promise<unknown[]> => {
  const answers = [config, ...layers].map(async (bytes) => {
    const { status, text, headers } = await images.get(`${name}/blobs/${digestOf(bytes)}`, { repository });
    if (status !== 302) return digestOf(text);
    return digestOf(Buffer.from(await (await fetch(String(headers.location))).arrayBuffer()));
  });
  return Promise.all(answers);
};

const digestsOf = ({ config, layers }: TestImage): string[] => [config, ...layers].map((bytes) => digestOf(bytes));

describe('PUT …/manifests/{reference} of a virtual repository, some of whose blobs another child has', () => {
  itAnswers('201 for blobs that another local child has, which become blobs of the upload target', async () => {
    const other = await service.world.repository(images.setting.workspace, undefined, 'docker');
    const { image } = await images.push('twin', '1', newImage(3), { repository: other });
    const patched = { config: newImage().config, layers: [...image.layers, 'patch'] };
    const place = await virtualFor(other);
    const retagged = await pushLacking('twin', image, place);
    const changed = await pushLacking('twin', patched, place);
    expect([retagged.sent, changed.sent]).toEqual([[], [digestOf(patched.config), digestOf('patch')]]);
    for (const each of [image, patched]) expect(await pulled('twin', each, place.target)).toEqual(digestsOf(each));
    expect(await brokenContent(service)).toEqual([]);
    return [retagged.answer, changed.answer];
  });

  itAnswers('201 for what an upstream has, although the push itself made the name a local one', async () => {
    const image = { ...newImage(), layers: ['small', randomBytes(400_000)] };
    putImage(content, 'nginx', '1', image);
    const place = await virtualFor(await remote());
    const patched = { config: newImage().config, layers: [...image.layers, 'patch'] };
    // The base first, as clients send it.
    const { answer, sent } = await pushLacking('nginx', { config: 'small', layers: patched.layers.slice(1) }, place);
    expect([answer.status, sent]).toEqual([201, [digestOf('patch')]]);
    const again = await pushLacking('nginx', patched, place);
    expect(await pulled('nginx', patched, place.target)).toEqual(digestsOf(patched));
    expect(await brokenContent(service)).toEqual([]);
    return [answer, again.answer];
  });

  itAnswers('201 for an index, whose manifests are taken over with all that they name', async () => {
    const other = await service.world.repository(images.setting.workspace, undefined, 'docker');
    const platforms = [
      await images.push('multi', 'amd64', newImage(), { repository: other }),
      await images.push('multi', 'arm64', newImage(), { repository: other }),
    ];
    const place = await virtualFor(other);
    const manifests = platforms.map(({ manifest }) => descriptorOf(manifest, imageMediaType));
    const index = JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests });
    const sent = { type: indexMediaType, repository: place.repository, as: place.member.bearer };
    const answer = await images.pushManifest('multi', '1', index, sent);
    for (const { image, digest, manifest } of platforms) {
      expect((await images.get(`multi/manifests/${digest}`, { repository: place.target })).text).toBe(manifest);
      expect(await pulled('multi', image, place.target)).toEqual(digestsOf(image));
    }
    expect(await brokenContent(service)).toEqual([]);
    return answer;
  });

  itAnswers('201 for layers that are also at another place, which are taken over if a child has them', async () => {
    const other = await service.world.repository(images.setting.workspace, undefined, 'docker');
    const { image } = await images.push('foreign', '1', newImage(30), { repository: other });
    const nowhere = uniqueName('nowhere');
    const place = await virtualFor(other);
    const layers = [nowhere, ...image.layers].map(elsewhere);
    const sent = { repository: place.repository, as: place.member.bearer };
    const answer = await images.pushManifest('foreign', '2', manifestOf(image, { layers }), sent);
    expect(await pulled('foreign', image, place.target)).toEqual(digestsOf(image));
    expect((await images.get(`foreign/blobs/${digestOf(nowhere)}`, { repository: place.target })).status).toBe(404);
    // For the tests after this one, what a manifest names and nobody has is lost.
    await images.remove(`foreign/manifests/${String(answer.headers['docker-content-digest'])}`, {
      repository: place.target,
    });
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for what no child has, or has under another name; nothing is taken over', async () => {
    const other = await service.world.repository(images.setting.workspace, undefined, 'docker');
    const { image } = await images.push('some', '1', newImage(), { repository: other });
    const { repository, member, target } = await virtualFor(other);
    const lacking = { ...image, layers: [...image.layers, uniqueName('nowhere')] };
    const sent = { repository, as: member.bearer };
    const answers = [
      await images.pushManifest('some', '1', manifestOf(lacking), sent),
      await images.pushManifest('same', '1', manifestOf(image), sent),
      await images.pushManifest('some', '1', manifestOf(image), { repository: target }),
    ];
    for (const digest of digestsOf(image))
      expect((await images.get(`some/blobs/${digest}`, { repository: target })).status).toBe(404);
    return answers;
  });

  itAnswers(
    '400 PACKAGE_INVALID for what a verdict blocks, and for names that may not come from upstreams',
    async () => {
      const [blocked, own] = [uniqueName('miner'), uniqueName('own')];
      const image = newImage();
      for (const name of [blocked, own]) putImage(content, name, '1', image);
      const hub = await remote();
      for (const name of [blocked, own]) expect(await pulled(name, image, hub)).toEqual(digestsOf(image));
      const { workspace, admin } = images.setting;
      await service.client.succeed(updateVerdict, {
        params: { workspace: workspace.id, packageType: 'docker', package: blocked },
        body: { verdict: 'block', versions: ['*'], reason: 'A miner is in it' },
        as: admin.bearer,
      });
      const { repository } = await virtualFor(hub);
      await service.client.succeed(updateRepository, {
        params: { workspace: workspace.id, repository: repository.id },
        body: { upstreamNames: { block: [own] } },
        as: admin.bearer,
      });
      return [
        await images.pushManifest(blocked, '1', manifestOf(image), { repository }),
        await images.pushManifest(own, '1', manifestOf(image), { repository }),
      ];
    },
  );

  itAnswers('403 QUOTA_EXCEEDED if the blobs would not fit', async () => {
    const { workspace, admin } = images.setting;
    const other = await service.world.repository(workspace, undefined, 'docker');
    const image = { ...newImage(), layers: [randomBytes(100_000)] };
    await images.push('large', '1', image, { repository: other });
    const place = await virtualFor(other);
    const limit = async (storageLimit: number | null) =>
      service.client.succeed(updateWorkspace, {
        params: { workspace: workspace.id },
        body: { storageLimit },
        as: admin.bearer,
      });
    await limit(1);
    const { answer } = await pushLacking('large', image, place);
    await limit(null);
    return answer;
  });

  it('goes on with what was kept of an upstream after that was emptied', async () => {
    const image = newImage();
    putImage(content, 'gone', '1', image);
    const hub = await remote();
    const place = await virtualFor(hub);
    for (const digest of digestsOf(image))
      expect(await headOf(`gone/blobs/${digest}`, place.repository, place.member)).toBe(200);
    const { workspace, admin } = images.setting;
    const params = { workspace: workspace.id, repository: hub.id };
    await service.client.succeed(deleteContent, { params, as: admin.bearer });
    const sent = { repository: place.repository, as: place.member.bearer };
    expect((await images.pushManifest('gone', '2', manifestOf(image), sent)).status).toBe(400);
    const { answer } = await pushLacking('gone', image, place);
    expect(answer.status).toBe(201);
  });
});

describe('Blobs that no manifest of a local child follows', () => {
  const pullsOf = async (name: string, image: TestImage, repository: Named) => ({
    manifest: (await images.get(`${name}/manifests/1`, { repository })).status,
    tags: (await images.get(`${name}/tags/list`, { repository })).text,
    blobs: (await pulled(name, image, repository)).join(),
  });
  const listed = async (repository: Named): Promise<readonly string[]> => {
    const { workspace, admin } = images.setting;
    const params = { workspace: workspace.id, repository: repository.id };
    return (await service.client.succeed(listPackages, { params, as: admin.bearer })).packages.map(({ name }) => name);
  };
  const empty = async (repository: Named): Promise<void> => {
    const { workspace, admin } = images.setting;
    const params = { workspace: workspace.id, repository: repository.id };
    await service.client.succeed(deleteContent, { params, as: admin.bearer });
  };
  const sweep = async (): Promise<void> => expect(await service.runner.runScheduled('sweeper')).toBe(true);

  it('do not hide the image of an upstream, also after the local child was emptied', async () => {
    const [name, image] = [uniqueName('app'), newImage()];
    putImage(content, name, '1', image);
    const { repository, member, target } = await virtualFor(await remote());
    const before = await pullsOf(name, image, repository);
    expect(before).toMatchObject({ manifest: 200, blobs: digestsOf(image).join() });
    expect(await listed(repository)).toContain(name);
    await images.pushBlob(name, 'of a push that ends here', { repository, as: member.bearer });
    const shown = async () => {
      expect(await pullsOf(name, image, repository)).toEqual(before);
      expect(await listed(repository)).toContain(name);
    };
    await shown();
    expect((await images.get(`${name}/tags/list`, { repository: target })).status).toBe(404);
    await empty(target);
    await shown();
    await sweep();
    await shown();
    // The first manifest makes the name a local one.
    await images.push(name, 'own', newImage(), { repository: target });
    expect((await images.get(`${name}/manifests/1`, { repository })).status).toBe(404);
    expect(await brokenContent(service)).toEqual([]);
  });

  it('leave a name with the local child that ever had an image of it', async () => {
    const image = newImage();
    const [deleted, emptied, swept] = [uniqueName('deleted'), uniqueName('emptied'), uniqueName('swept')];
    const names = [deleted, emptied, swept];
    for (const name of names) putImage(content, name, '1', image);
    const { repository, target } = await virtualFor(await remote());
    const statuses = async (): Promise<readonly number[]> => {
      const answers = names.map(async (name) => images.get(`${name}/manifests/1`, { repository }));
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    await images.push(swept, 'own', newImage(), { repository: target });
    await empty(target);
    await sweep();
    await images.push(emptied, 'own', newImage(), { repository: target });
    await empty(target);
    for (const name of [emptied, swept]) await images.pushBlob(name, 'loose', { repository: target });
    expect(await statuses()).toEqual([200, 404, 404]);
    await sweep();
    expect(await statuses()).toEqual([200, 404, 404]);
    const { digest } = await images.push(deleted, 'own', newImage(), { repository: target });
    await images.remove(`${deleted}/manifests/${digest}`, { repository: target });
    expect(await statuses()).toEqual([404, 404, 404]);
    expect(await listed(repository)).toEqual([]);
    expect(await brokenContent(service)).toEqual([]);
  });
});

describe('HEAD …/blobs/{digest} of a virtual repository that takes pushes', () => {
  it('says that blobs of an upstream are absent that it does not keep, so that clients push them', async () => {
    const image = newImage();
    putImage(content, 'passed', '1', image);
    const place = await virtualFor(await remote({ isRemoteCacheEnabled: false }));
    const { answer, sent } = await pushLacking('passed', image, place);
    expect([answer.status, sent]).toEqual([201, digestsOf(image)]);
  });

  const failures = {
    'refuses the credential': async () => {
      upstream.answer = refusing(401);
      return remote();
    },
    fails: async () => {
      upstream.answer = refusing(503);
      return remote();
    },
    'cannot be reached': async () => remote({ remoteRepositoryUrl: 'http://127.0.0.1:1' }),
  };

  for (const [failure, failing] of Object.entries(failures))
    it(`says that blobs are absent that no child has where an upstream ${failure}, so that clients push them`, async () => {
      const place = await virtualFor(await failing());
      const name = uniqueName('app');
      const asking = { repository: place.repository, as: place.member.bearer };
      const image = newImage();
      const [digest = ''] = digestsOf(image);
      const { status } = await images.get(`${name}/blobs/${digest}`, asking);
      expect([502, 504]).toContain(status);
      expect(await headOf(`${name}/manifests/1`, place.repository, place.member)).toBe(status);
      const { answer, sent } = await pushLacking(name, image, place);
      expect([answer.status, sent]).toEqual([201, digestsOf(image)]);
    });

  it('finds blobs and manifests by their digests in children after an upstream that fails', async () => {
    upstream.answer = refusing(503);
    const other = await service.world.repository(images.setting.workspace, undefined, 'docker');
    const place = await virtualFor(await remote(), other);
    const name = uniqueName('app');
    await service.client.succeed(updateRepository, {
      params: { workspace: images.setting.workspace.id, repository: place.repository.id },
      body: { upstreamNames: { allow: [name] } },
      as: images.setting.admin.bearer,
    });
    const { image, digest, manifest } = await images.push(name, '1', newImage(), { repository: other });
    expect((await images.get(`${name}/manifests/${digest}`, { repository: place.repository })).text).toBe(manifest);
    expect(await pulled(name, image, place.repository)).toEqual(digestsOf(image));
    const { answer, sent } = await pushLacking(name, image, place);
    expect([answer.status, sent]).toEqual([201, []]);
  });
});
