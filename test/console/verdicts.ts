import type { Browser, Page } from 'playwright-core';
import { updateRepository } from '../../functions/repositories/contracts.ts';
import { getVerdict, listVerdicts, updateVerdict } from '../../functions/verdicts/contracts.ts';
import { askIn, newName } from '../gates/gated-type.ts';
import { npmGate } from '../gates/npm.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import type { Actor, Named } from '../harness/world.ts';
import { complete, findingsOn, openConsole, overflowOf, show, signIn, startBrowser, views } from './browser.ts';

/** `npm run test:console`: what does not pass, and the verdicts of a workspace, in the console. Needs Chromium. */
const service = useService();
const upstream = useUpstream();
const begun: Partial<{ workspace: Named; admin: Actor }> = {};
const setting = begun as Required<typeof begun>;
const npm = npmGate({ upstream, ask: askIn(service, setting) });
const name = newName();
let browser: Browser;
let admin: Actor;
let workspace: Named;
let remote: Named;

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  Object.assign(begun, { workspace, admin });
  remote = await createRemote(service, workspace, { remoteRepositoryUrl: upstream.url });
  upstream.answer = npm.answer(name, { '1.0.0': 100, '1.1.0': 1, '1.2.0': 1 });
  for (const version of ['1.0.0', '1.1.0'])
    for (const path of npm.files(name, version)) await askIn(service, setting)(npm.file, 'npm', remote, path);
  await service.client.succeed(updateRepository, {
    params: { workspace: workspace.id, repository: remote.id },
    body: { releaseGate: { minimumAgeHours: 72 } },
    as: admin.bearer,
  });
  await npm.documents(remote, name);
}, 120_000);
afterAll(() => browser?.close());

const verdictsNow = async () =>
  (await service.client.succeed(listVerdicts, { params: { workspace: workspace.id }, as: admin.bearer })).map(
    ({ packageType, package: about, verdict, versions, reason, expiresAt }) => ({
      packageType,
      about,
      verdict,
      versions,
      reason,
      expiresAt,
    }),
  );

const heldRow = (page: Page, version: string) =>
  page.getByRole('region', { name: 'Held back', exact: true }).getByRole('row').filter({ hasText: version });

const packagePage = (page: Page) => show(page, [workspace.name, remote.name, name], name);

it('shows what a gate holds back, why and until when, and lets an admin allow it from there', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url);
  page.on('dialog', (dialog) => void dialog.accept());
  await signIn(page, admin);
  await packagePage(page);
  for (const version of ['1.1.0', '1.2.0'])
    expect(await heldRow(page, version).textContent()).toMatch(
      /held.*it was published on 20.*, and passes when it is 72 hours old[A-Z][a-z]{2} \d/,
    );
  expect(await heldRow(page, '1.0.0').count()).toBe(0);
  const kept = page.getByRole('region', { name: 'Versions', exact: true }).getByRole('row');
  expect(await kept.filter({ hasText: '1.1.0' }).textContent()).toContain('held');
  expect(await kept.filter({ hasText: '1.0.0' }).textContent()).not.toContain('held');

  await page.getByRole('link', { name: 'Decide 1.2.0' }).click();
  await page.getByText('New verdict').waitFor();
  expect(await page.getByLabel('Package type').inputValue()).toBe('npm');
  expect(await page.getByLabel('Name, or the beginning of names and *').inputValue()).toBe(name);
  expect(await page.getByLabel('Versions, a line for each').inputValue()).toBe('1.2.0');
  await page.getByRole('combobox', { name: 'Verdict', exact: true }).selectOption('allow');
  await page.getByLabel('Reason').fill('It mends what is attacked.');

  // What the service refuses is said as it says it, and changes nothing.
  await page.getByLabel('End (empty: never)').fill('2001-01-01T00:00:00Z');
  await page.getByRole('button', { name: 'Save' }).click();
  const { problem } = await service.client.attempt(updateVerdict, {
    params: { workspace: workspace.id, packageType: 'npm', package: name },
    body: { verdict: 'allow', versions: ['1.2.0'], reason: 'It mends.', expiresAt: '2001-01-01T00:00:00Z' },
    as: admin.bearer,
  });
  expect(await page.getByRole('alert').textContent()).toBe(problem?.errors.join(' '));
  expect(await verdictsNow()).toEqual([]);
  expect(await page.getByRole('combobox', { name: 'Verdict', exact: true }).inputValue()).toBe('allow');

  await page.getByLabel('End (empty: never)').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: `npm ${name}` }).waitFor();
  await page.getByText('Saving replaces the verdict above.').waitFor();
  expect(await page.getByText('Saved.').count()).toBe(1);
  expect(await verdictsNow()).toEqual([
    {
      packageType: 'npm',
      about: name,
      verdict: 'allow',
      versions: ['1.2.0'],
      reason: 'It mends what is attacked.',
      expiresAt: null,
    },
  ]);
  await packagePage(page);
  await heldRow(page, '1.1.0').waitFor();
  expect(await heldRow(page, '1.2.0').count()).toBe(0);

  // All versions are blocked where none is named, and the form begins with what was decided.
  await show(page, [workspace.name, ':verdicts', 'npm', name], workspace.name);
  await page.getByRole('link', { name: `npm ${name}` }).waitFor();
  expect(await page.getByLabel('Reason').inputValue()).toBe('It mends what is attacked.');
  await page.getByRole('combobox', { name: 'Verdict', exact: true }).selectOption('block');
  await page.getByLabel('Versions, a line for each').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect(await verdictsNow()).toMatchObject([{ verdict: 'block', versions: ['*'] }]);
  await packagePage(page);
  expect(await heldRow(page, '1.0.0').textContent()).toContain('blocked');

  await show(page, [workspace.name, ':verdicts'], workspace.name);
  await page.getByRole('button', { name: `Delete npm ${name}` }).click();
  await page.getByText('No verdict: the release gates alone decide.').waitFor();
  expect(await verdictsNow()).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
}, 120_000);

it('adds a version to what was decided before, says what that was, and finds it wherever the list has it', async () => {
  const place = await service.world.workspace();
  const decide = (about: string, versions: string[]) =>
    service.client.succeed(updateVerdict, {
      params: { workspace: place.id, packageType: 'npm', package: about },
      body: { verdict: 'block', versions, reason: `Not ${about}`, expiresAt: null },
      as: admin.bearer,
    });
  for (let index = 0; index < 100; index += 1) await decide(`a-${index}`, ['1.0.0']);
  await decide('last', ['1.0.0']);
  await decide('whole', ['*']);
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [place.name, ':verdicts', 'npm', 'last', '1.1.0'], place.name);
  await page.getByText('Saving replaces the verdict above.').waitFor();
  expect(await page.getByRole('definition').allTextContents()).toEqual(
    expect.arrayContaining(['npm last', 'block', '1.0.0', 'Not last']),
  );
  expect(await page.getByRole('link', { name: 'npm last' }).count()).toBe(0);
  const versions = page.getByLabel('Versions, a line for each');
  expect(await versions.inputValue()).toBe('1.0.0\n1.1.0');
  expect(await page.getByLabel('Reason').inputValue()).toBe('Not last');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const params = { workspace: place.id, packageType: 'npm', package: 'last' };
  const stored = await service.client.succeed(getVerdict, { params, as: admin.bearer });
  expect(stored).toMatchObject({ verdict: 'block', versions: ['1.0.0', '1.1.0'], reason: 'Not last' });
  await page.getByRole('definition').filter({ hasText: '1.0.0, 1.1.0' }).waitFor();

  await show(page, [place.name, ':verdicts', 'npm', 'whole', '1.1.0'], place.name);
  await page.getByRole('definition').filter({ hasText: 'npm whole' }).waitFor();
  expect(await versions.inputValue()).toBe('*');
  await show(page, [place.name, ':verdicts', 'npm', 'new', '1.1.0'], place.name);
  await page.getByRole('definition').first().waitFor({ state: 'detached' });
  await page.getByText('New verdict').waitFor();
  expect([await versions.inputValue(), await page.getByLabel('Reason').inputValue()]).toEqual(['1.1.0', '']);
  expect(faults).toEqual([]);
  await page.context().close();

  const other = await openConsole(browser, service.runner.url);
  await signIn(other.page, await service.world.member(place));
  await show(other.page, [place.name, ':verdicts', 'npm', 'last'], place.name);
  await other.page.getByRole('definition').filter({ hasText: 'Not last' }).waitFor();
  await other.page.context().close();
}, 120_000);

it.each(views)(
  'shows a viewer what is held back and decided, and offers nothing: $name',
  async ({ viewport, colorScheme }) => {
    await service.client.succeed(updateVerdict, {
      params: { workspace: workspace.id, packageType: 'npm', package: name },
      body: { verdict: 'block', versions: ['1.2.0'], reason: 'Hijacked' },
      as: admin.bearer,
    });
    const viewer = await service.world.member(workspace);
    await service.world.grant(workspace, remote, viewer, 'canView');
    const { page } = await openConsole(browser, service.runner.url, { viewport, colorScheme });
    await signIn(page, viewer);
    await packagePage(page);
    expect(await heldRow(page, '1.2.0').textContent()).toContain(`the verdict on '${name}' says: Hijacked`);
    expect(await page.getByRole('link', { name: /^Decide/ }).count()).toBe(0);
    await complete(page);
    expect([await findingsOn(page), await overflowOf(page)]).toEqual([[], 0]);
    await show(page, [workspace.name, ':verdicts', 'npm', name], workspace.name);
    await page.getByRole('definition').filter({ hasText: 'Hijacked' }).waitFor();
    expect(await page.getByRole('button', { name: /^(?:Save|Delete)/ }).count()).toBe(0);
    expect([await findingsOn(page), await overflowOf(page)]).toEqual([[], 0]);
    await page.context().close();
  },
  60_000,
);
