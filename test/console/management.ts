import type { Browser } from 'playwright-core';
import { publishPackage } from '../../functions/packages/contracts.ts';
import { listMemberRepositories } from '../../functions/repositories/contracts.ts';
import { createTrust } from '../../functions/trusts/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { packed } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { trustBody } from '../harness/trusts.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { findingsOn, forgetPassword, openConsole, settled, show, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: what admins do in the console. Needs Chromium. */
const service = useService();
let browser: Browser;
let admin: Actor;
let workspace: Named;
let repository: Named;
let trust: string;

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
  const content = await packed({ name: 'formatter', version: '1.0.0' });
  const sent = await service.client.attempt(publishPackage, {
    params: { workspace: workspace.id, repository: repository.id },
    bytes: formOf([{ file: 'package.tgz', content }]),
    as: admin.bearer,
  });
  if (sent.status !== 201) throw new Error(sent.text);
  ({ name: trust } = await service.client.succeed(createTrust, {
    params: { workspace: workspace.id },
    body: trustBody(repository),
    as: admin.bearer,
  }));
}, 120_000);
afterAll(() => browser?.close());

it('gives a colleague a level on several repositories, who then sees them, and shows the records of it', async () => {
  const [place, colleague] = [await service.world.workspace(), await service.world.user()];
  const [first, second] = [await service.world.repository(place), await service.world.repository(place)];
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [place.name, ':members'], place.name);
  await page.getByLabel('ID of the user').fill(colleague.userId);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('cell', { name: colleague.username, exact: true }).waitFor();
  for (const [{ name }, level] of [
    [first, 'canView'],
    [second, 'canManage'],
  ] as const)
    await page.getByLabel(`${colleague.username} on ${name}`).selectOption(level);
  await page.getByRole('button', { name: `Save ${colleague.username}` }).click();
  await page.getByRole('button', { name: `Save ${colleague.username}` }).waitFor({ state: 'detached' });
  expect(await page.getByLabel(`${colleague.username} on ${second.name}`).inputValue()).toBe('canManage');
  await show(page, [place.name, ':records'], place.name);
  await page.getByLabel('Action').selectOption('grants.changed');
  await page.getByRole('cell', { name: 'grants.changed' }).first().waitFor();
  await page.getByRole('cell', { name: 'member.added' }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await page.context().close();

  const other = await openConsole(browser, service.runner.url);
  await signIn(other.page, colleague);
  await show(other.page, [place.name], place.name);
  for (const { name } of [first, second]) await other.page.getByRole('link', { name }).waitFor();
  expect(await other.page.getByRole('link', { name: 'Records' }).count()).toBe(0);
  await show(other.page, [place.name, ':members'], place.name);
  await other.page.getByRole('cell', { name: colleague.username }).waitFor();
  expect(await other.page.getByRole('button', { name: 'Add' }).count()).toBe(0);
  expect(await other.page.getByLabel(`${colleague.username} on ${first.name}`).count()).toBe(0);
  await other.page.context().close();

  // And takes one of them away again.
  const again = await openConsole(browser, service.runner.url);
  await signIn(again.page, admin);
  await show(again.page, [place.name, ':members'], place.name);
  await again.page.getByLabel(`${colleague.username} on ${second.name}`).selectOption('');
  await again.page.getByRole('button', { name: `Save ${colleague.username}` }).click();
  await again.page.getByRole('button', { name: `Save ${colleague.username}` }).waitFor({ state: 'detached' });
  const levels = await service.client.succeed(listMemberRepositories, {
    params: { workspace: place.id, user: colleague.userId },
    as: admin.bearer,
  });
  expect(levels.map((each) => [each.repositoryName, each.repositoryPermissionLevel])).toEqual([
    [first.name, 'canView'],
  ]);
  await again.page.context().close();
}, 60_000);

it('asks for the password again before a token, a trust, a user or a password is made, fifteen minutes after it was sent', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const delicate = [
    {
      parts: [':account'],
      heading: 'Account',
      fill: () => page.getByLabel('Name', { exact: true }).fill('late'),
      button: 'Create',
      done: 'This is the only time that the token is shown.',
    },
    {
      parts: [workspace.name, ':trusts'],
      heading: workspace.name,
      fill: async () => {
        await page.getByLabel('Name', { exact: true }).fill('late');
        await page.getByLabel('Conditions, a line').fill('repository_id = 1\nref = refs/heads/main');
        await page.getByLabel('Repository', { exact: true }).fill(repository.name);
      },
      button: 'Create',
      done: 'ref = refs/heads/main',
    },
    {
      parts: [':users'],
      heading: 'Users',
      fill: async () => {
        await page.getByLabel('Username').fill(uniqueName('late'));
        await page.getByLabel('First password').fill('a rather long password');
      },
      button: 'Create',
      done: 'Created.',
    },
  ];
  for (const { parts, heading, fill, button, done } of delicate) {
    await forgetPassword(service, admin);
    await show(page, parts, heading);
    await settled(page);
    await fill();
    await page.getByRole('button', { name: button, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('You sent it more than fifteen minutes ago').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    expect(await page.getByText(done).count()).toBe(0);
    await dialog.getByLabel('Password').fill(admin.password);
    await page.keyboard.press('Enter');
    await page.getByText(done).first().waitFor();
  }
  await page.context().close();
}, 120_000);

it('makes a token with limits, and shows them', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [':account'], 'Account');
  await page.getByLabel('Name', { exact: true }).fill('limited');
  await page.getByLabel('Only in the workspace').fill(workspace.name);
  await page.getByLabel('Highest level').selectOption('canView');
  await page.getByLabel('It may only read').check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('This is the only time that the token is shown.').waitFor();
  const token = await page.getByLabel('New token', { exact: true }).textContent();
  const { token: made } = await service.client.succeed(getCurrentUser, { as: `Bearer ${token}` });
  expect(made?.limits).toMatchObject({
    readOnly: true,
    repositoryPermissionLevel: 'canView',
    workspaces: [expect.objectContaining({ workspaceId: workspace.id })],
  });
  await page.getByRole('link', { name: 'limited' }).click();
  await page.getByText(`reads only, at most canView, only in the workspaces ${workspace.name}`).waitFor();
  await page.context().close();
}, 60_000);

it('makes a trust that is about any repository, however many there are', async () => {
  const place = await service.world.workspace();
  const names = (await service.world.repositories(place, 101)).map(({ name }) => name).toSorted();
  const last = names.at(-1) ?? '';
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [place.name, ':trusts'], place.name);
  await page.locator(`datalist option[value="${names[0]}"]`).waitFor({ state: 'attached' });
  await page.getByLabel('Name', { exact: true }).fill('release');
  await page.getByLabel('Conditions, a line').fill('repository_id = 1');
  await page.getByRole('combobox', { name: 'Repository', exact: true }).fill(last);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('cell', { name: `${last}: canView` }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);

it('says why a trust would refuse a pipeline, and why it would accept one', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [workspace.name, ':trusts'], workspace.name);
  await page.getByRole('link', { name: trust }).click();
  const check = async (proof: string) => {
    await page.getByLabel('A token of the pipeline').fill(proof);
    await page.getByRole('button', { name: 'Check' }).click();
  };
  await check('{"repository_id":"1","event_name":"push"}');
  await page.getByText('It would be refused.').waitFor();
  await page.getByRole('row', { name: 'repository_id 123456789 1 ✗' }).waitFor();
  await check('{"repository_id":"123456789","event_name":"push","ref":"refs/heads/main"}');
  await page.getByText('It would be accepted.').waitFor();
  await check('{no claims');
  await page.getByText('These are no claims').waitFor();
  await page.context().setOffline(true);
  await check('{"repository_id":"123456789"}');
  await page.getByText('Is the service reachable?').waitFor();
  await page.context().close();
}, 60_000);

it('lets a System Admin create, disable and enable a user, and the user change the password', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [':users'], 'Users');
  const [username, password] = [uniqueName('aaa'), 'a rather long password'];
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('First password').fill(password);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: `Disable ${username}` }).click();
  await page.getByRole('button', { name: `Enable ${username}` }).waitFor();
  const other = await openConsole(browser, service.runner.url);
  await other.page.getByLabel('Username').fill(username);
  await other.page.getByLabel('Password').fill(password);
  await other.page.getByRole('button', { name: 'Sign in' }).click();
  await other.page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: `Enable ${username}` }).click();
  await page.getByRole('button', { name: `Disable ${username}` }).waitFor();
  await signIn(other.page, { username, password });
  expect(await other.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  await show(other.page, [':account'], 'Account');
  await other.page.getByLabel('Password', { exact: true }).fill(password);
  await other.page.getByLabel('New password').fill('another long password');
  await other.page.getByRole('button', { name: 'Change' }).click();
  await other.page.getByRole('button', { name: 'Sign in' }).waitFor();
  await other.page.evaluate("location.hash = '#/'");
  await signIn(other.page, { username, password: 'another long password' });
  for (const each of [page, other.page]) await each.context().close();
}, 60_000);

it('shows the sizes of repositories, and what was published in the last month', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [workspace.name], workspace.name);
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: repository.name }) });
  await row.getByText(/^\d.*\sk?B$/).waitFor();
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('img', { name: /^[1-9].* published, 0 B deleted or replaced in 30 days$/ }).waitFor();
  await page.context().close();
}, 60_000);
