import { randomBytes } from 'node:crypto';
import { updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { environment } from '../../../shared/config.ts';
import {
  descriptorOf,
  digestOf,
  imageMediaType,
  indexMediaType,
  manifestOf,
  newImage,
  type TestImage,
  useImages,
} from '../../harness/images.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { reachingLoopback, useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';
import { refusing, slowed, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { putImage, requestsOf, useRegistry } from './image-registry.ts';

jest.setTimeout(60_000);

const answerMilliseconds = 4_000;
const service = useService({
  environment: { ...reachingLoopback, [environment.upstreamAnswerMilliseconds]: `${answerMilliseconds}` },
});
const images = useImages(service);
const upstream = useUpstream();
const { content, remote, virtualOver } = useRegistry(service, images, upstream);

/** A virtual repository over a new local one that takes what is pushed, and a new remote one. */
const virtualOverRemote = async (fields: Parameters<typeof remote>[0] = {}) => virtualOver(await remote(fields));

/** Gets a manifest, and pushes it again with another tag, as clients retag: they send nothing else of the image. */
const retag = async (name: string, reference: string, repository: Named) => {
  const { text, status, headers } = await images.get(`${name}/manifests/${reference}`, { repository });
  expect(status).toBe(200);
  return async () => images.pushManifest(name, 'stable', text, { repository, type: String(headers['content-type']) });
};

const digestsOf = ({ config, layers }: TestImage): string[] => [config, ...layers].map((bytes) => digestOf(bytes));

/** Expects that a repository has all of an image. */
const expectWhole = async (name: string, image: TestImage, repository: Named): Promise<void> => {
  const manifest = manifestOf(image);
  expect((await images.get(`${name}/manifests/${digestOf(manifest)}`, { repository })).text).toBe(manifest);
  for (const digest of digestsOf(image))
    expect([200, 302]).toContain((await images.get(`${name}/blobs/${digest}`, { repository })).status);
};

/** Puts an index of images into the registry. */
const putIndex = (name: string, tag: string, platforms: readonly TestImage[]): string => {
  const manifests = platforms.map((image, at) =>
    descriptorOf(putImage(content, name, `p${at}`, image), imageMediaType),
  );
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests });
  for (const reference of [`:${tag}`, `@${digestOf(index)}`]) content.manifests.set(name + reference, index);
  return index;
};

const blobsAsked = (): string[] => requestsOf(upstream).filter((each) => each.includes('/blobs/'));

describe('PUT …/manifests/{reference} of a manifest from an upstream, whose blobs no child keeps', () => {
  itAnswers('201 once the upload target has all of the image', async () => {
    const image = { ...newImage(7), layers: [...newImage(7).layers, randomBytes(400_000)] };
    putImage(content, 'nginx', '1', image);
    const { repository, target } = await virtualOverRemote();
    const push = await retag('nginx', '1', repository);
    expect(blobsAsked()).toEqual([]);
    const answer = await push();
    await expectWhole('nginx', image, target);
    expect((await images.get('nginx/manifests/stable', { repository })).text).toBe(manifestOf(image));
    expect(await brokenContent(service)).toEqual([]);
    return answer;
  });

  itAnswers('201 for an index, and for one of manifests of other indexes', async () => {
    const platforms = [newImage(), newImage()];
    content.mediaType = '';
    putIndex('multi', '1', platforms);
    const { repository, target } = await virtualOverRemote();
    const answer = await (await retag('multi', '1', repository))();
    for (const image of platforms) await expectWhole('multi', image, target);
    const other = await virtualOverRemote();
    const manifests = platforms.map((image) => descriptorOf(manifestOf(image), imageMediaType));
    for (const { digest } of manifests) await images.get(`multi/manifests/${digest}`, other);
    const index = JSON.stringify({ schemaVersion: 2, manifests, annotations: { made: 'anew' } });
    const again = await images.pushManifest('multi', 'mine', index, { ...other, type: indexMediaType });
    for (const image of platforms) await expectWhole('multi', image, other.target);
    expect(await brokenContent(service)).toEqual([]);
    return [answer, again];
  });

  itAnswers('503 FILE_PENDING until it has come, if that takes long; nothing is taken over before', async () => {
    const platforms = [newImage(), newImage()];
    content.mediaType = '';
    putIndex('slow', '1', platforms);
    const { repository, target } = await virtualOverRemote();
    const push = await retag('slow', '1', repository);
    const { answer } = upstream;
    const last = `/v2/slow/blobs/${digestOf(platforms[1]?.config ?? '')}`;
    upstream.answer = (request, response) =>
      (request.url === last ? slowed(answerMilliseconds, answer) : answer)(request, response);
    const pending = await push();
    expect(pending.headers['retry-after']).toBe('30');
    expect((await images.get('slow/manifests/p0', { repository })).status).toBe(200);
    let pushed = await push();
    while (pushed.status === 503) pushed = await push();
    expect(pushed.status).toBe(201);
    for (const image of platforms) await expectWhole('slow', image, target);
    return pending;
  });

  itAnswers('502 UPSTREAM_FAILED while the upstream fails', async () => {
    const image = newImage();
    putImage(content, 'down', '1', image);
    const { repository } = await virtualOverRemote();
    const push = await retag('down', '1', repository);
    upstream.answer = refusing(500);
    return push();
  });

  itAnswers(
    '400 PACKAGE_INVALID for what the upstream lacks, a verdict blocks or nothing is kept of, and for a name of a local child',
    async () => {
      const [partial, blocked, uncached, own] = ['partial', 'miner', 'uncached', 'own'].map((name) => uniqueName(name));
      const names = [partial, blocked, uncached, own] as string[];
      const image = newImage();
      const { repository, target } = await virtualOverRemote();
      const passing = await virtualOverRemote({ isRemoteCacheEnabled: false });
      const pushes = [];
      for (const name of names) {
        putImage(content, name, '1', image);
        pushes.push(await retag(name, '1', name === uncached ? passing.repository : repository));
      }
      content.blobs.delete(`${partial}@${digestOf(image.config)}`);
      await images.push(String(own), 'own', newImage(), { repository: target });
      const { workspace, admin } = images.setting;
      await service.client.succeed(updateVerdict, {
        params: { workspace: workspace.id, packageType: 'docker', package: String(blocked) },
        body: { verdict: 'block', versions: [digestOf(manifestOf(image))], reason: 'A miner is in it' },
        as: admin.bearer,
      });
      const answers = [];
      for (const push of pushes) answers.push(await push());
      expect([...new Set(blobsAsked().map((each) => each.split('/')[2]))]).toEqual([partial]);
      return answers;
    },
  );
});
