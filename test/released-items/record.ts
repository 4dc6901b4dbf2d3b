import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../../functions/endpoints.ts';
import { authorizerRights, rightsOf } from '../../infra/api/rights.ts';
import { releases, withRelease } from '../../infra/released-rights.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { buildReleasedWorld } from '../harness/released-world.ts';
import { useService } from '../harness/service.ts';
import { buildReleasedPackages } from './released-packages.ts';

const service = useService();

// No tests of their own, but run by jest for the service around them: `npm run record-items`.
it('records the items of this release', async () => {
  const world = await buildReleasedWorld(service);
  writeFileSync(join(__dirname, `${packageJson.version}.json`), `${JSON.stringify(world, null, 1)}\n`);
}, 90_000);

it('records the packages of this release', async () => {
  const packages = await buildReleasedPackages(service);
  writeFileSync(join(__dirname, 'packages', `${packageJson.version}.json`), `${JSON.stringify(packages, null, 1)}\n`);
}, 90_000);

it('records what the functions of this release may do', () => {
  const ofEndpoints = endpoints.map((endpoint) => [endpoint.id, rightsOf(endpoint)] as const);
  const rights = { authorizer: authorizerRights, ...Object.fromEntries(ofEndpoints) };
  const file = join(__dirname, '..', '..', 'infra', 'released-rights.json');
  const recorded = withRelease(releases, { version: packageJson.version, countsAccess: true, rights });
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`);
});
