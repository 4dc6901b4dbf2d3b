import type { Browser } from 'playwright-core';
import { useService } from '../harness/service.ts';
import { findingsOn, hasBrowser, openConsole, show, signIn, startBrowser } from './browser.ts';

const service = useService();
let browser: Browser | undefined;
beforeAll(async () => {
  if (hasBrowser) browser = await startBrowser();
  else process.stdout.write('There is no Chromium here: set CHROMIUM to its path to see the console.\n');
}, 60_000);
afterAll(() => browser?.close());

/** What of `npm run test:console` is quick. */
describe('The console in a browser, if there is one', () => {
  it('signs in, shows a repository without a serious finding of axe, and signs out', async () => {
    if (!browser) return;
    const [admin, workspace] = [await service.world.systemAdmin(), await service.world.workspace()];
    const repository = await service.world.repository(workspace);
    const { page, faults } = await openConsole(browser, service.runner.url);
    await signIn(page, admin);
    await show(page, [workspace.name, repository.name], repository.name);
    await page.getByText('No package here yet.').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(faults).toEqual([]);
  }, 60_000);
});
