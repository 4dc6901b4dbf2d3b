import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { publishPackage } from '../../functions/packages/contracts.ts';
import { createTrust } from '../../functions/trusts/contracts.ts';
import { packed } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { trustBody } from '../harness/trusts.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { complete, findingsOn, openConsole, overflowOf, show, signIn, startBrowser, views } from './browser.ts';

/** `npm run test:console`: needs Chromium. SCREENSHOTS names a folder for what it sees. */
const screenshots = process.env.SCREENSHOTS || join(tmpdir(), 'stockroom-console');
const service = useService();
let browser: Browser;
let admin: Actor;
let workspace: Named;
let repository: Named;
let trust: string;
const published = { name: uniqueName('formatter'), version: '1.2.0' };

const publish = async (version: string) => {
  const content = await packed({ ...published, version }, { 'README.md': '# Formatter\n\nFormats *everything*.\n' });
  const bytes = formOf([{ file: 'package.tgz', content }]);
  const params = { workspace: workspace.id, repository: repository.id };
  const { status, text } = await service.client.attempt(publishPackage, { params, bytes, as: admin.bearer });
  if (status !== 201) throw new Error(text);
};

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) await publish(version);
  await service.world.member(workspace);
  ({ name: trust } = await service.client.succeed(createTrust, {
    params: { workspace: workspace.id },
    body: trustBody(repository),
    as: admin.bearer,
  }));
}, 120_000);
afterAll(() => browser?.close());

/** Every page: how one comes there, and its heading. */
const pages = (): readonly (readonly [name: string, parts: readonly string[], heading: string])[] => [
  ['workspaces', [], 'Workspaces'],
  ['repositories', [workspace.name], workspace.name],
  ['members', [workspace.name, ':members'], workspace.name],
  ['usage', [workspace.name, ':usage'], workspace.name],
  ['records', [workspace.name, ':records'], workspace.name],
  ['packages', [workspace.name, repository.name], repository.name],
  ['package', [workspace.name, repository.name, published.name], published.name],
  ['version', [workspace.name, repository.name, published.name, '1.0.0'], published.name],
  ['trusts', [workspace.name, ':trusts'], workspace.name],
  ['trust', [workspace.name, ':trusts', trust], workspace.name],
  ['users', [':users'], 'Users'],
  ['account', [':account'], 'Account'],
  ['absent', ['nothing-here', 'at-all'], 'at-all'],
];

describe.each(views)('the console, $name', ({ name: view, ...options }) => {
  it('has no serious finding of axe on any page, fits the width, and asks nobody else for anything', async () => {
    const { page, faults } = await openConsole(browser, service.runner.url, options);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await signIn(page, admin);
    for (const [name, parts, heading] of pages()) {
      await show(page, parts, heading);
      await complete(page);
      expect({ name, findings: await findingsOn(page) }).toEqual({ name, findings: [] });
      expect({ name, overflow: await overflowOf(page) }).toEqual({ name, overflow: 0 });
      await page.screenshot({ path: join(screenshots, `${view} ${name}.png`.replaceAll(' ', '-')) });
    }
    expect(faults).toEqual([]);
    await page.context().close();
  }, 120_000);
});

/** The text of the lines with a title. */
const linesOf = async (page: Page, title: string): Promise<string> =>
  (await page.getByLabel(title, { exact: true }).textContent()) ?? '';

describe('Somebody who has never seen the service', () => {
  it('makes repositories, publishes by the pasted lines, finds the package, reads its README, deletes and leaves', async () => {
    const { page, faults } = await openConsole(browser, service.runner.url);
    page.on('dialog', (dialog) => void dialog.accept());
    await signIn(page, admin);
    const name = uniqueName('first');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByText('No repository that you may see.').waitFor();

    await page.getByLabel('Package type').selectOption('npm');
    await page.getByLabel('Upstream').fill('');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'npm' }).waitFor();
    await page.getByText('No package here yet.').waitFor();
    const settings = await linesOf(page, '.npmrc');
    const command = await linesOf(page, 'npm · Publish');

    await page.getByRole('link', { name: admin.username }).click();
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('This is the only time that the token is shown.').waitFor();
    const token = await linesOf(page, 'New token');
    expect(token).toMatch(/^str_pat_/);

    const folder = mkdtempSync(join(tmpdir(), 'stockroom-pasted-'));
    writeFileSync(join(folder, '.npmrc'), `${settings}\ncache=${folder}/cache\nupdate-notifier=false\n`);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'pasted', version: '1.0.0' }));
    writeFileSync(join(folder, 'README.md'), '# Pasted\n\nIt *works*.\n');
    const { NODE_OPTIONS: _, ...environment } = process.env;
    const clean = Object.fromEntries(Object.entries(environment).filter(([key]) => !key.startsWith('npm_')));
    await promisify(execFile)('/bin/sh', ['-c', command], { cwd: folder, env: { ...clean, STOCKROOM_TOKEN: token } });

    await show(page, [name, 'npm'], 'npm');
    await page.getByLabel('Name begins with').fill('past');
    await page.getByRole('link', { name: 'pasted' }).click();
    await page.getByRole('heading', { name: 'Pasted' }).waitFor();
    expect(await page.locator('.readme em').textContent()).toBe('works');
    expect(await linesOf(page, 'npm · Install')).toBe('npm install pasted@1.0.0');

    await show(page, [name, 'npm-local', 'pasted'], 'pasted');
    await page.getByRole('button', { name: 'Delete 1.0.0' }).click();
    await page.getByText('This package is not in this repository.').first().waitFor();
    await show(page, [name, 'npm'], 'npm');
    await page.getByText('No package here yet.').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('is offered nothing that the service refuses, and is shown its sentences as they are', async () => {
    const viewer = await service.world.member(workspace);
    const { page } = await openConsole(browser, service.runner.url);
    await page.getByLabel('Username').fill(viewer.username);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toMatch(/\.$/);
    await signIn(page, viewer);
    expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0);
    await show(page, [workspace.name], workspace.name);
    await page.getByText('No repository that you may see.').waitFor();
    expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0);
    await show(page, [workspace.name, repository.name], repository.name);
    const asked = await page.getByRole('alert').first().textContent();
    expect(asked).toContain('repository');
    await page.context().close();
  }, 60_000);
});

it('asks for ten thousand packages a page at a time, and only when somebody wants more', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const asked: string[] = [];
  await page.route('**/packages?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    asked.push(query.toString());
    const start = Number(query.get('cursor') ?? 0);
    const packages = Array.from({ length: 50 }, (_, at) => ({
      name: `package-${start + at}`,
      displayName: `package-${start + at}`,
      latestVersion: '1.0.0',
      versionCount: 1,
      sizeInBytes: 1,
      updatedAt: '2026-01-31T09:30:00.000Z',
    }));
    await route.fulfill({ json: { packages, total: 10_000, nextCursor: `${start + 50}` } });
  });
  await show(page, [workspace.name, repository.name], repository.name);
  await page.getByRole('link', { name: 'package-49', exact: true }).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'package-99', exact: true }).waitFor();
  expect(asked).toEqual(['limit=50', 'limit=50&cursor=50']);
  await page.context().close();
}, 60_000);

it('shows a first list within a second of a warm service', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await page.goto('about:blank');
    const startedAt = performance.now();
    await page.goto(`${service.runner.url}/#/${workspace.name}`);
    await page.getByRole('link', { name: repository.name }).waitFor();
    times.push(performance.now() - startedAt);
  }
  process.stdout.write(`First lists: ${times.map(Math.round).join(', ')} ms\n`);
  expect(Math.min(...times)).toBeLessThan(1_000);
  await page.context().close();
}, 60_000);
