import type { Browser } from 'playwright-core';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';
import { complete, openConsole, show, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: records that a filter seldom finds. Needs Chromium. */
const service = useService();
let browser: Browser;
let admin: Actor;
let workspace: Named;

/** More changes than the service goes through for two pages, after the one that is looked for. */
const changesAfter = 600;

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
}, 120_000);
afterAll(() => browser?.close());

it('go on by themselves until the filter finds one, however many do not fit before it', async () => {
  await service.client.succeed(createLocalRepository, {
    params: { workspace: workspace.id },
    body: { name: 'seldom', packageType: 'npm' },
    as: admin.bearer,
  });
  for (let change = 0; change < changesAfter; change += 1)
    await service.client.succeed(updateWorkspace, {
      params: { workspace: workspace.id },
      body: { comments: `change ${change}` },
      as: admin.bearer,
    });
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [workspace.name, ':records'], workspace.name);
  await page.getByLabel('Action').selectOption('repository.created');
  await page.getByRole('cell', { name: 'repository.created' }).first().waitFor();
  expect(await page.getByText('None so far.').count()).toBe(0);
  await page.getByLabel('Who, by the whole name or ID').fill('nobody-has-this');
  await page.getByText('No record that fits.').waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
}, 120_000);

it('say that there are none so far, and look further when somebody asks', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  let asked = 0;
  await page.route('**/audit?*', (route) => {
    asked += 1;
    return route.fulfill({ json: [], headers: { Link: '<?cursor=next>; rel="next"' } });
  });
  await show(page, [workspace.name, ':records'], workspace.name);
  await page.getByText('None so far. “More” looks further.').waitFor();
  await complete(page);
  expect(asked).toBe(10);
  await page.getByRole('button', { name: 'More' }).click();
  await complete(page);
  expect(asked).toBe(20);
  await page.context().close();
}, 60_000);
