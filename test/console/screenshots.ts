import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { addMemberToRepositories } from '../../functions/members/contracts.ts';
import { publishPackage } from '../../functions/packages/contracts.ts';
import { packed } from '../harness/npm.ts';
import { createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { formOf } from '../harness/uploads.ts';
import type { Actor, Named } from '../harness/world.ts';
import { complete, openConsole, show, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: the pictures of the documents. `SCREENSHOTS=docs/console` puts them there. */
const folder = process.env.SCREENSHOTS || join(tmpdir(), 'stockroom-console');
const service = useService();
let browser: Browser;
let admin: Actor;
let workspace: Named;

const readme = `# formatter

Formats *everything* that an editor can open.

| option | default | |
|---|---|---|
| \`width\` | 120 | columns of a line |
| \`quotes\` | single | or double |

    npx formatter --width 100 src
`;

/** A workspace as a team has it. */
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace('acme');
  const repositories: Named[] = [];
  for (const [name, type] of [
    ['npm-local', 'npm'],
    ['charts', 'helm'],
    ['dotnet', 'nuget'],
    ['images', 'docker'],
    ['php', 'composer'],
    ['python', 'pypi'],
  ] as const)
    repositories.push(await service.world.repository(workspace, name, type));
  const [npm] = repositories;
  if (!npm) throw new Error('There is no repository.');
  const npmjs = await service.world.remoteRepository(workspace, 'npmjs');
  await createVirtual(service, workspace, [npm, npmjs], { name: 'npm' });
  for (const [name, version] of [
    ['formatter', '1.0.0'],
    ['formatter', '1.1.0'],
    ['formatter', '2.0.0'],
    ['left-pad', '1.3.0'],
    ['release-notes', '0.4.2'],
  ] as const) {
    const content = await packed({ name, version }, { 'README.md': readme });
    const { status, text } = await service.client.attempt(publishPackage, {
      params: { workspace: workspace.id, repository: npm.id },
      bytes: formOf([{ file: 'package.tgz', content }]),
      as: admin.bearer,
    });
    if (status !== 201) throw new Error(text);
  }
  for (const [username, level] of [
    ['robin', 'canManage'],
    ['build-bot', 'canDeploy'],
    ['kim', 'canView'],
  ] as const) {
    const { userId } = await service.world.member(workspace, 'member', await service.world.user({ username }));
    await service.client.succeed(addMemberToRepositories, {
      params: { workspace: workspace.id },
      body: {
        userId,
        repositories: repositories.map(({ name }) => ({ repositoryReference: name, repositoryPermissionLevel: level })),
      },
      as: admin.bearer,
    });
  }
}, 120_000);
afterAll(() => browser?.close());

const shown: readonly (readonly [name: string, parts: readonly string[], heading: string])[] = [
  ['repositories', ['acme'], 'acme'],
  ['packages', ['acme', 'npm-local'], 'npm-local'],
  ['package', ['acme', 'npm-local', 'formatter'], 'formatter'],
  ['members', ['acme', ':members'], 'acme'],
  ['usage', ['acme', ':usage'], 'acme'],
  ['records', ['acme', ':records'], 'acme'],
];

it('shows six pages', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url, {
    viewport: { width: 1280, height: 860 },
    colorScheme: 'light',
  });
  await signIn(page, admin);
  for (const [name, parts, heading] of shown) {
    await show(page, parts, heading);
    await complete(page);
    await page.screenshot({ path: join(folder, `${name}.jpeg`), type: 'jpeg', quality: 60 });
  }
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);
