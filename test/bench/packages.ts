import { randomBytes, randomUUID } from 'node:crypto';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { frontId } from '../../infra/api/function-metadata.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { publishBody, tarballOf } from '../harness/npm.ts';
import { proxyEvent, urlEvent } from './events.ts';
import { load, rate, type Slice } from './load.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { functionsOf, password, storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import { theVerdaccio } from './verdaccio.ts';
import type { Workbench } from './workbench.ts';

const versionCount = 100;
const rounds = 4;
/** As warm as Verdaccio, which has answered some thousands of requests when it is measured: half as many calls come before. */
const measuredCalls = 3_000;
const tarballBytes = 20_000;
const name = 'bench-package';

/** What clients ask both registries for, and how often one core should answer in comparison with Verdaccio. */
interface Wanted {
  readonly what: string;
  readonly path: string;
  /** Whether the client has it already, and is told so. */
  readonly isUnchanged: boolean;
  readonly goal: number;
}

const wanted: readonly Wanted[] = [
  { what: `a packument of ${versionCount} versions`, path: name, isUnchanged: false, goal: 1 },
  {
    what: `a packument of ${versionCount} versions that the client has (304)`,
    path: name,
    isUnchanged: true,
    goal: 1.5,
  },
  { what: 'a tarball of 20 kB', path: `${name}/-/${name}-1.0.50.tgz`, isUnchanged: false, goal: 1 },
];

/** A registry of npm, and the credential for it. */
interface Registry {
  readonly url: string;
  readonly bearer: string;
}

/** Headers that npm sends with each request for a packument. */
const ofInstall = {
  Accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*',
  'Accept-Encoding': 'gzip, deflate',
};

/** Sends JSON and returns the JSON of the answer. Fails unless the request is accepted. */
export const send = async (method: string, url: string, bearer: string, body: object): Promise<unknown> => {
  const response = await fetch(url, {
    method,
    headers: { Authorization: bearer, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${text}`);
  return JSON.parse(text);
};

/** Publishes a version, and returns the milliseconds that it took. */
const publish = async ({ url, bearer }: Registry, version: string): Promise<number> => {
  const body = publishBody(
    name,
    version,
    { description: 'A package' },
    tarballOf({ name, version }, randomBytes(tarballBytes / 2).toString('hex')),
  );
  const before = performance.now();
  await send('PUT', `${url}/${name}`, bearer, body);
  return performance.now() - before;
};

/** A workspace with a repository of a package type, and an admin of it. */
export const ourRepository = async (workbench: Workbench, packageType: PackageType) => {
  const service = await theService(workbench);
  const admin = await storeUser();
  const workspace = await storeWorkspace(admin);
  const { bearer, tokenId } = await storeToken(admin);
  const called = `${packageType}-${randomUUID().slice(24)}`;
  const repositories = `${service.url}/1/workspaces/${workspace.name}/repositories`;
  const created = await send('POST', `${repositories}/local`, bearer, { name: called, packageType });
  const { id } = created as { readonly id: string };
  const { userId, username } = admin;
  return {
    service,
    bearer,
    workspace: { id: workspace.workspaceId, name: workspace.name },
    repository: { id, name: called },
    principal: { userId, username, tokenId },
  };
};

/** A workspace with an npm repository, as npm knows it. */
export const ourRegistry = async (workbench: Workbench) => {
  const { service, bearer, ...place } = await ourRepository(workbench, 'npm');
  return {
    registry: { url: `${service.url}/npm/${place.workspace.name}/${place.repository.name}`, bearer },
    ...place,
  };
};

const perSecond = (requests: number): string => `${requests.toFixed(0)}/s`;

/** Packuments, tarballs and publications of the same package in Stockroom and in Verdaccio. */
export const packages = async (workbench: Workbench): Promise<Figure[]> => {
  const theirs = await theVerdaccio(workbench, 'robin', password);
  const { registry: ours, workspace, repository, principal } = await ourRegistry(workbench);
  const params = { workspace: workspace.name, repository: repository.name };
  const published = await inTurns(
    versionCount,
    {
      ours: (round) => publish(ours, `1.0.${round}`),
      theirs: (round) => publish(theirs, `1.0.${round}`),
    },
    Number.POSITIVE_INFINITY,
  );
  const sliceOf = async ({ url, bearer }: Registry, { path, isUnchanged }: Wanted) => {
    const headers = { ...ofInstall, Authorization: bearer };
    const asked = `${url}/${path}`;
    const etag = isUnchanged && (await fetch(asked, { headers })).headers.get('etag');
    return load({ url: asked, headers: { ...headers, ...(etag && { 'If-None-Match': etag }) }, isUnchanged });
  };
  const service = functionsOf(await theService(workbench));
  const costOf = async (functionId: string, event: object, { isUnchanged }: Wanted) => {
    const parameters = [
      workbench.bundle(functionId),
      JSON.stringify(event),
      isUnchanged ? '304' : '200',
      `${measuredCalls}`,
    ];
    const { message } = await workbench.run(workbench.built('processes/handler-cost'), parameters, service);
    return (message as { microseconds: number }).microseconds;
  };
  const figures = [latency(published)];
  for (const each of wanted) {
    const contestants = { ours: () => sliceOf(ours, each), theirs: () => sliceOf(theirs, each) };
    await inTurns(1, contestants, 10);
    const slices = await inTurns(rounds, contestants, 30);
    const path = `/npm/${workspace.name}/${repository.name}/${each.path}`;
    const ofGateway = proxyEvent(getNpmDocument, { ...params, path: each.path }, principal, undefined, ofInstall);
    const ofUrl = urlEvent(path, { ...ofInstall, Authorization: ours.bearer });
    const costs = await inTurns(
      3,
      {
        endpoint: () => costOf(getNpmDocument.id, ofGateway, each),
        front: () => costOf(frontId, ofUrl, each),
      },
      40,
    );
    figures.push(...throughput(each, slices, { endpoint: median(costs.endpoint), front: median(costs.front) }));
  }
  return figures;
};

const latency = ({ ours, theirs }: Readonly<Record<'ours' | 'theirs', readonly number[]>>): Figure => ({
  row: `publish one of ${versionCount} versions with npm's request`,
  against: `Verdaccio, which writes two files (${median(theirs).toFixed(0)} ms)`,
  goal: 'none: three calls of the table and one of the store, each acknowledged by the disk',
  figure: `${times(median(ours) / median(theirs))} (${median(ours).toFixed(0)} ms)`,
  met: 'for comparison',
});

/** How often one core answers, where an answer takes so many microseconds of it. */
const ofOneCore = (microseconds: number): number => 1_000_000 / microseconds;

const throughput = (
  { what, goal }: Wanted,
  { ours, theirs }: Readonly<Record<'ours' | 'theirs', readonly Slice[]>>,
  microseconds: Readonly<Record<'endpoint' | 'front', number>>,
): Figure[] => {
  const against = `Verdaccio, 8 clients (${perSecond(rate(theirs))})`;
  const core = (where: string, cost: number): Figure => ({
    row: `GET ${what}: one core of handler time${where}`,
    against,
    goal: `≥ ${goal} ×`,
    figure: `${times(ofOneCore(cost) / rate(theirs))} (${cost.toFixed(0)} µs each, ${perSecond(ofOneCore(cost))})`,
    met: ofOneCore(cost) >= goal * rate(theirs),
  });
  return [
    core('', microseconds.endpoint),
    core(' at the second front', microseconds.front),
    {
      row: `GET ${what}: the local runner, 8 clients`,
      against,
      goal: 'none: the gateway, the table engine and the store share the machine with the function and the clients',
      figure: `${times(rate(ours) / rate(theirs))} (${perSecond(rate(ours))})`,
      met: 'for comparison',
    },
  ];
};
