import { randomBytes, randomUUID } from 'node:crypto';
import { stagingObjectKey } from '../../shared/store/keys.ts';
import { copyObjectOnce, MultipartUpload } from '../../shared/store/multipart.ts';
import { streamObject } from '../../shared/store/objects.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import type { Workbench } from './workbench.ts';

const rounds = 5;
const ratioMin = 0.5;
const megabytes = 100;
const partMegabytes = 8;

/** Downloads a file, and returns its megabytes per second. */
const download = async (url: string, bearer?: string): Promise<number> => {
  const before = performance.now();
  const response = await fetch(url, { headers: bearer === undefined ? {} : { Authorization: bearer } });
  if (!response.ok || !response.body) throw new Error(`${url}: ${await response.text()}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += (chunk as Uint8Array).length;
  return bytes / 1000 / (performance.now() - before);
};

/** Stores as many bytes as a first fetch does, and reads them, without an upstream: returns the megabytes per second. */
const throughStore = async (): Promise<number> => {
  const signal = AbortSignal.timeout(60_000);
  const [key, target] = [stagingObjectKey(randomUUID()), `blobs/bench/sha256/${randomUUID()}`];
  const part = randomBytes(partMegabytes * 1_000_000);
  const before = performance.now();
  const upload = await MultipartUpload.begin(key, signal);
  for (let sent = 0; sent < megabytes; sent += partMegabytes)
    await upload.add(part.subarray(0, Math.min(partMegabytes, megabytes - sent) * 1_000_000));
  await upload.completeOnce();
  await copyObjectOnce({ sourceKey: key, size: megabytes * 1_000_000 }, { key: target }, signal);
  for await (const chunk of (await streamObject(target, signal)) ?? []) void chunk;
  return (megabytes * 1000) / (performance.now() - before);
};

/** The first download of 100 MB through a remote repository, and one of what it has kept, against a plain proxy. */
export const firstFetch = async (workbench: Workbench): Promise<Figure[]> => {
  const script = workbench.built('processes/large-file');
  const { PATH = '' } = process.env;
  const upstream = (await workbench.start(script, [], { PATH })).message as { url: string };
  const proxy = (await workbench.start(script, [upstream.url], { PATH })).message as { url: string };
  const service = await theService(workbench);
  const admin = await storeUser();
  const { name } = await storeWorkspace(admin);
  const { bearer } = await storeToken(admin);
  const created = await fetch(`${service.url}/1/workspaces/${name}/repositories/remote`, {
    method: 'POST',
    headers: { Authorization: bearer, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      name: 'files',
      packageType: 'universal',
      remoteRepositoryUrl: `${upstream.url}/{package-name}/{version}/{file}`,
      isRemoteCacheEnabled: true,
    }),
  });
  if (!created.ok) throw new Error(await created.text());
  const files = `${service.url}/universal/${name}/files`;
  const fresh = () => `${files}/large/${randomUUID()}/file.bin`;
  const kept = fresh();
  await download(kept, bearer);
  const rates = await inTurns(
    rounds,
    {
      first: () => download(fresh(), bearer),
      kept: () => download(kept, bearer),
      proxy: () => download(`${proxy.url}/large`),
      store: throughStore,
    },
    40,
  );
  const against = `a plain node:http proxy (${median(rates.proxy).toFixed(0)} MB/s)`;
  const againstProxy = (megabytesPerSecond: number): string =>
    `${times(megabytesPerSecond / median(rates.proxy))} (${megabytesPerSecond.toFixed(0)} MB/s)`;
  const ratio = median(rates.first) / median(rates.store);
  return [
    {
      row: `first fetch of ${megabytes} MB through a remote repository`,
      against: `the same bytes sent to the local store in parts, copied there, and read (${median(rates.store).toFixed(0)} MB/s)`,
      goal: `≥ ${ratioMin} ×: it also comes from an upstream, and is hashed for every package type`,
      figure: `${times(ratio)} (${median(rates.first).toFixed(0)} MB/s)`,
      met: ratio >= ratioMin,
    },
    {
      row: `first fetch of ${megabytes} MB: what limits it`,
      against,
      goal: 'none: a proxy stores nothing; the local store acknowledges each byte three times, when it is on the disk',
      figure: `the fetch ${againstProxy(median(rates.first))}; the store alone ${againstProxy(median(rates.store))}`,
      met: 'for comparison',
    },
    {
      row: `download of ${megabytes} MB that a remote repository has kept`,
      against,
      goal: 'none: by the redirect, the local store serves it',
      figure: againstProxy(median(rates.kept)),
      met: 'for comparison',
    },
  ];
};
