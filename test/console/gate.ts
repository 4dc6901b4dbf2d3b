import type { Browser, Page } from 'playwright-core';
import { getRepository, updateRepository } from '../../functions/repositories/contracts.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';
import { findingsOn, openConsole, overflowOf, show, signIn, startBrowser, views } from './browser.ts';

/** `npm run test:console`: the release gate in the console. Needs Chromium. */
const service = useService();
let browser: Browser;
let admin: Actor;
let workspace: Named;
let remote: Named;

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  remote = await service.world.remoteRepository(workspace);
}, 120_000);
afterAll(() => browser?.close());

const params = () => ({ workspace: workspace.id, repository: remote.id });
const gateNow = async () => {
  const found = await service.client.succeed(getRepository, { params: params(), as: admin.bearer });
  return 'releaseGate' in found ? found.releaseGate : undefined;
};

/** Shows the repository with its gate opened. */
const opened = async (page: Page): Promise<void> => {
  await show(page, [workspace.name, remote.name], remote.name);
  await page.getByText('Release gate', { exact: true }).click();
};

const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();

it('lets an admin set the gate of a remote repository, freeze it, and turn it off', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await opened(page);
  await page.getByText('off: every version of the upstream passes').waitFor();
  await page.getByLabel('Mode').selectOption('enforce');
  await page.getByLabel('Hours that a version must be old').fill('100');
  await page.getByLabel('A version without a time').selectOption('hold');
  await page.getByLabel('What always passes').fill('@acme/*\n\n left-pad@1.3.0 ');
  await page.getByLabel('Block vulnerable versions from').selectOption('critical');
  await page.getByLabel('A version that the upstream no longer lists').selectOption('serve');
  await save(page);
  await page.getByText('Saved.').waitFor();
  await page.getByText('holds versions back that are younger than 100 hours').waitFor();
  const set = {
    mode: 'enforce',
    minimumAgeHours: 100,
    frozenAt: null,
    untimed: 'hold',
    exempt: ['@acme/*', 'left-pad@1.3.0'],
    blockSeverity: 'critical',
    withdrawnUpstream: 'serve',
  };
  expect(await gateNow()).toEqual(set);

  const before = Date.now();
  await page.getByRole('button', { name: 'Freeze now' }).click();
  await page.getByText(/and those published after/).waitFor();
  const frozen = await gateNow();
  expect(frozen).toEqual({ ...set, frozenAt: expect.any(String) });
  expect(Date.parse(frozen?.frozenAt ?? '')).toBeGreaterThanOrEqual(before);
  expect(await page.getByLabel('Nothing passes that was published after').inputValue()).toBe(frozen?.frozenAt);

  // What the service refuses is said as it says it, and changes nothing.
  const [mode, hours, frozenAt] = [
    page.getByLabel('Mode'),
    page.getByLabel('Hours that a version must be old'),
    page.getByLabel('Nothing passes that was published after'),
  ];
  await mode.selectOption('observe');
  await hours.fill('200');
  await frozenAt.fill('yesterday');
  await save(page);
  const { problem } = await service.client.attempt(updateRepository, {
    params: params(),
    body: { releaseGate: { frozenAt: 'yesterday' } },
    as: admin.bearer,
  });
  expect(await page.getByRole('alert').textContent()).toBe(problem?.errors.join(' '));
  expect(await gateNow()).toEqual(frozen);
  expect([await mode.inputValue(), await hours.inputValue(), await frozenAt.inputValue()]).toEqual([
    'observe',
    '200',
    'yesterday',
  ]);

  // A freeze counts, whatever stood in the form before it.
  await page.getByRole('button', { name: 'Freeze now' }).click();
  while ((await frozenAt.inputValue()) === 'yesterday') await page.waitForTimeout(20);
  const again = await gateNow();
  expect(again?.frozenAt).not.toBe(frozen?.frozenAt);
  await hours.fill('48');
  await save(page);
  await page.getByText('holds versions back that are younger than 48 hours').waitFor();
  expect(await gateNow()).toEqual({ ...again, minimumAgeHours: 48 });

  await page.getByLabel('Mode').selectOption('');
  await save(page);
  await page.getByText('off: every version of the upstream passes').waitFor();
  expect(await gateNow()).toBeUndefined();
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);

it.each(views)(
  'shows a viewer the gate, and offers nothing to change it: $name',
  async ({ viewport, colorScheme }) => {
    await service.client.succeed(updateRepository, {
      params: params(),
      body: { releaseGate: { mode: 'observe', minimumAgeHours: 24, exempt: ['@acme/*'] } },
      as: admin.bearer,
    });
    const viewer = await service.world.member(workspace);
    await service.world.grant(workspace, remote, viewer, 'canView');
    const { page } = await openConsole(browser, service.runner.url, { viewport, colorScheme });
    await signIn(page, viewer);
    await opened(page);
    await page.getByText('younger than 24 hours (only says so)').waitFor();
    await page.getByRole('definition').filter({ hasText: '@acme/*' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Freeze now' }).count()).toBe(0);
    expect([await findingsOn(page), await overflowOf(page)]).toEqual([[], 0]);
    await page.context().close();
  },
  60_000,
);

it('says beside the freeze what it does, and does that', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const setTo = (releaseGate: { mode: 'observe' } | null) =>
    service.client.succeed(updateRepository, { params: params(), body: { releaseGate }, as: admin.bearer });
  await setTo(null);
  await opened(page);
  const also = page.getByText('versions that are younger than 72 hours are held back');
  await also.waitFor();
  await page.getByRole('button', { name: 'Freeze now' }).click();
  await also.waitFor({ state: 'detached' });
  expect(await gateNow()).toMatchObject({ mode: 'enforce', minimumAgeHours: 72, frozenAt: expect.any(String) });
  await setTo({ mode: 'observe' });
  await page.reload();
  await opened(page);
  await page.getByText('This gate only says so, as long as its mode is “observe”.').waitFor();
  await setTo(null);
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);

it('fits and can be read as an admin sees it, and is missing where no gate can be', async () => {
  const local = await service.world.repository(workspace);
  for (const { viewport, colorScheme } of views) {
    const { page } = await openConsole(browser, service.runner.url, { viewport, colorScheme });
    await signIn(page, admin);
    await opened(page);
    await page.getByLabel('npm · Install', { exact: true }).waitFor();
    expect(await page.getByLabel('npm · Publish', { exact: true }).count()).toBe(0);
    expect([await findingsOn(page), await overflowOf(page)]).toEqual([[], 0]);
    await show(page, [workspace.name, local.name], local.name);
    await page.getByLabel('npm · Publish', { exact: true }).waitFor();
    await page.getByText('No package here yet.').waitFor();
    expect(await page.getByText('Release gate').count()).toBe(0);
    await page.context().close();
  }
}, 120_000);
