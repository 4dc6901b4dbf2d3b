import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { listSessions } from '../../functions/sessions/contracts.ts';
import { changeStoredSession, secondsAgo } from '../facts/browser-sessions.ts';
import type { Service } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';

/** In CHROMIUM, or as Debian installs it. */
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';

/** Whether this machine has a browser. */
export const hasBrowser = existsSync(executablePath);

/** Where the functions of a service say that its bucket is. */
export const storeOf = ({ runner }: Pick<Service, 'runner'>): string =>
  `${runner.variablesOf('packages/create-upload').AWS_ENDPOINT_URL_S3}/${runner.bucket}`;

export const startBrowser = async (): Promise<Browser> => {
  if (!hasBrowser) throw new Error(`There is no Chromium at ${executablePath}: set CHROMIUM to its path.`);
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  // A page of another host than this machine, without HTTPS, gets less from the browser.
  const hosts = '--host-resolver-rules=MAP stockroom.example 127.0.0.1';
  return chromium.launch({ executablePath, headless: true, args: [...args, '--disable-sync', hosts] });
};

/** How somebody looks at a page. */
export const views = [
  { name: 'light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { name: 'phone light', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: 'phone dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const satisfies readonly (BrowserContextOptions & { readonly name: string })[];

/** A console in a browser of its own, and what went wrong in it: scripts that failed or were refused, and requests elsewhere. */
export interface ShownConsole {
  readonly page: Page;
  readonly faults: string[];
}

/** Notes in the page what its policy refuses. */
const noteViolations = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
  console.warn('refused by the policy:', effectiveDirective, blockedURI, sample));`;

/**
 * Opens the console. The browser itself prints a line for each answer of 400 and more: that is no fault. Nor is an upload to `store`, the
 * address of the bucket.
 */
export const openConsole = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  store?: string,
): Promise<ShownConsole> => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  await page.addInitScript(noteViolations);
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource: the server responded');
    if (['error', 'warning'].includes(message.type()) && !isAnswer) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (asked) => {
    const isUpload = store !== undefined && asked.method() === 'PUT' && asked.url().startsWith(`${store}/`);
    if (!isUpload && !asked.url().startsWith('data:') && !asked.url().startsWith(`${url}/`))
      faults.push(`asked ${asked.url()}`);
  });
  await page.goto(`${url}/`);
  return { page, faults };
};

/** Signs in with a password, and waits for the workspaces. */
export const signIn = async (page: Page, { username, password }: Pick<Actor, 'username' | 'password'>) => {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
};

/** Shows the page of an address, and waits for its heading. */
export const show = async (page: Page, parts: readonly string[], heading: string): Promise<void> => {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${parts.map(encodeURIComponent).join('/')}`)}`);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
};

/** Publishes a package by the lines of the console, as somebody who has pasted them and has a token. */
export const publishPasted = async (
  { settings, command }: { readonly settings: string | null; readonly command: string | null },
  token: string,
  manifest: { readonly name: string; readonly version: string },
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-pasted-'));
  writeFileSync(join(folder, '.npmrc'), `${settings}\ncache=${folder}/cache\nupdate-notifier=false\n`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'README.md'), '# Pasted\n\nIt *works*.\n');
  const { NODE_OPTIONS: _, ...environment } = process.env;
  const clean = Object.fromEntries(Object.entries(environment).filter(([key]) => !key.startsWith('npm_')));
  await promisify(execFile)('/bin/sh', ['-c', command ?? ''], {
    cwd: folder,
    env: { ...clean, STOCKROOM_TOKEN: token },
  });
  rmSync(folder, { recursive: true });
};

/** Lets the password of somebody's newest session be fifteen minutes old. */
export const forgetPassword = async ({ client }: Pick<Service, 'client'>, { userId, bearer }: Actor): Promise<void> => {
  const sessions = await client.succeed(listSessions, { params: { user: userId }, as: bearer });
  const [newest] = sessions.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  await changeStoredSession(newest?.id ?? '', { passwordProvenAt: secondsAgo(901) });
};

/** Waits until nothing is loading any more. */
export const settled = async (page: Page): Promise<void> => {
  while ((await page.getByText('Loading…').count()) > 0) await page.waitForTimeout(20);
};

/** Waits until the page has also loaded what its parts asked for when they were shown. */
export const complete = async (page: Page): Promise<void> => {
  for (let round = 0; round < 3; round += 1) {
    await page.waitForTimeout(150);
    await settled(page);
  }
};

/** What a person without a mouse calls that which has the focus. */
const focused = `(() => { const at = document.activeElement; return (at.getAttribute('aria-label') || at.closest('label')?.firstChild?.textContent || at.textContent).trim(); })()`;

/** Goes on with the Tab key until something with a name has the focus. */
export const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let presses = 0; presses < 200; presses += 1) {
    if ((await page.evaluate<string>(focused)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key never reaches ${name}.`);
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The serious findings of axe on what is shown. */
export const findingsOn = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ readonly violations: readonly Finding[] }>('axe.run()');
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
};

/** How many pixels a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
