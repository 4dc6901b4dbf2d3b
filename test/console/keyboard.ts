import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { packed } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { type Actor, uniqueName } from '../harness/world.ts';
import { forgetPassword, openConsole, publishPasted, show, signIn, startBrowser, storeOf, tabTo } from './browser.ts';

/** `npm run test:console`: the console without a mouse, and without an address that somebody types. Needs Chromium. */
const service = useService();
const folder = mkdtempSync(join(tmpdir(), 'stockroom-keys-'));
let browser: Browser;
let admin: Actor;
let colleague: Actor;

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  colleague = await service.world.user();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const press = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
};

const typeInto = async (page: Page, name: string, text: string): Promise<void> => {
  await tabTo(page, name);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
};

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first().waitFor();

it('is used by the keyboard alone, from the sign-in to the sign-out', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url, {}, storeOf(service));
  page.on('dialog', (dialog) => void dialog.accept());
  const workspace = uniqueName('keys');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await typeInto(page, 'Username', admin.username);
  await typeInto(page, 'Password', admin.password);
  await page.keyboard.press('Enter');
  await heading(page, 'Workspaces');
  await typeInto(page, 'Name', workspace);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: workspace }).waitFor();

  // The wizard.
  await press(page, workspace);
  await page.getByText('No repository that you may see.').waitFor();
  await tabTo(page, 'Package type');
  await page.keyboard.type('npm');
  await typeInto(page, 'Upstream (empty: no remote repository)', ' ');
  await page.keyboard.press('Backspace');
  await press(page, 'Create');
  await heading(page, 'npm');
  await page.getByText('No package here yet.').waitFor();
  const lines = {
    settings: (await page.getByLabel('.npmrc').allTextContents()).join('\n'),
    command: await page.getByLabel('npm · Publish').textContent(),
  };

  // A token, and a first publication by the lines.
  await press(page, admin.username);
  await heading(page, 'Account');
  await typeInto(page, 'Name', 'keys');
  await press(page, 'Create');
  await page.getByText('This is the only time that the token is shown.').waitFor();
  await publishPasted(lines, (await page.getByLabel('New token').textContent()) ?? '', {
    name: 'pasted',
    version: '1.0.0',
  });

  // Found, and read.
  await press(page, 'Stockroom');
  await heading(page, 'Workspaces');
  await press(page, workspace);
  await page.getByRole('link', { name: 'npm-local' }).waitFor();
  await press(page, 'npm');
  await heading(page, 'npm');
  await typeInto(page, 'Name begins with', 'past');
  await page.getByRole('link', { name: 'pasted' }).waitFor();
  await press(page, 'pasted');
  await heading(page, 'Pasted');

  // A colleague gets a level.
  await press(page, workspace);
  await page.getByRole('link', { name: 'npm-local' }).waitFor();
  await press(page, 'Members');
  await page.getByText('No member yet.').waitFor();
  await typeInto(page, 'ID of the user', colleague.userId);
  await press(page, 'Add');
  const level = `${colleague.username} on npm`;
  await page.getByLabel(level, { exact: true }).waitFor();
  await tabTo(page, level);
  await page.keyboard.press('ArrowDown');
  await press(page, `Save ${colleague.username}`);
  await page.getByRole('button', { name: `Save ${colleague.username}` }).waitFor({ state: 'detached' });
  expect(await page.getByLabel(level, { exact: true }).inputValue()).toBe('canView');

  // A verdict, which is taken back.
  await press(page, 'Verdicts');
  await page.getByText('No verdict: the release gates alone decide.').waitFor();
  await typeInto(page, 'Name, or the beginning of names and *', 'axios');
  await typeInto(page, 'Reason', 'Hijacked');
  await press(page, 'Save');
  const removal = page.getByRole('button', { name: /^Delete .+ axios$/ });
  await removal.waitFor();
  await press(page, (await removal.getAttribute('aria-label')) ?? '');
  await page.getByText('No verdict: the release gates alone decide.').waitFor();

  // An upload. The window that chooses a file is the system's.
  const archive = join(folder, 'keyed.tgz');
  writeFileSync(archive, await packed({ name: 'keyed', version: '1.0.0' }, { 'README.md': '# Keyed\n' }));
  page.on('filechooser', (chooser) => void chooser.setFiles(archive));
  await press(page, 'Repositories');
  await page.getByRole('link', { name: 'npm-local' }).waitFor();
  await press(page, 'npm-local');
  await page.getByText('Upload', { exact: true }).waitFor();
  await press(page, 'Upload or drop the files of a version anywhere on this page');
  await press(page, 'Files of one version');
  await page.getByText('keyed.tgz').waitFor();
  await press(page, 'Publish');
  await page.getByRole('link', { name: 'keyed' }).waitFor();

  // A deletion, and out.
  await press(page, 'keyed');
  await heading(page, 'Keyed');
  await page.getByRole('button', { name: 'Delete 1.0.0' }).waitFor();
  await press(page, 'Delete 1.0.0');
  await heading(page, 'npm-local');
  await page.getByRole('link', { name: 'pasted' }).waitFor();
  expect(await page.getByRole('link', { name: 'keyed' }).count()).toBe(0);
  await press(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
}, 180_000);

it('gives the focus back after the password was asked for again, and can be left there by Escape', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await typeInto(page, 'Username', admin.username);
  await typeInto(page, 'Password', admin.password);
  await page.keyboard.press('Enter');
  await heading(page, 'Workspaces');
  await press(page, admin.username);
  await heading(page, 'Account');
  await forgetPassword(service, admin);
  await typeInto(page, 'Name', 'late');
  await press(page, 'Create');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('alert').waitFor();
  await press(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.context().close();
}, 60_000);

it('moves the focus to the heading of a page that a link leads to, and leaves it where it is at first', async () => {
  const [workspace, repository] = [await service.world.workspace(), 'npm-local'];
  await service.world.repository(workspace, repository);
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
  const focusedHeading = () => page.evaluate("document.activeElement.closest('h1')?.textContent.trim()");
  for (const [link, title] of [
    [workspace.name, workspace.name],
    [repository, repository],
    [admin.username, 'Account'],
  ] as const) {
    await page.getByRole('link', { name: link, exact: true }).waitFor();
    await press(page, link);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await focusedHeading()).toBe(title);
  }
  // Also where there is nothing to show.
  for (const [parts, title] of [
    [[workspace.name, repository, 'nothing-here', '1.0.0'], 'nothing-here 1.0.0'],
    [[':account', ':tokens', 'nothing-here'], 'Token'],
  ] as const) {
    await show(page, parts, title);
    await page.getByRole('alert').waitFor();
    expect(await focusedHeading()).toBe(title);
  }
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);
