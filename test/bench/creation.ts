import { randomUUID } from 'node:crypto';
import type autocannon from 'autocannon';
import { load, p99 } from './load.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { startBare, storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import type { Workbench } from './workbench.ts';

const rounds = 5;
const ratioMin = 0.8;

const request = (path: string, headers: Record<string, string>): autocannon.Request => ({
  method: 'POST',
  path,
  headers: { 'Content-Type': 'application/json', ...headers },
  setupRequest: (next) => ({
    ...next,
    body: JSON.stringify({ name: `r-${randomUUID().slice(9)}`, packageType: 'npm' }),
  }),
});

/** Creates local repositories through the local runner, against a bare server that makes the same two table calls. */
export const creation = async (workbench: Workbench): Promise<Figure[]> => {
  const service = await theService(workbench);
  const admin = await storeUser();
  const { tokenId, bearer } = await storeToken(admin);
  const workspaces = await Promise.all([0, 1].map(() => storeWorkspace(admin)));
  const [ours = '', theirs = ''] = workspaces.map(({ workspaceId }) => workspaceId);
  const known = { username: admin.username, userId: admin.userId, tokenId, workspaceId: theirs };
  const bare = await startBare(workbench, 'createRepository', known);
  const path = `/1/workspaces/${ours}/repositories/local`;
  const contestants = {
    ours: () => load({ url: service.url, requests: [request(path, { Authorization: bearer })] }),
    bare: () => load({ url: bare.url, requests: [request('/', {})] }),
  };
  // One round to warm up, which does not count.
  await inTurns(1, contestants, 30);
  const slices = await inTurns(rounds, contestants, 30);
  await bare.stop();
  const rate = (of: keyof typeof contestants) => median(slices[of].map(({ requestsPerSecond }) => requestsPerSecond));
  const sliceText = (of: keyof typeof contestants) => `${rate(of).toFixed(0)}/s, p99 ${p99(slices[of]).toFixed(0)} ms`;
  const ratio = rate('ours') / rate('bare');
  return [
    {
      row: 'create a local repository, 8 clients',
      against: `a bare node:http server, the same two table calls (${sliceText('bare')})`,
      goal: `≥ ${ratioMin} ×`,
      figure: `${times(ratio)} (${sliceText('ours')})`,
      met: ratio >= ratioMin,
    },
  ];
};
