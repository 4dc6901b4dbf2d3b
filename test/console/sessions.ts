import type { Browser, Page } from 'playwright-core';
import { addWorkspaceMember } from '../../functions/members/contracts.ts';
import { deleteSession, listSessions } from '../../functions/sessions/contracts.ts';
import { listPersonalAccessTokens } from '../../functions/tokens/contracts.ts';
import { useService } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';
import { findingsOn, openConsole, show, signIn, startBrowser } from './browser.ts';

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

/** Signs in at the form of a page, whatever it shows then. */
const sendPassword = async (page: Page, { username, password }: Actor): Promise<void> => {
  await page.getByRole('textbox', { name: 'Username' }).fill(username);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

const tokensOf = async ({ bearer }: Actor): Promise<string[]> =>
  (await service.client.succeed(listPersonalAccessTokens, { as: bearer })).map(({ id }) => id);

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
    expect([await tokensOf(viewer), await tokensOf(admin)]).toEqual([[viewer.tokenId], [admin.tokenId]]);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('or in itself, repeats nothing of the person before', async () => {
    const [before, after] = [await service.world.user(), await service.world.user()];
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, before);
    await show(page, [':account'], 'Account');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/personal-access-tokens', (route) => released.then(() => route.continue()));
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByRole('button', { name: 'Create' }).click();
    await signOut(page);
    await sendPassword(page, after);
    await page.getByText(after.userId).waitFor();
    const renewal = page.waitForResponse('**/1/sessions/renew');
    release();
    await renewal;
    await page.waitForTimeout(500);
    expect([await tokensOf(before), await tokensOf(after)]).toEqual([[before.tokenId], [after.tokenId]]);
    await page.context().close();
  }, 60_000);
});

describe('A console that cannot reach the service when it starts', () => {
  /** Reloads the page while a request gets no answer that decides, and says what it shows then. */
  const reloadedWithout = async (page: Page, path: string, fault: Parameters<Page['route']>[1]): Promise<string> => {
    await page.route(path, fault);
    await page.reload();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    const shown = (await page.getByRole('alert').textContent()) ?? '';
    expect(await page.getByLabel('Password').count()).toBe(0);
    await page.unroute(path);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
    await page.getByRole('link', { name: admin.username }).waitFor();
    return shown;
  };

  it('says so and tries again on demand, and asks nobody to sign in whose session has not ended', async () => {
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, admin);
    const busy = { code: 'SERVICE_UNAVAILABLE', errors: ['Try again in a moment.'], status: 503 };
    for (const path of ['**/1/sessions/renew', '**/1/users/me']) {
      expect(await reloadedWithout(page, path, (route) => route.abort())).toContain('Is the service reachable?');
      expect(
        await reloadedWithout(page, path, (route) =>
          route.fulfill({ status: 503, contentType: 'application/problem+json', json: busy }),
        ),
      ).toBe('Try again in a moment.');
    }
    await page.context().close();
  }, 60_000);

  it('offers to ask again for what a page could not load, and not for what was refused', async () => {
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, admin);
    await page.route('**/1/users?*', (route) => route.abort());
    await show(page, [':users'], 'Users');
    await page.getByRole('alert').waitFor();
    await page.unroute('**/1/users?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('cell', { name: admin.userId }).waitFor();
    await show(page, [':users', 'nobody-has-this'], 'nobody-has-this');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.context().close();
  }, 60_000);
});

describe('A page whose session has ended', () => {
  /** Types into a form, ends the session, and sends what was typed. */
  const interrupted = async (somebody: Actor): Promise<Page> => {
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, somebody);
    await show(page, [':account'], 'Account');
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByLabel('Days until it expires').fill('7');
    const [session] = await service.client.succeed(listSessions, { params: { user: 'me' }, as: somebody.bearer });
    const params = { user: 'me', session: session?.id ?? '' };
    await service.client.succeed(deleteSession, { params, as: somebody.bearer });
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('Your session has ended. Sign in to go on.');
    expect(await page.getByText(somebody.userId).isVisible()).toBe(false);
    expect(await findingsOn(page)).toEqual([]);
    return page;
  };

  it('says so, and goes on with what was typed when the same person has signed in again', async () => {
    const somebody = await service.world.user();
    const page = await interrupted(somebody);
    await sendPassword(page, somebody);
    await page.getByText('This is the only time that the token is shown.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('laptop');
    expect(await tokensOf(somebody)).toHaveLength(2);
    await page.context().close();
  }, 60_000);

  it('begins anew for another person, for whom nothing is repeated', async () => {
    const [somebody, another] = [await service.world.user(), await service.world.user()];
    const page = await interrupted(somebody);
    await sendPassword(page, another);
    await page.getByText(another.userId).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    expect([await tokensOf(somebody), await tokensOf(another)]).toEqual([[somebody.tokenId], [another.tokenId]]);
    await page.context().close();
  }, 60_000);
});

it('A page offers what somebody may do by now, and no more', async () => {
  const [workspace, member] = [await service.world.workspace(), await service.world.user()];
  const make = (role: 'admin' | 'member') =>
    service.client.succeed(addWorkspaceMember, {
      params: { workspace: workspace.id },
      body: { userId: member.userId, role },
      as: admin.bearer,
    });
  await make('member');
  const { page, faults } = await openConsole(browser, service.runner.url);
  await signIn(page, member);
  await show(page, [workspace.name], workspace.name);
  await page.getByText('No repository that you may see.').waitFor();
  const records = page.getByRole('link', { name: 'Records' });
  expect(await records.count()).toBe(0);
  await make('admin');
  await page.getByRole('link', { name: 'Usage' }).click();
  await records.waitFor();
  await make('member');
  // Where the service cannot say it, the page goes on with what it knows.
  await page.route('**/1/users/me', (route) => route.fulfill({ status: 503, json: { errors: [] } }));
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('cell', { name: member.username }).first().waitFor();
  expect(await records.count()).toBe(1);
  await page.unroute('**/1/users/me');
  await page.getByRole('link', { name: 'Usage' }).click();
  await records.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await page.context().close();
}, 60_000);
