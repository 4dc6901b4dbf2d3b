import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tarballOf } from '../functions/npm/documents.ts';
import { serveRegistry } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { firstAdmin } from '../harness/world.ts';

const run = promisify(execFile);

/** What a reader pastes: the blocks that are marked as shell, of the README and of the page that goes on with it. */
const blocks = ['README.md', 'docs/access.md'].flatMap((file) =>
  Array.from(readFileSync(file, 'utf8').matchAll(/^```sh(?:ell)?\n(.*?)^```$/gms), ([, text = '']) => text),
);

const service = useService();
const upstream = useUpstream();
const folder = mkdtempSync(join(tmpdir(), 'stockroom-readme-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the examples of the README and of its next page do what they say, pasted one after the other', async () => {
  expect(blocks).toHaveLength(4);
  const manifest = JSON.stringify({ name: 'left-pad', version: '1.3.0' });
  const tarball = await tarballOf([{ name: 'package/package.json', content: manifest }]);
  upstream.answer = serveRegistry(upstream, { 'left-pad': { '1.3.0': { tarball } } });
  // Each block says when it is done, so that what it printed can be told from the next one's.
  const script = blocks.map((block) => `${block}\necho; echo ==end==`).join('\n');
  const { stdout } = await run(
    'bash',
    ['-euo', 'pipefail', '-c', script.replace('https://registry.npmjs.org/', upstream.url)],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        BASE: service.runner.url,
        STOCKROOM_ADMIN_PASSWORD: firstAdmin.password,
      },
    },
  );
  const [firstMinutes = '', packages = '', team = '', down = ''] = stdout.split('==end==');
  const statuses = [...firstMinutes.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([201, 201, 401, 409, 400]);
  expect(firstMinutes).toContain("A repository named 'npm-local' already exists in this workspace.");
  expect(packages).toContain('added 1 package');
  expect(packages).toContain('+ @acme/project@1.0.0');
  expect(packages).toContain(`.tarball: ${service.runner.url}/npm/acme/npm/@acme/project/-/project-1.0.0.tgz`);
  expect(team).toContain('"name":"builds"');
  expect(team).toContain('"repositoryPermissionLevel":"canDeploy"');
  expect(down.match(/"status":"deleted"/g)).toHaveLength(3);
  expect(down).toContain('"workspaceName":"acme"');
  expect(down).toContain('"disabled":true');
}, 60_000);
