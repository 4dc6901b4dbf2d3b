import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { getPackageVersion, listUploads } from '../../functions/packages/contracts.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { findingsOn, openConsole, show, signIn, startBrowser, storeOf } from './browser.ts';

/** `npm run test:console`: uploads in a browser. UPLOADED_MEGABYTES (300) says how large the dropped file is. */
const service = useService();
const fileBytes = Number(process.env.UPLOADED_MEGABYTES ?? 300) * 1_000_000;
const partBytes = 16 * 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), 'stockroom-dropped-'));
const file = join(folder, 'data.bin');
let browser: Browser;
let admin: Actor;
let workspace: Named;
let content: Buffer;

beforeAll(async () => {
  browser = await startBrowser();
  [admin, workspace] = [await service.world.systemAdmin(), await service.world.workspace()];
  content = randomBytes(fileBytes);
  writeFileSync(file, content);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Drags a file from outside over the middle of the page, and lets it fall. */
const drop = async (page: Page, path: string): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
};

const sentBytes = async (page: Page): Promise<number> =>
  Number(await page.getByLabel('Progress of the upload').getAttribute('value'));

/** Waits until the page says that so many bytes are sent. */
const sentUpTo = async (page: Page, bytes: number): Promise<void> => {
  for (const end = Date.now() + 120_000; (await sentBytes(page)) < bytes; await page.waitForTimeout(20))
    if (Date.now() > end) throw new Error(`No more than ${await sentBytes(page)} bytes are sent.`);
};

/** Shows a repository for plain files, with a file dropped and a name for it. */
const dropped = async (page: Page, repository: Named, name: string): Promise<void> => {
  await show(page, [workspace.name, repository.name], repository.name);
  await page.getByText('Upload', { exact: true }).waitFor();
  await drop(page, file);
  await page.getByText('data.bin').waitFor();
  await page.getByLabel('Name of the package').fill(name);
  await page.getByLabel('Version of the package').fill('1.0.0');
};

const parts = Math.ceil(fileBytes / partBytes);
/** How many parts pass before each of the two interruptions. */
const partsBefore = Math.max(1, Math.floor(parts / 4));

/** Lets some parts pass, and those that follow meet a fault: each is on its way when that happens. */
const interrupt = (fault: 'drop' | 'hang'): void => {
  service.store.heal();
  service.store.inject({ fault, method: 'PUT', keyPrefix: 'staging/', after: partsBefore });
};

/** How many parts have come to the store, whole. */
const arrived = (): number =>
  service.store.calls.filter(
    ({ method, key, status }) => method === 'PUT' && key.startsWith('staging/') && status === 200,
  ).length;

it('publishes a large file that is dropped on the page, with progress, over a cut and over a closed page, each part once', async () => {
  const [repository, name] = [
    await service.world.repository(workspace, uniqueName('files'), 'universal'),
    uniqueName('data'),
  ];
  const { page, faults } = await openConsole(browser, service.runner.url, {}, storeOf(service));
  service.store.forget();
  await signIn(page, admin);
  await dropped(page, repository, name);

  // The connections to the store are cut while parts are on their way.
  interrupt('drop');
  await page.getByRole('button', { name: 'Publish' }).click();
  expect(await page.getByRole('alert').textContent({ timeout: 240_000 })).toContain('The connection was cut.');
  expect(arrived()).toBe(partsBefore);
  expect(await sentBytes(page)).toBe(partsBefore * partBytes);
  expect(await findingsOn(page)).toEqual([]);

  // The same button goes on, without hashing anew. Then the page is closed while parts are on their way.
  interrupt('hang');
  await page.getByRole('button', { name: 'Publish' }).click();
  await sentUpTo(page, 2 * partsBefore * partBytes);
  expect(arrived()).toBe(2 * partsBefore);
  await page.reload();
  service.store.heal();
  await dropped(page, repository, name);
  await page.getByRole('button', { name: 'Publish' }).click();
  const seen: number[] = [];
  while (!(await page.getByText('Published.').isVisible())) {
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    const [value] = await Promise.all([sentBytes(page).catch(() => undefined), page.waitForTimeout(20)]);
    if (value !== undefined && value !== seen.at(-1)) seen.push(value);
  }
  expect(seen.length).toBeGreaterThan(3);

  await page.getByRole('link', { name }).waitFor();
  const { files } = await service.client.succeed(getPackageVersion, {
    params: { workspace: workspace.id, repository: repository.id, package: name, version: '1.0.0' },
    as: admin.bearer,
  });
  expect(files).toEqual([
    expect.objectContaining({
      name: 'data.bin',
      sizeInBytes: fileBytes,
      sha256: createHash('sha256').update(content).digest('hex'),
    }),
  ]);
  expect(arrived()).toBe(parts);
  expect(faults.filter((fault) => !/ERR_(?:CONNECTION_RESET|EMPTY_RESPONSE)/.test(fault))).toEqual([]);
  expect(await page.evaluate('localStorage.length')).toBe(0);
  await page.context().close();
}, 600_000);

it('says why files are no version and when they are one, and offers uploads only to those who may deploy, where a page can publish', async () => {
  const files = await service.world.repository(workspace, uniqueName('files'), 'universal');
  const images = await service.world.repository(workspace, uniqueName('images'), 'docker');
  const [viewer, deployer] = [await service.world.member(workspace), await service.world.member(workspace)];
  await service.world.grant(workspace, files, viewer, 'canView');
  await service.world.grant(workspace, files, deployer, 'canDeploy');
  await service.world.grant(workspace, images, deployer, 'canManage');
  for (const [who, repository, count] of [
    [viewer, files, 0],
    [deployer, images, 0],
    [deployer, files, 1],
  ] as const) {
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, who);
    await show(page, [workspace.name, repository.name], repository.name);
    await page.getByText('No package here yet.').waitFor();
    await page.waitForTimeout(500);
    expect(await page.getByText('Upload', { exact: true }).count()).toBe(count);
    if (count > 0) {
      await page.getByText('Upload', { exact: true }).click();
      const small = join(folder, 'small.txt');
      writeFileSync(small, 'small');
      await page.getByLabel('Files of one version').setInputFiles(small);
      await page.getByRole('button', { name: 'Publish' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(/packageName.*\.$/);
      expect(await page.getByLabel('Progress of the upload').count()).toBe(0);
      await page.getByLabel('Name of the package').fill('small');
      await page.getByLabel('Version of the package').fill('1.0.0');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('link', { name: 'small' }).waitFor();
      await page.getByText('Published.').waitFor();

      // The same form takes the next version, and its fields are empty.
      for (const field of ['Files of one version', 'Name of the package', 'Version of the package'])
        expect(await page.getByLabel(field).inputValue()).toBe('');
      await page.getByLabel('Files of one version').setInputFiles(small);
      await page.getByLabel('Name of the package').fill('second');
      await page.getByLabel('Version of the package').fill('1.0.0');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('link', { name: 'second' }).waitFor();
    }
    await page.context().close();
  }
}, 120_000);

/** Chooses a file for a version of a package, on the page of a repository. */
const chosen = async (page: Page, text: string, name: string): Promise<void> => {
  const path = join(folder, 'chosen.txt');
  writeFileSync(path, text);
  await page.getByLabel('Files of one version').setInputFiles(path);
  await page.getByLabel('Name of the package').fill(name);
  await page.getByLabel('Version of the package').fill('1.0.0');
};

it('ends the session of an upload that is refused, so that it no longer counts towards the storage limit', async () => {
  const repository = await service.world.repository(workspace, uniqueName('files'), 'universal');
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [workspace.name, repository.name], repository.name);
  await page.getByText('Upload', { exact: true }).click();
  await chosen(page, 'first', 'taken');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published.').waitFor();
  await chosen(page, 'second', 'taken');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('alert').filter({ hasText: 'exists' }).waitFor();
  const open = await service.client.succeed(listUploads, { params: { workspace: workspace.id }, as: admin.bearer });
  expect(open.filter(({ repositoryId }) => repositoryId === repository.id)).toEqual([]);
  expect(await page.evaluate('localStorage.length')).toBe(0);
  await page.context().close();
}, 60_000);

it('asks before a link or the browser leaves a page with an upload on its way, which goes on after a link', async () => {
  const repository = await service.world.repository(workspace, uniqueName('files'), 'universal');
  const { page } = await openConsole(browser, service.runner.url, {}, storeOf(service));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(`${storeOf(service)}/**`, (route) => released.then(() => route.continue()));
  const asked: string[] = [];
  let isLeft = false;
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void (isLeft ? dialog.accept() : dialog.dismiss());
  });
  await signIn(page, admin);
  await show(page, [workspace.name, repository.name], repository.name);
  const leave = () => page.getByRole('link', { name: workspace.name, exact: true }).click();
  await page.getByText('Upload', { exact: true }).click();
  await chosen(page, 'late', 'late');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Sending…').waitFor();
  await leave();
  await page.close({ runBeforeUnload: true });
  while (asked.length < 2) await page.waitForTimeout(20);
  await page.getByRole('heading', { level: 1, name: repository.name }).waitFor();
  isLeft = true;
  await leave();
  await page.getByRole('heading', { level: 1, name: workspace.name }).waitFor();
  expect(asked).toEqual(['confirm', 'beforeunload', 'confirm']);
  release();
  await page.getByRole('link', { name: repository.name, exact: true }).click();
  while ((await page.getByRole('link', { name: 'late' }).count()) === 0) {
    await page.reload();
    await page.waitForTimeout(500);
  }
  expect(asked).toHaveLength(3);
  await page.context().close();
}, 60_000);
