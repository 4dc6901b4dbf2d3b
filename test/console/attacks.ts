import type { Browser, Page } from 'playwright-core';
import { getPackageVersion, publishPackage } from '../../functions/packages/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { packed } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { complete, openConsole, settled, show, signIn, startBrowser } from './browser.ts';
import { hostileReadmes } from './readmes.ts';

/** `npm run test:console`: what publishers try on who uses the console. Needs Chromium. */
const service = useService();
let browser: Browser;
let admin: Actor;
let workspace: Named;
let repository: Named;

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
}, 120_000);
afterAll(() => browser?.close());

const version = { version: '1.0.0', createdAt: '2026-01-31T09:30:00.000Z', sizeInBytes: 1, origin: 'published' };

/** Answers of the service in which a text stands wherever somebody else chooses it. */
const answerWith = async (page: Page, text: string, readme: string): Promise<void> => {
  const json = {
    package: {
      name: text,
      displayName: text,
      packageType: 'npm',
      latestVersion: text,
      tags: [{ tag: text, version: text }],
      heldVersions: [{ version: text, repositoryName: text, state: 'held', isEnforced: true, why: text, until: null }],
    },
    versions: [{ ...version, version: text, publishedBy: { username: text }, gate: { state: 'held', why: text } }],
    version: { ...version, files: [{ name: text, sizeInBytes: 1, sha256: text }] },
  };
  await page.unrouteAll();
  await page.route('**/packages/*', (route) => route.fulfill({ json: json.package }));
  await page.route('**/packages/*/versions?*', (route) => route.fulfill({ json: json.versions }));
  await page.route('**/packages/*/versions/*', (route) => route.fulfill({ json: json.version }));
  await page.route('**/packages/*/versions/*/readme', (route) =>
    route.fulfill({ body: readme, contentType: 'text/markdown; charset=utf-8' }),
  );
};

/** What no text may ever make in the page. */
const strangersIn = (page: Page): Promise<number> =>
  page.evaluate(
    `document.body.querySelectorAll('script, img, svg, iframe, object, embed, style, link, base, meta, video, math, form[action], [onclick], [onerror], [onload], a[href^="javascript" i], a[href^="data" i]').length`,
  );

const shownWith = async (page: Page, text: string, readme: string, count: number) => {
  await answerWith(page, text, readme);
  const answered = page.waitForResponse('**/readme');
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${workspace.name}/${repository.name}/package-${count}`)}`);
  await answered;
  await settled(page);
};

it('shows READMEs, names, tags and users that attack it: no script runs, nobody is asked, the policy has nothing to refuse', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await signIn(page, admin);
  let count = 0;
  for (const readme of hostileReadmes) {
    await shownWith(page, readme.slice(0, 200) || 'a', readme, count);
    count += 1;
    const strangers = await strangersIn(page);
    expect({ readme, strangers, faults }).toEqual({ readme, strangers: 0, faults: [] });
  }
  expect(count).toBeGreaterThan(400);
  await page.context().close();
}, 600_000);

it('sees the text of such a README, so that the test above is about something', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await shownWith(page, '<b>name</b>', '<img src=x onerror=alert(1)>', 1);
  expect(await page.locator('.readme').textContent()).toContain('<img src=x onerror=alert(1)>');
  expect(await page.locator('h1').textContent()).toContain('<b>name</b>');
  await page.context().close();
}, 60_000);

it('goes on while a README is parsed that takes minutes, and shows it as it is, like one that is too long', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const slow = '*a_ '.repeat(60_000);
  await answerWith(page, 'slow', slow);
  await show(page, [workspace.name, repository.name, 'slow'], 'slow');
  await page.locator('.readme').getByText('Loading…').waitFor();
  // The page does something else meanwhile.
  await show(page, [workspace.name], workspace.name);
  for (const readme of [slow, 'long '.repeat(60_000)]) {
    await answerWith(page, 'slow', readme);
    await show(page, [workspace.name, repository.name, 'slow'], 'slow');
    expect((await page.locator('.readme pre').textContent()) === readme).toBe(true);
    await show(page, [workspace.name], workspace.name);
  }
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);

it('gives nobody lines with a version that the service does not have, whatever the address says', async () => {
  const name = uniqueName('formatter');
  const sent = await service.client.attempt(publishPackage, {
    params: { workspace: workspace.id, repository: repository.id },
    bytes: formOf([{ file: 'package.tgz', content: await packed({ name, version: '1.0.0' }) }]),
    as: admin.bearer,
  });
  expect(sent.status).toBe(201);
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  for (const written of ['1.0.0; touch x #', 'npm:evil@1', 'https://example.com/evil.tgz', '9.9.9']) {
    await show(page, [workspace.name, repository.name, name, written], name);
    await complete(page);
    const { problem } = await service.client.attempt(getPackageVersion, {
      params: { workspace: workspace.id, repository: repository.id, package: name, version: written },
      as: admin.bearer,
    });
    expect(await page.getByRole('alert').allTextContents()).toEqual([problem?.errors.join(' ')]);
    expect({ written, lines: await page.locator('figure').count() }).toEqual({ written, lines: 0 });
    await page.getByRole('link', { name: '1.0.0', exact: true }).waitFor();
  }
  await page.getByRole('link', { name: '1.0.0', exact: true }).click();
  await page.getByText(`npm install ${name}@1.0.0`).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);

it('keeps its token out of the address, the storage, the cookies and the page', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  const answered = page.waitForResponse((answer) => answer.url().endsWith('/1/sessions'));
  await signIn(page, admin);
  const { token } = (await (await answered).json()) as { readonly token: string };
  await show(page, [workspace.name], workspace.name);
  const seen = await page.evaluate<string>(
    'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
  );
  expect(token).toMatch(/^str_ses_/);
  expect(seen).not.toContain(token);
  expect(seen).not.toContain('str_ses_');
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  expect(seen).not.toContain(cookie?.value);
  // A token that was signed out is refused at once.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect((await service.client.attempt(getCurrentUser, { as: `Bearer ${token}` })).status).toBe(401);
  await page.context().close();
}, 60_000);

it('stays signed in after a reload, and in another tab at the same time', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const other = await page.context().newPage();
  await Promise.all([page.reload(), other.goto(`${service.runner.url}/#/${workspace.name}`)]);
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
  await other.getByRole('heading', { level: 1, name: workspace.name }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);
