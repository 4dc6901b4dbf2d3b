import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { buildReleasedWorld } from '../harness/released-world.ts';
import { useService } from '../harness/service.ts';

const service = useService();

// No test of its own, but run by jest for the service around it: `npm run record-items`.
it('records the items of this release', async () => {
  const world = await buildReleasedWorld(service);
  writeFileSync(join(__dirname, `${packageJson.version}.json`), `${JSON.stringify(world, null, 1)}\n`);
}, 90_000);
