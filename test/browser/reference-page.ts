import { existsSync, mkdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { getRepository } from '../../functions/repositories/contracts.ts';
import { getReferencePage } from '../../functions/system/contracts.ts';
import openapi from '../../functions/system/openapi.json' with { type: 'json' };
import { errors } from '../../shared/errors.ts';
import { useService } from '../harness/service.ts';
import type { Named } from '../harness/world.ts';

/** `npm run test:browser`: needs Chromium, in CHROMIUM or as Debian installs it. */
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const screenshots = process.env.SCREENSHOTS || join(tmpdir(), 'stockroom-screenshots');
const firstPaintMillisecondsMax = 1_000;

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const views = [
  { name: 'desktop light', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'desktop dark', width: 1280, height: 900, colorScheme: 'dark' },
  { name: 'phone light', width: 390, height: 844, colorScheme: 'light' },
  { name: 'phone dark', width: 390, height: 844, colorScheme: 'dark' },
] as const;
type View = (typeof views)[number];

const service = useService();
let browser: Browser;
let workspace: Named;

beforeAll(async () => {
  if (!existsSync(executablePath))
    throw new Error(`There is no Chromium at ${executablePath}: set CHROMIUM to its path.`);
  mkdirSync(screenshots, { recursive: true });
  browser = await chromium.launch({ executablePath, headless: true, args });
  workspace = await service.world.workspace();
  // The first call of a function starts it, which a deployed function has mostly behind it.
  await service.client.succeed(getReferencePage, {});
});
afterAll(() => browser?.close());

/** A page, and whatever went wrong in it. */
const open = async ({ width, height, colorScheme }: View, baseUrl = service.runner.url) => {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (asked) => {
    const { origin, protocol } = new URL(asked.url());
    if (origin !== new URL(baseUrl).origin && protocol !== 'data:') faults.push(`A request to ${asked.url()}`);
  });
  await page.goto(`${baseUrl}/docs`);
  await page.locator('.opblock-tag').first().waitFor();
  return { page, faults };
};

const shoot = async (page: Page, { name }: View, part: string): Promise<void> => {
  await page.screenshot({ path: join(screenshots, `${name} ${part}.png`.replaceAll(' ', '-')) });
};

const firstPaintOf = (page: Page): Promise<number> =>
  page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`);

const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Fills the form of one security scheme in the dialog. */
const authorize = async (page: Page, scheme: string, fields: Readonly<Record<string, string>>): Promise<void> => {
  await page.locator('.scheme-container button.authorize').click();
  const form = page.locator('.auth-container').filter({ has: page.locator(`h4:has(code:text-is("${scheme}"))`) });
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(value);
  await form.locator('button.authorize').click();
};

const closeDialog = (page: Page): Promise<void> => page.locator('.dialog-ux button.close-modal').click();

/** Sends the example of "Create a local repository" under another name, and reads the status of the answer. */
const createRepository = async (page: Page, name: string): Promise<string> => {
  const operation = page.locator('.opblock').filter({ hasText: 'Create a local repository' });
  if ((await operation.locator('.opblock-body').count()) === 0) {
    await page.locator('.opblock-tag', { hasText: 'Repositories' }).first().click();
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
  }
  await operation.getByPlaceholder('workspace').fill(workspace.id);
  await operation.locator('textarea').fill(JSON.stringify({ name, packageType: 'npm' }));
  await operation.getByRole('button', { name: 'Execute', exact: true }).click();
  const status = operation.locator('.live-responses-table .response-col_status').last();
  await status.waitFor();
  return ((await status.textContent()) ?? '').trim();
};

describe.each(views)('the reference page, $name', (view) => {
  it('paints at once, fits the width, explains every error and creates a repository through try-it', async () => {
    const { page, faults } = await open(view);
    const firstPaint = await firstPaintOf(page);
    await shoot(page, view, 'top');
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await page.locator('#errors article').count()).toBe(Object.keys(errors).length);
    expect(await page.locator('.opblock-tag').count()).toBe(openapi.tags.length);

    const { bearer, token } = await service.world.systemAdmin();
    await authorize(page, 'bearerToken', { 'auth-bearer-value': token });
    await shoot(page, view, 'authorize');
    await closeDialog(page);
    const name = service.world.name();
    expect(await createRepository(page, name)).toMatch(/^201/);
    await page.locator('.live-responses-table').first().scrollIntoViewIfNeeded();
    await shoot(page, view, 'answer');
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    const params = { workspace: workspace.id, repository: name };
    await service.client.succeed(getRepository, { params, as: bearer });

    await page.locator('#errors').scrollIntoViewIfNeeded();
    await shoot(page, view, 'errors');
    expect(faults).toEqual([]);
    expect(firstPaint).toBeLessThan(firstPaintMillisecondsMax);
    process.stdout.write(`${view.name}: first paint after ${Math.round(firstPaint)} ms\n`);
    await page.close();
  }, 60_000);
});

describe('try-it', () => {
  it.each(['tokenAsPassword', 'account'])(
    'takes the credential as %s',
    async (scheme) => {
      const { page, faults } = await open(views[0]);
      const { username, password, token } = await service.world.systemAdmin();
      const pair = scheme === 'account' ? [username, password] : ['token', token];
      await authorize(page, scheme, { 'auth-basic-username': String(pair[0]), 'auth-basic-password': String(pair[1]) });
      await closeDialog(page);
      expect(await createRepository(page, service.world.name())).toMatch(/^201/);
      expect(faults).toEqual([]);
      await page.close();
    },
    60_000,
  );

  it('shows a refusal without a password dialog of the browser', async () => {
    const { page, faults } = await open(views[0]);
    expect(await createRepository(page, service.world.name())).toMatch(/^401/);
    // The browser itself notes every answer of 400 and more.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    await page.close();
  }, 60_000);

  it('works below a base path', async () => {
    const proxy = createServer((incoming, outgoing) => {
      const { method, headers, url = '' } = incoming;
      const target = service.runner.url + url.replace(/^\/prod/, url.startsWith('/prod/') ? '' : '/nowhere');
      incoming.pipe(
        request(target, { method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        }),
      );
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const { page, faults } = await open(views[0], `http://127.0.0.1:${port}/prod`);
    const { token } = await service.world.systemAdmin();
    await authorize(page, 'bearerToken', { 'auth-bearer-value': token });
    await closeDialog(page);
    expect(await createRepository(page, service.world.name())).toMatch(/^201/);
    expect(faults).toEqual([]);
    await page.close();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }, 60_000);

  it("keeps the reader's choice between dark and light", async () => {
    const { page } = await open(views[0]);
    await page.locator('#scheme').click();
    await page.reload();
    expect(await page.locator('html').getAttribute('class')).toContain('dark-mode');
    await page.close();
  }, 60_000);
});
