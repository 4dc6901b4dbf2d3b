import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { distributionVersion, startDistribution } from './distribution.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import type { Workbench } from './workbench.ts';

const rounds = 3;
const ratioMin = 0.7;
const layerMegabytes = 1_000;
const secondsMax = 120;

/** A layer that no registry has seen: a megabyte of random bytes, again and again, each time with another beginning. */
class Layer {
  private readonly chunks: readonly Buffer[];
  readonly digest: string;
  readonly bytes = layerMegabytes * 1_000_000;

  constructor() {
    const megabyte = randomBytes(1_000_000);
    const heads = Array.from({ length: layerMegabytes }, () => randomBytes(16));
    this.chunks = heads.flatMap((head) => [head, megabyte.subarray(head.length)]);
    const hash = createHash('sha256');
    for (const chunk of this.chunks) hash.update(chunk);
    this.digest = `sha256:${hash.digest('hex')}`;
  }

  stream(): Readable {
    return Readable.from(this.chunks);
  }
}

/** The address of an image, and the header that lets in. */
interface Image {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const begin = async ({ url, headers }: Image): Promise<URL> => {
  const begun = await fetch(`${url}/blobs/uploads/`, { method: 'POST', headers });
  if (begun.status !== 202) throw new Error(`${url} answered ${begun.status}: ${await begun.text()}`);
  return new URL(begun.headers.get('location') ?? '', url);
};

/** Pushes a layer as docker does, in one PUT. Returns the megabytes per second. */
const push = async (image: Image, layer: Layer): Promise<number> => {
  const before = performance.now();
  const address = await begin(image);
  address.searchParams.set('digest', layer.digest);
  const headers = { ...image.headers, 'Content-Length': layer.bytes, 'Content-Type': 'application/octet-stream' };
  const sent = request(address, { method: 'PUT', headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  await pipeline(layer.stream(), sent);
  const [answer] = await answered;
  answer.resume();
  if (answer.statusCode !== 201) throw new Error(`${address.href} answered ${answer.statusCode}.`);
  return (layerMegabytes * 1000) / (performance.now() - before);
};

/** Pulls a layer. Returns the megabytes per second. */
const pull = async ({ url, headers }: Image, { digest, bytes }: Layer): Promise<number> => {
  const before = performance.now();
  const response = await fetch(`${url}/blobs/${digest}`, { headers });
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  let read = 0;
  for await (const chunk of response.body) read += (chunk as Uint8Array).length;
  if (read !== bytes) throw new Error(`${url} sent ${read} bytes of ${bytes}.`);
  return (layerMegabytes * 1000) / (performance.now() - before);
};

const ourImage = async (workbench: Workbench): Promise<Image> => {
  const { url, doorUrl } = await theService(workbench);
  const admin = await storeUser();
  const { name } = await storeWorkspace(admin);
  const { bearer: Authorization } = await storeToken(admin);
  const created = await fetch(`${url}/1/workspaces/${name}/repositories/local`, {
    method: 'POST',
    headers: { Authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'images', packageType: 'docker' }),
  });
  if (!created.ok) throw new Error(await created.text());
  return { url: `${doorUrl}/v2/${name}/images/bench`, headers: { Authorization } };
};

/** Pushes and pulls of a large layer in Stockroom and in Distribution, on the same disk. */
export const containers = async (workbench: Workbench): Promise<Figure[]> => {
  const ours = await ourImage(workbench);
  const theirs = { url: `${await startDistribution(workbench)}/v2/bench/bench`, headers: {} };
  const pushed = await inTurns(
    rounds,
    { ours: async () => push(ours, new Layer()), theirs: async () => push(theirs, new Layer()) },
    secondsMax,
  );
  const layer = new Layer();
  await push(ours, layer);
  await push(theirs, layer);
  const pulled = await inTurns(
    rounds,
    { ours: async () => pull(ours, layer), theirs: async () => pull(theirs, layer) },
    secondsMax,
  );
  const figure = (row: string, rates: Readonly<Record<'ours' | 'theirs', readonly number[]>>): Figure => {
    const ratio = median(rates.ours) / median(rates.theirs);
    return {
      row: `${row} of a layer of 1 GB`,
      against: `Distribution ${distributionVersion} on the same disk (${median(rates.theirs).toFixed(0)} MB/s)`,
      goal: `≥ ${ratioMin} ×`,
      figure: `${times(ratio)} (${median(rates.ours).toFixed(0)} MB/s)`,
      met: ratio >= ratioMin,
    };
  };
  return [figure('push', pushed), figure('pull', pulled)];
};
