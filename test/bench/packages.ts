import { randomBytes, randomUUID } from 'node:crypto';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { publishBody, tarballOf } from '../harness/npm.ts';
import { proxyEvent } from './events.ts';
import { load, rate, type Slice } from './load.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { functionsOf, password, storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import { theVerdaccio } from './verdaccio.ts';
import type { Workbench } from './workbench.ts';

const versionCount = 100;
const rounds = 4;
const tarballBytes = 20_000;
const name = 'bench-package';

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
  const paths = { packument: name, tarball: `${name}/-/${name}-1.0.50.tgz` };
  const slice = ({ url, bearer }: Registry, path: string) =>
    load({ url: `${url}/${path}`, headers: { ...ofInstall, Authorization: bearer } });
  const costOf = async (path: string) => {
    const event = proxyEvent(getNpmDocument, { ...params, path }, principal, undefined, ofInstall);
    const { message } = await workbench.run(
      workbench.built('processes/handler-cost'),
      [workbench.bundle(getNpmDocument.id), JSON.stringify(event), '200'],
      functionsOf(await theService(workbench)),
    );
    return (message as { microseconds: number }).microseconds;
  };
  const figures = [latency(published)];
  for (const [what, path] of Object.entries(paths)) {
    const contestants = { ours: () => slice(ours, path), theirs: () => slice(theirs, path) };
    await inTurns(1, contestants, 10);
    const slices = await inTurns(rounds, contestants, 30);
    const costs = await inTurns(3, { handler: () => costOf(path) }, 20);
    figures.push(...throughput(what, slices, median(costs.handler)));
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

const throughput = (
  what: string,
  { ours, theirs }: Readonly<Record<'ours' | 'theirs', readonly Slice[]>>,
  handlerMicroseconds: number,
): Figure[] => {
  const ofOneCore = 1_000_000 / handlerMicroseconds;
  const against = `Verdaccio, 8 clients (${perSecond(rate(theirs))})`;
  const row = what === 'packument' ? `GET a packument of ${versionCount} versions` : 'GET a tarball of 20 kB';
  return [
    {
      row: `${row}: one core of handler time`,
      against,
      goal: '≥ 1 ×',
      figure: `${times(ofOneCore / rate(theirs))} (${handlerMicroseconds.toFixed(0)} µs each, ${perSecond(ofOneCore)})`,
      met: ofOneCore >= rate(theirs),
    },
    {
      row: `${row}: the local runner, 8 clients`,
      against,
      goal: 'none: the gateway, the table engine and the store share the machine with the function and the clients',
      figure: `${times(rate(ours) / rate(theirs))} (${perSecond(rate(ours))})`,
      met: 'for comparison',
    },
  ];
};
