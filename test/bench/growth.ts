import { randomUUID } from 'node:crypto';
import { Table } from '../../shared/table/client.ts';
import { setMember } from '../../shared/table/identity/memberships.ts';
import { storeMembers, storeRepositories } from './bulk.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { type Service, storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import type { Workbench } from './workbench.ts';

const rounds = 40;
const flatMax = 1.2;

/** The sizes of the workspaces; the others are compared with the first. */
const sizes = {
  small: { repositories: 1_000, members: 100 },
  medium: { repositories: 10_000, members: 100 },
  large: { repositories: 100_000, members: 100 },
  crowded: { repositories: 1_000, members: 10_000 },
} as const;
type Size = keyof typeof sizes;
const names = Object.keys(sizes) as Size[];

type Act = () => Promise<number>;

/** Calls an endpoint and returns the milliseconds that it took. */
const timed = async (url: string, bearer: string, method = 'GET', body?: object): Promise<number> => {
  const before = performance.now();
  const response = await fetch(url, {
    method,
    headers: { Authorization: bearer, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${text}`);
  return performance.now() - before;
};

/** The calls to make in a workspace of each size. */
const actsIn = async (service: Service, size: Size): Promise<Record<string, Act>> => {
  const admin = await storeUser();
  const workspace = await storeWorkspace(admin);
  const { bearer } = await storeToken(admin);
  const member = await storeUser();
  await setMember(
    new Table(),
    workspace,
    { userId: member.userId, username: member.username, role: 'member' },
    undefined,
  );
  await storeRepositories(service, workspace, sizes[size].repositories);
  await storeMembers(service, workspace, sizes[size].members);
  const base = `${service.url}/1/workspaces/${workspace.workspaceId}`;
  const middle = `repository-${String(sizes[size].repositories / 2).padStart(6, '0')}`;
  const grant = { userId: member.userId, repositoryPermissionLevel: 'canDeploy' };
  const named = () => ({ name: `x-${randomUUID().slice(9)}`, packageType: 'npm' });
  return {
    create: () => timed(`${base}/repositories/local`, bearer, 'POST', named()),
    get: () => timed(`${base}/repositories/${middle}`, bearer),
    grant: () => timed(`${base}/repositories/${middle}/members`, bearer, 'POST', grant),
    'list a page of 100': () => timed(`${base}/repositories?limit=100`, bearer),
    'list a page of 1,000': () => timed(`${base}/repositories?limit=1000`, bearer),
    'list 100 members': () => timed(`${base}/members?limit=100`, bearer),
  };
};

const label = (size: Size): string => {
  const { repositories, members } = sizes[size];
  return `${repositories.toLocaleString('en')}/${members.toLocaleString('en')}`;
};

/** The same calls in workspaces of growing size, one at a time. */
export const growth = async (workbench: Workbench): Promise<Figure[]> => {
  const service = await theService(workbench);
  const acts = new Map<Size, Record<string, Act>>();
  for (const size of names) acts.set(size, await actsIn(service, size));
  const figures: Figure[] = [];
  for (const act of Object.keys(acts.get('small') ?? {})) {
    const turns = act === 'list a page of 1,000' ? rounds / 4 : rounds;
    const contestants = Object.fromEntries(
      names.map((size) => [size, acts.get(size)?.[act] ?? (async () => Number.NaN)]),
    );
    await inTurns(2, contestants, 10);
    const measured = await inTurns(turns, contestants, 10);
    figures.push(figureOf(act, measured));
  }
  return figures;
};

const figureOf = (act: string, measured: Readonly<Record<string, readonly number[]>>): Figure => {
  const milliseconds = (size: Size): number => median(measured[size] ?? []);
  const ratios = names.slice(1).map((size) => milliseconds(size) / milliseconds('small'));
  return {
    row: `${act}, by repositories/members in the workspace`,
    against: `${label('small')} (${milliseconds('small').toFixed(1)} ms)`,
    goal: `flat: ≤ ${flatMax} ×`,
    figure: names
      .slice(1)
      .map((size, index) => `${label(size)}: ${times(ratios[index] ?? Number.NaN)}`)
      .join(', '),
    met: ratios.every((ratio) => ratio <= flatMax),
  };
};
