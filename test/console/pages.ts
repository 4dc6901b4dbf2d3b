import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { publishPackage } from '../../functions/packages/contracts.ts';
import { createPersonalAccessToken } from '../../functions/tokens/contracts.ts';
import { createTrust } from '../../functions/trusts/contracts.ts';
import { updateVerdict } from '../../functions/verdicts/contracts.ts';
import { packed } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { trustBody } from '../harness/trusts.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import {
  complete,
  findingsOn,
  openConsole,
  overflowOf,
  settled,
  show,
  signIn,
  startBrowser,
  views,
} from './browser.ts';

/** `npm run test:console`: needs Chromium. SCREENSHOTS names a folder for what it sees. */
const screenshots = process.env.SCREENSHOTS || join(tmpdir(), 'stockroom-console');
const service = useService();
let browser: Browser;
let admin: Actor;
let workspace: Named;
let repository: Named;
let trust: string;
const published = { name: `@${uniqueName('team')}/formatter`, version: '1.2.0' };

const publish = async (version: string, { name } = published) => {
  const content = await packed({ name, version }, { 'README.md': `# Formatter ${version}\n\nFormats *everything*.\n` });
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
  await service.client.succeed(createPersonalAccessToken, { body: { name: 'laptop' }, as: admin.bearer });
  await service.client.succeed(updateVerdict, {
    params: { workspace: workspace.id, packageType: 'npm', package: 'axios' },
    body: { verdict: 'block', versions: ['1.14.1'], reason: 'Hijacked' },
    as: admin.bearer,
  });
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
  ['verdicts', [workspace.name, ':verdicts'], workspace.name],
  ['trusts', [workspace.name, ':trusts'], workspace.name],
  ['trust', [workspace.name, ':trusts', trust], workspace.name],
  ['users', [':users'], 'Users'],
  ['account', [':account'], 'Account'],
  ['absent', ['nothing-here', 'at-all'], 'at-all'],
];

/** The links in the first cells of the rows of a list, one for each row. */
const rowsOf = async (page: Page, list: string): Promise<string[]> => {
  const rows = page.getByRole('region', { name: list, exact: true }).locator('tbody tr');
  await rows.first().waitFor();
  const links = await rows.evaluateAll((found) =>
    found.map(
      (row) => row.querySelector(':scope > :first-child a')?.getAttribute('href') ?? `none: ${row.textContent}`,
    ),
  );
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((link) => !link.startsWith('#/'))).toEqual([]);
  return links;
};

/** Every list: its page, its label, and what the page of a row shows. */
const lists = (): readonly (readonly [list: string, parts: readonly string[], seen: string])[] => [
  ['Workspaces', [], 'Repositories'],
  ['Repositories', [workspace.name], 'Name begins with'],
  ['Members', [workspace.name, ':members'], 'ID of the user'],
  ['Levels of members on repositories', [workspace.name, ':members'], 'ID of the user'],
  ['Records', [workspace.name, ':records'], 'Before'],
  ['Verdicts', [workspace.name, ':verdicts'], 'It counts in all remote'],
  ['Trusts', [workspace.name, ':trusts'], 'Would '],
  ['Packages', [workspace.name, repository.name], 'README'],
  ['Versions', [workspace.name, repository.name, published.name], 'README'],
  ['Files', [workspace.name, repository.name, published.name], 'SHA-256'],
  ['Users', [':users'], 'ID of the user'],
  ['Personal access tokens', [':account'], 'Replaced by'],
  ['Browsers that are signed in', [':account'], 'Session'],
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
    for (const [list, parts, seen] of lists()) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${parts.map(encodeURIComponent).join('/')}`)}`);
      const [link] = await rowsOf(page, list);
      await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
      await page.locator('main').getByText(seen).first().waitFor();
      await complete(page);
      expect({ list, findings: await findingsOn(page) }).toEqual({ list, findings: [] });
      expect({ list, overflow: await overflowOf(page) }).toEqual({ list, overflow: 0 });
      await page.screenshot({ path: join(screenshots, `${view} row of ${list}.png`.replaceAll(' ', '-')) });
    }
    expect(faults).toEqual([]);
    await page.context().close();
  }, 240_000);
});

it('shows the README of the version in the address, and that of the latest where there is none', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  for (const [version, shown] of [
    ['1.0.0', '1.0.0'],
    ['1.1.0', '1.1.0'],
    [undefined, '1.2.0'],
  ] as const) {
    await show(page, [workspace.name, repository.name, published.name, ...(version ? [version] : [])], published.name);
    await page.getByRole('heading', { name: `Formatter ${shown}`, exact: true }).waitFor();
    expect(await page.getByLabel('npm · Install', { exact: true }).textContent()).toBe(
      `npm install ${published.name}@${shown}`,
    );
  }
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);

it('shows what is left after a deletion: other versions, the package of the one in the address, or the repository', async () => {
  const name = uniqueName('deleted');
  for (const version of ['1.0.0', '1.1.0', '1.2.0', '1.3.0']) await publish(version, { ...published, name });
  const { page, faults } = await openConsole(browser, service.runner.url);
  page.on('dialog', (dialog) => void dialog.accept());
  await signIn(page, admin);
  const remove = (version: string) => page.getByRole('button', { name: `Delete ${version}` }).click();
  const shown = async (version: string) => {
    await page.getByRole('heading', { level: 1, name: `${name} ${version}`, exact: true }).waitFor();
    await page.getByText(`npm install ${name}@${version}`).waitFor();
    await settled(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  };
  await show(page, [workspace.name, repository.name, name], name);
  await remove('1.3.0');
  await shown('1.2.0');
  await show(page, [workspace.name, repository.name, name, '1.0.0'], name);
  await remove('1.2.0');
  await page.getByRole('link', { name: '1.2.0', exact: true }).waitFor({ state: 'detached' });
  await shown('1.0.0');
  await remove('1.0.0');
  await shown('1.1.0');
  expect(new URL(page.url()).hash).toBe(`#/${workspace.name}/${repository.name}/${name}`);
  await remove('1.1.0');
  await page.getByRole('heading', { level: 1, name: repository.name }).waitFor();
  await settled(page);
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);

it('has an address for every row of every list, which shows it to whoever opens it', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  for (const [list, parts, seen] of lists()) {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/${parts.map(encodeURIComponent).join('/')}`)}`);
    const links = await rowsOf(page, list);
    const link = links.at(-1) ?? '';
    await page.goto('about:blank');
    await page.goto(`${service.runner.url}/${link}`);
    await page.locator('main').getByText(seen).first().waitFor();
    const name = decodeURIComponent(link.split('/').at(-1) ?? '');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect([list, await page.title()]).toEqual([list, expect.stringContaining(name)]);
  }
  await page.context().close();
}, 120_000);

it('says that a version has no such file', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [workspace.name, repository.name, published.name, '1.0.0', 'no-such-file'], published.name);
  expect(await page.getByRole('alert').textContent()).toBe('This version has no such file.');
  expect(await page.getByRole('region', { name: 'Files', exact: true }).count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);

it('keeps what is looked for in the address, where Back finds it', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [workspace.name, repository.name], repository.name);
  const search = page.getByLabel('Name begins with');
  const before = await page.evaluate<number>('history.length');
  await search.pressSequentially(published.name.slice(0, 8), { delay: 20 });
  expect(await page.evaluate<number>('history.length')).toBe(before);
  await page.getByRole('link', { name: published.name }).click();
  await page.getByRole('heading', { level: 1, name: published.name }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: published.name }).waitFor();
  expect(await search.inputValue()).toBe(published.name.slice(0, 8));
  await page.reload();
  await search.fill('no-such-package');
  await page.getByText('No package has a name that begins so.').waitFor();
  await show(page, [workspace.name, ':records'], workspace.name);
  await page.getByLabel('Action').selectOption('verdict.created');
  await page.getByRole('region', { name: 'Records' }).getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: 'Record' }).waitFor();
  await page.goBack();
  await page.getByRole('cell', { name: 'verdict.created' }).waitFor();
  expect(await page.getByLabel('Action').inputValue()).toBe('verdict.created');
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);
