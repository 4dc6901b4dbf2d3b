import { randomBytes, randomUUID } from 'node:crypto';
import { proxyEvent } from './events.ts';
import { growIndex } from './grown-index.ts';
import { load, rate } from './load.ts';
import { type MeasuredType, measuredTypes, type Publication, type Request } from './measured-types.ts';
import { ourRepository } from './packages.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { functionsOf, theService } from './service.ts';
import type { Workbench } from './workbench.ts';

const sizes = [100, 10_000] as const;
const publishRounds = 20;
const flatMax = 1.2;
/** How long the first read after a publication may take at the largest size. */
const afterPublishMax = 2_000;

/** What a process of its own that calls a handler tells. */
interface Cost {
  /** The CPU time of a call. */
  readonly microseconds: number;
  /** The time of the first call. */
  readonly firstMilliseconds: number;
  /** The most memory that the process had. */
  readonly megabytes: number;
}

/** Text of about 20 kB. */
const newData = (): string => randomBytes(10_000).toString('hex');

/** What clients accept: pip asks for JSON, and all take gzip. */
const ofClients = {
  Accept: 'application/vnd.pypi.simple.v1+json, */*; q=0.1',
  'Accept-Encoding': 'gzip, deflate',
};

/** A repository with one package, whose index has so many entries. */
const prepare = async (workbench: Workbench, type: MeasuredType, count: number) => {
  const place = await ourRepository(workbench, type.packageType);
  const { service, workspace, repository, principal, bearer } = place;
  const name = type.nameOf(`bench-${randomUUID().slice(24)}`);
  const inRepository = { workspace: workspace.name, repository: repository.name };
  const urlOf = ({ contract, params, query }: Request): string => {
    const all: Readonly<Record<string, string>> = { ...inRepository, ...params };
    const path = contract.path.replaceAll(/\{(\w+)\+?\}/g, (_, key: string) => all[key] ?? '');
    return service.url + path + (query ? `?${new URLSearchParams(query).toString()}` : '');
  };
  const send = async (publication: Publication): Promise<number> => {
    const { contract, content, mediaType = 'application/octet-stream' } = publication;
    const headers = { Authorization: bearer, 'Content-Type': mediaType };
    const before = performance.now();
    const response = await fetch(urlOf(publication), {
      method: contract.method,
      headers,
      body: new Uint8Array(content),
    });
    if (!response.ok) throw new Error(`${type.packageType}: ${await response.text()}`);
    return performance.now() - before;
  };
  const publish = async (version: string): Promise<number> => {
    const milliseconds = await send(await type.publication(name, version, newData()));
    const completion = type.completion?.(name, version);
    return milliseconds + (completion ? await send(completion) : 0);
  };
  const first = type.versionOf(0);
  await publish(first);
  const { id: contentId } = repository;
  const [ref, grows] = type.hasRepositoryIndex ? [{ contentId }, name] : [{ contentId, name }, first];
  const copyOf = (text: string, number: number): string =>
    text.replaceAll(grows, type.hasRepositoryIndex ? `${name}-${number}` : type.versionOf(number));
  await growIndex(workspace.id, ref, count, copyOf);
  return {
    publish,
    index: type.index(name),
    file: type.file(name, first),
    cost: async ({ contract, params, query = {} }: Request, calls: number): Promise<Cost> => {
      const event = {
        ...proxyEvent(contract, { ...inRepository, ...params }, principal, undefined, ofClients),
        queryStringParameters: query,
        multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([key, text]) => [key, [text]])),
      };
      const parameters = [workbench.bundle(contract.id), JSON.stringify(event), '200', `${calls}`];
      const script = workbench.built('processes/handler-cost');
      const variables = { ...workbench.definition(contract.id).environment, ...functionsOf(service) };
      return (await workbench.run(script, parameters, variables)).message as Cost;
    },
    /** The requests per second of eight clients at the local runner. */
    rate: async (request: Request): Promise<number> => {
      const slice = async () => load({ url: urlOf(request), headers: { ...ofClients, Authorization: bearer } });
      await slice();
      return rate((await inTurns(2, { slices: slice }, 20)).slices);
    },
    /** The milliseconds until one client has the whole answer: mostly, and right after each of some publications. */
    milliseconds: async (request: Request, versions: readonly string[]) => {
      const one = async (): Promise<number> => {
        const before = performance.now();
        const response = await fetch(urlOf(request), { headers: { ...ofClients, Authorization: bearer } });
        const { byteLength } = await response.arrayBuffer();
        if (!response.ok || byteLength === 0) throw new Error(`${type.packageType}: ${response.status}`);
        return performance.now() - before;
      };
      await one();
      const { one: usual } = await inTurns(10, { one }, 20);
      const afterPublish: number[] = [];
      for (const version of versions) {
        await publish(version);
        afterPublish.push(await one());
      }
      return { usual: median(usual), afterPublish: median(afterPublish) };
    },
  };
};

const perCore = ({ microseconds }: Cost): string =>
  `${(1_000_000 / microseconds).toFixed(0)}/s of one core (${microseconds.toFixed(0)} µs each)`;

const figuresOf = async (workbench: Workbench, type: MeasuredType): Promise<Figure[]> => {
  const { packageType, label = packageType, versionOf, hasRepositoryIndex } = type;
  const [few, many] = [await prepare(workbench, type, sizes[0]), await prepare(workbench, type, sizes[1])];
  const what = hasRepositoryIndex ? 'packages' : 'versions';
  const [small, large] = sizes.map((size) => size.toLocaleString('en'));
  const published = await inTurns(
    publishRounds,
    // A new version, not one of the copies.
    {
      few: async (round) => few.publish(versionOf(20_000 + round)),
      many: async (round) => many.publish(versionOf(20_000 + round)),
    },
    60,
  );
  const ratio = median(published.many) / median(published.few);
  const compared = { against: 'nothing', goal: 'none', met: 'for comparison' } as const;
  const get = async (wanted: string, request: Request): Promise<Figure> => ({
    row: `${label}: GET ${wanted}`,
    figure: `${perCore(await few.cost(request, 400))}; ${(await few.rate(request)).toFixed(0)}/s at the local runner, 8 clients`,
    ...compared,
  });
  const alone = await many.milliseconds(
    many.index,
    Array.from({ length: 5 }, (_, round) => versionOf(30_000 + round)),
  );
  await many.publish(versionOf(40_000));
  const cost = await many.cost(many.index, 20);
  const firstRead: Figure = {
    row: `${label}: the first read after a publish, ${large} ${what}`,
    against: 'nothing',
    goal: `≤ ${afterPublishMax / 1_000} s`,
    figure: `${alone.afterPublish.toFixed(0)} ms at the local runner; ${cost.firstMilliseconds.toFixed(0)} ms and ${cost.megabytes.toFixed(0)} MB in a new process`,
    met: Math.max(alone.afterPublish, cost.firstMilliseconds) <= afterPublishMax,
  };
  return [
    {
      row: `${label}: publish beside ${large} ${what}`,
      against: `${small} (${median(published.few).toFixed(1)} ms)`,
      goal: `flat: ≤ ${flatMax} ×`,
      figure: times(ratio),
      met: ratio <= flatMax,
    },
    await get(`the index of ${small} ${what}`, few.index),
    {
      row: `${label}: GET the index of ${large} ${what}`,
      figure: `${perCore(cost)}; ${alone.usual.toFixed(0)} ms at the local runner, one client`,
      ...compared,
    },
    firstRead,
    await get('a file of 20 kB', few.file),
  ];
};

/** Indexes, files and publications of the package types beside npm, or of those that BENCH_TYPES names, with what their clients send. */
export const packageTypes = async (workbench: Workbench): Promise<Figure[]> => {
  await theService(workbench);
  const figures: Figure[] = [];
  const wanted = process.env.BENCH_TYPES?.split(',');
  for (const type of measuredTypes.filter(({ packageType }) => wanted?.includes(packageType) ?? true))
    figures.push(...(await figuresOf(workbench, type)));
  return figures;
};
