import { randomBytes, randomUUID } from 'node:crypto';
import { getPypiDocument } from '../../functions/pypi/contracts.ts';
import { uploadForm, wheelName, wheelOf } from '../harness/python-packages.ts';
import { proxyEvent } from './events.ts';
import { load, rate } from './load.ts';
import { send } from './packages.ts';
import { type Figure, inTurns, median } from './report.ts';
import { functionsOf, storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import type { Workbench } from './workbench.ts';

const versionCount = 100;
const rounds = 3;
const fileBytes = 20_000;
const name = 'bench-project';

/** What pip sends with each request for a page. */
const ofPip = {
  Accept: 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01',
  'Accept-Encoding': 'gzip, deflate',
};

/** Pages, files and publications of a Python package. */
export const pythonPackages = async (workbench: Workbench): Promise<Figure[]> => {
  const service = await theService(workbench);
  const admin = await storeUser();
  const workspace = await storeWorkspace(admin);
  const { bearer, tokenId } = await storeToken(admin);
  const repository = `pypi-${randomUUID().slice(24)}`;
  const repositories = `${service.url}/1/workspaces/${workspace.name}/repositories`;
  await send('POST', `${repositories}/local`, bearer, { name: repository, packageType: 'pypi' });
  const url = `${service.url}/pypi/${workspace.name}/${repository}`;
  const publish = async (patch: number): Promise<number> => {
    const each = { name, version: `1.0.${patch}`, content: randomBytes(fileBytes / 2).toString('hex') };
    const { content, mediaType } = uploadForm(wheelName(each), wheelOf(each), each);
    const headers = { Authorization: bearer, 'Content-Type': mediaType };
    const before = performance.now();
    const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(content) });
    if (!response.ok) throw new Error(await response.text());
    return performance.now() - before;
  };
  const { published } = await inTurns(versionCount, { published: publish }, Number.POSITIVE_INFINITY);
  const file = wheelName({ name, version: '1.0.50' });
  const principal = { userId: admin.userId, username: admin.username, tokenId };
  const measure = async (row: string, path: string): Promise<Figure> => {
    const params = { workspace: workspace.name, repository, path };
    const event = proxyEvent(getPypiDocument, params, principal, undefined, ofPip);
    const cost = async (): Promise<number> => {
      const parameters = [workbench.bundle(getPypiDocument.id), JSON.stringify(event), '200'];
      const functions = functionsOf(service);
      const { message } = await workbench.run(workbench.built('processes/handler-cost'), parameters, functions);
      return (message as { microseconds: number }).microseconds;
    };
    const slice = async () => load({ url: `${url}/${path}`, headers: { ...ofPip, Authorization: bearer } });
    await slice();
    const { slices } = await inTurns(rounds, { slices: slice }, 30);
    const { costs } = await inTurns(rounds, { costs: cost }, 20);
    const microseconds = median(costs);
    return {
      row,
      against: 'nothing',
      goal: 'none: for comparison with npm',
      figure: `${(1_000_000 / microseconds).toFixed(0)}/s of one core (${microseconds.toFixed(0)} µs each); ${rate(slices).toFixed(0)}/s at the local runner, 8 clients`,
      met: 'for comparison',
    };
  };
  return [
    {
      row: `publish one of ${versionCount} versions with twine's request`,
      against: 'nothing',
      goal: 'none: for comparison with npm',
      figure: `${median(published).toFixed(0)} ms`,
      met: 'for comparison',
    },
    await measure(`GET the page of a Python project of ${versionCount} versions`, `simple/${name}/`),
    await measure('GET a wheel of 20 kB', `files/${name}/1.0.50/${file}`),
  ];
};
