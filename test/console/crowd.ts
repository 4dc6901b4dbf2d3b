import type { Browser, Page } from 'playwright-core';
import { publishPackage } from '../../functions/packages/contracts.ts';
import { Table } from '../../shared/table/client.ts';
import { packageEntryKey, packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { packed } from '../harness/npm.ts';
import { storedRepository } from '../harness/packages.ts';
import { useService } from '../harness/service.ts';
import { putItems } from '../harness/stored-items.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { complete, openConsole, show, signIn, startBrowser, tabTo } from './browser.ts';

/** `npm run test:console`: a repository of ten thousand packages. Needs Chromium. */
const count = 10_000;
const service = useService();
const original = { name: uniqueName('formatter'), version: '1.0.0' };
const nameAt = (index: number): string => `${original.name}-${String(index).padStart(5, '0')}`;
let browser: Browser;
let admin: Actor;
let workspace: Named;
let crowded: Named;

/** Stores the items of a package under many other names: to publish so many takes too long. */
const copyOriginal = async (): Promise<void> => {
  const contentId = contentIdOf(await storedRepository(workspace.id, crowded.id));
  const ref = { contentId, name: original.name };
  const items = await new Table().read([packageEntryKey(ref), packageHeadKey(ref)]);
  const [entry, head] = [items.find(packageEntryKey(ref)), items.find(packageHeadKey(ref))];
  const copies = Array.from({ length: count }, (_, index) => nameAt(index)).flatMap((name) => [
    { ...entry, ...packageEntryKey({ contentId, name }), displayName: name },
    { ...head, ...packageHeadKey({ contentId, name }), displayName: name },
  ]);
  await putItems(copies);
};

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  crowded = await service.world.repository(workspace);
  const sent = await service.client.attempt(publishPackage, {
    params: { workspace: workspace.id, repository: crowded.id },
    bytes: formOf([{ file: 'package.tgz', content: await packed(original) }]),
    as: admin.bearer,
  });
  if (sent.status !== 201) throw new Error(sent.text);
  await copyOriginal();
}, 240_000);
afterAll(() => browser?.close());

describe('A repository of ten thousand packages', () => {
  /** The requests for lists of packages. */
  const askedBy = (page: Page): URLSearchParams[] => {
    const asked: URLSearchParams[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/packages')) asked.push(searchParams);
    });
    return asked;
  };

  it('is scrolled through a page at a time, as far as somebody scrolls, and found by name in one request', async () => {
    const { page, faults } = await openConsole(browser, service.runner.url);
    await signIn(page, admin);
    const asked = askedBy(page);
    await show(page, [workspace.name, crowded.name], crowded.name);
    await page.getByRole('link', { name: nameAt(0), exact: true }).waitFor();
    await complete(page);
    const first = asked.length;
    // What fills the window, and no more.
    expect(first).toBeLessThanOrEqual(2);
    const rows = page.getByRole('region', { name: 'Packages' }).locator('tbody tr');
    await page.mouse.move(600, 600);
    for (let wanted = 200; wanted <= 600; wanted += 100)
      while ((await rows.count()) < wanted) await page.mouse.wheel(0, 2_000);
    await complete(page);
    const shown = await rows.count();
    expect(asked.length).toBe(Math.ceil(shown / 50));
    expect(shown).toBeLessThanOrEqual(800);
    expect(new Set(asked.map(String)).size).toBe(asked.length);
    expect(
      await rows
        .nth(shown - 1)
        .getByRole('link')
        .textContent(),
    ).toBe(nameAt(shown - 2));

    await page.getByLabel('Name begins with').fill(original.name);
    await page.getByLabel('Name begins with').pressSequentially('-0987', { delay: 20 });
    await page.getByRole('link', { name: nameAt(9_876), exact: true }).waitFor();
    await complete(page);
    expect(await rows.count()).toBe(10);
    expect(asked.slice(Math.ceil(shown / 50)).map((query) => query.get('search'))).toEqual([`${original.name}-0987`]);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('grows under the keyboard only when somebody presses “More”, and can be left', async () => {
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, admin);
    const asked = askedBy(page);
    await show(page, [workspace.name, crowded.name], crowded.name);
    await page.getByRole('link', { name: nameAt(0), exact: true }).waitFor();
    await complete(page);
    await page.getByRole('link', { name: nameAt(0), exact: true }).focus();
    await page.keyboard.press('Shift+Tab');
    const before = asked.length;
    await tabTo(page, 'More');
    await complete(page);
    expect(asked.length).toBe(before);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: nameAt(before * 50 + 48), exact: true }).waitFor();
    await complete(page);
    expect(asked.length).toBe(before + 1);
    await page.context().close();
  }, 120_000);
});
