import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { useService } from './harness/service.ts';
import { firstAdmin } from './harness/world.ts';

const run = promisify(execFile);

/** What a reader pastes: the blocks of the README that are marked as shell. */
const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);

const service = useService();

test('the examples of the README do what they say, pasted one after the other', async () => {
  expect(blocks).toHaveLength(3);
  // Each block says when it is done, so that what it printed can be told from the next one's.
  const script = blocks.map((block) => `${block}\necho; echo ==end==`).join('\n');
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    env: {
      PATH: process.env.PATH ?? '',
      BASE: service.runner.url,
      STOCKROOM_ADMIN_PASSWORD: firstAdmin.password,
    },
  });
  const [firstMinutes = '', team = '', down = ''] = stdout.split('==end==');
  const statuses = [...firstMinutes.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([201, 201, 401, 409, 400]);
  expect(firstMinutes).toContain("A repository named 'npm-local' already exists in this workspace.");
  expect(team).toContain('"name":"builds"');
  expect(team).toContain('"repositoryPermissionLevel":"canDeploy"');
  expect(down.match(/"status":"deleted"/g)).toHaveLength(3);
  expect(down).toContain('"workspaceName":"acme"');
  expect(down).toContain('"disabled":true');
});
