import type { Browser, Page } from 'playwright-core';
import { listPersonalAccessTokens } from '../../functions/tokens/contracts.ts';
import { useService } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';
import { openConsole, show, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: a page whose session ends, or becomes that of somebody else. Needs Chromium. */
const service = useService();
let browser: Browser;
let admin: Actor;

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
}, 120_000);
afterAll(() => browser?.close());

const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
};

describe('A tab, after somebody else has signed in in another one,', () => {
  it('begins anew as that person, and repeats nothing for them', async () => {
    const viewer = await service.world.user();
    const { page, faults } = await openConsole(browser, service.runner.url);
    await signIn(page, viewer);
    await show(page, [':account'], 'Account');
    await page.getByText(viewer.userId).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${service.runner.url}/`);
    await other.getByRole('heading', { name: 'Workspaces' }).waitFor();
    await signOut(other);
    await signIn(other, admin);
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: admin.username }).waitFor();
    await page.getByText(admin.userId).waitFor();
    for (const { bearer, tokenId } of [viewer, admin]) {
      const tokens = await service.client.succeed(listPersonalAccessTokens, { as: bearer });
      expect(tokens.map(({ id }) => id)).toEqual([tokenId]);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);
});
