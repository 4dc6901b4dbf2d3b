import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { publishPackage } from '../../functions/packages/contracts.ts';
import { packed } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { openConsole, show, startBrowser, storeOf } from './browser.ts';

/** `npm run test:console`: the console without a mouse. Needs Chromium. */
const service = useService();
const folder = mkdtempSync(join(tmpdir(), 'stockroom-keys-'));
const published = { name: uniqueName('formatter'), version: '1.2.0' };
let browser: Browser;
let admin: Actor;
let member: Actor;
let workspace: Named;
let repository: Named;

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
  member = await service.world.member(workspace);
  const content = await packed(published, { 'README.md': '# Formatter\n' });
  const sent = await service.client.attempt(publishPackage, {
    params: { workspace: workspace.id, repository: repository.id },
    bytes: formOf([{ file: 'package.tgz', content }]),
    as: admin.bearer,
  });
  if (sent.status !== 201) throw new Error(sent.text);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Goes on with the Tab key until something with a name has the focus. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let presses = 0; presses < 120; presses += 1) {
    const label = await page.evaluate<string>(
      `(() => { const at = document.activeElement; return (at.getAttribute('aria-label') || at.closest('label')?.firstChild?.textContent || at.textContent).trim(); })()`,
    );
    if (label === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key never reaches ${name}.`);
};

it('is used by the keyboard alone', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url, {}, storeOf(service));
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await tabTo(page, 'Username');
  await page.keyboard.type(admin.username);
  await tabTo(page, 'Password');
  await page.keyboard.type(admin.password);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: workspace.name }).waitFor();
  await tabTo(page, workspace.name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: workspace.name }).waitFor();
  await tabTo(page, 'Package type');
  await page.keyboard.type('npm');
  await tabTo(page, 'Name');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('keys');
  await tabTo(page, 'Create');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'keys' }).waitFor();
  await show(page, [workspace.name, repository.name], repository.name);
  await tabTo(page, 'Name begins with');
  await page.keyboard.type(published.name.slice(0, 5));
  await page.getByRole('link', { name: published.name }).waitFor();
  await tabTo(page, published.name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Formatter' }).waitFor();

  await show(page, [workspace.name, ':members'], workspace.name);
  const chosen = `${member.username} on ${repository.name}`;
  await page.getByLabel(chosen).waitFor();
  await tabTo(page, chosen);
  await page.keyboard.press('ArrowDown');
  await tabTo(page, `Save ${member.username}`);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Save ${member.username}` }).waitFor({ state: 'detached' });
  expect(await page.getByLabel(chosen).inputValue()).toBe('canView');

  const archive = join(folder, 'keyed.tgz');
  writeFileSync(archive, await packed({ name: 'keyed', version: '1.0.0' }, { 'README.md': '# Keyed\n' }));
  page.on('filechooser', (chooser) => void chooser.setFiles(archive));
  await show(page, [workspace.name, 'keys-local'], 'keys-local');
  await page.getByRole('button', { name: 'Publish' }).waitFor();
  await tabTo(page, 'Files of one version: choose them, or drop them anywhere on this page');
  await page.keyboard.press('Enter');
  await page.getByText('keyed.tgz').waitFor();
  await tabTo(page, 'Publish');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'keyed' }).waitFor();
  await tabTo(page, 'keyed');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Keyed' }).waitFor();
  page.on('dialog', (dialog) => void dialog.accept());
  await tabTo(page, 'Delete 1.0.0');
  await page.keyboard.press('Enter');
  await page.getByText('This package is not in this repository.').first().waitFor();
  await tabTo(page, 'Sign out');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
}, 120_000);
