import type { Browser, Page } from 'playwright-core';
import { deleteRepository, getRepository, listRepositories } from '../../functions/repositories/contracts.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { openConsole, publishPasted, show, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: the way of somebody new. Needs Chromium. */
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

/** The text of the lines with a title. */
const linesOf = async (page: Page, title: string): Promise<string> =>
  (await page.getByLabel(title, { exact: true }).textContent()) ?? '';

describe('Somebody who has never seen the service', () => {
  it('makes repositories, publishes by the pasted lines, finds the package, reads its README, deletes and leaves', async () => {
    const { page, faults } = await openConsole(browser, service.runner.url);
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.accept();
    });
    await signIn(page, admin);
    const name = uniqueName('first');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByText('No repository that you may see.').waitFor();

    await page.getByLabel('Package type').selectOption('npm');
    await page.getByLabel('Upstream').fill('');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'npm' }).waitFor();
    await page.getByText('No package here yet.').waitFor();
    await page.getByLabel('.npmrc', { exact: true }).waitFor();
    const settings = `${await linesOf(page, '.npmrc')}\n${await linesOf(page, '~/.npmrc')}`;
    const command = await linesOf(page, 'npm · Publish');

    await page.getByRole('link', { name: admin.username }).click();
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('This is the only time that the token is shown.').waitFor();
    const token = await linesOf(page, 'New token');
    expect(token).toMatch(/^str_pat_/);

    await publishPasted({ settings, command }, token, { name: 'pasted', version: '1.0.0' });

    await show(page, [name, 'npm'], 'npm');
    await page.getByLabel('Name begins with').fill('past');
    await page.getByRole('link', { name: 'pasted' }).click();
    await page.getByRole('heading', { name: 'Pasted' }).waitFor();
    expect(await page.locator('.readme em').textContent()).toBe('works');
    expect(await linesOf(page, 'npm · Install')).toBe('npm install pasted@1.0.0');

    await show(page, [name, 'npm-local', 'pasted'], 'pasted');
    await page.getByRole('button', { name: 'Delete 1.0.0' }).click();
    await page.getByRole('heading', { level: 1, name: 'npm-local' }).waitFor();
    await page.getByText('No package here yet.').waitFor();
    expect(questions).toEqual(['Delete pasted 1.0.0? This cannot be undone.']);
    await show(page, [name, 'npm'], 'npm');
    await page.getByText('No package here yet.').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('makes a local, a remote and a virtual repository at once, with the upstream that is proposed', async () => {
    const { page, faults } = await openConsole(browser, service.runner.url);
    await signIn(page, admin);
    const { id, name } = await service.world.workspace();
    await show(page, [name], name);
    await page.getByLabel('Package type').selectOption('pypi');
    const upstream = await page.getByLabel('Upstream').inputValue();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'pypi' }).waitFor();
    const read = (made: string) =>
      service.client.succeed(getRepository, { params: { workspace: id, repository: made }, as: admin.bearer });
    const [local, remote, virtual] = [await read('pypi-local'), await read('pypi-remote'), await read('pypi')];
    expect(upstream).toMatch(/^https:\/\//);
    expect(local).toMatchObject({ repositoryType: 'local', packageType: 'pypi' });
    expect(remote).toMatchObject({
      repositoryType: 'remote',
      remoteRepositoryUrl: upstream,
      isRemoteCacheEnabled: true,
    });
    expect(virtual).toMatchObject({
      repositoryType: 'virtual',
      childRepositoryIds: [local.id, remote.id],
      uploadLocalRepositoryId: local.id,
    });
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('removes what it made before a repository that is refused, so that the same form can be sent again', async () => {
    const { page, faults } = await openConsole(browser, service.runner.url);
    await signIn(page, admin);
    const { id, name } = await service.world.workspace();
    await show(page, [name], name);
    await page.getByLabel('Package type').selectOption('npm');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    for (const taken of ['npm-remote', 'npm']) {
      const other = await service.world.repository({ id, name }, taken);
      await create.click();
      await page.getByRole('alert').filter({ hasText: taken }).waitFor();
      const left = await service.client.succeed(listRepositories, { params: { workspace: id }, as: admin.bearer });
      expect(left.map((each) => each.name)).toEqual([taken]);
      await service.client.succeed(deleteRepository, {
        params: { workspace: id, repository: other.id },
        as: admin.bearer,
      });
    }
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'npm' }).waitFor();
    const made = await service.client.succeed(listRepositories, { params: { workspace: id }, as: admin.bearer });
    expect(made.map((each) => each.name)).toEqual(['npm', 'npm-local', 'npm-remote']);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('is told which repository would have too long a name, and how long the name may be', async () => {
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, admin);
    const { name } = await service.world.workspace();
    await show(page, [name], name);
    const [create, alert] = [page.getByRole('button', { name: 'Create', exact: true }), page.getByRole('alert')];
    for (const [upstream, length, sentence] of [
      [
        'https://registry.example',
        24,
        `${'n'.repeat(24)}-remote would have more than the 30 characters of a name: type at most 23.`,
      ],
      ['', 25, `${'n'.repeat(25)}-local would have more than the 30 characters of a name: type at most 24.`],
    ] as const) {
      await page.getByLabel('Name', { exact: true }).fill('n'.repeat(length));
      await page.getByLabel('Upstream').fill(upstream);
      await create.click();
      await alert.filter({ hasText: sentence }).waitFor();
    }
    await page.getByLabel('Name', { exact: true }).fill('n'.repeat(24));
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'n'.repeat(24) }).waitFor();
    await page.context().close();
  }, 60_000);

  it.each(['local', 'remote', 'virtual'])(
    'goes on with the same form when the answer about the %s one was lost',
    async (lost) => {
      const { page } = await openConsole(browser, service.runner.url);
      await signIn(page, admin);
      const { id, name } = await service.world.workspace();
      await show(page, [name], name);
      await page.getByLabel('Package type').selectOption('npm');
      await page.route(`**/repositories/${lost}`, (route) => route.fetch().then(() => route.abort()), { times: 1 });
      const create = page.getByRole('button', { name: 'Create', exact: true });
      await create.click();
      await page.getByRole('alert').filter({ hasText: 'That did not work.' }).waitFor();
      await create.click();
      await page.getByRole('heading', { level: 1, name: 'npm' }).waitFor();
      const made = await service.client.succeed(listRepositories, { params: { workspace: id }, as: admin.bearer });
      expect(made.map((each) => each.name)).toEqual(['npm', 'npm-local', 'npm-remote']);
      await page.context().close();
    },
    60_000,
  );

  it('is offered nothing that the service refuses, and is shown its sentences as they are', async () => {
    const viewer = await service.world.member(workspace);
    const { page } = await openConsole(browser, service.runner.url);
    await page.getByLabel('Username').fill(viewer.username);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toMatch(/\.$/);
    await signIn(page, viewer);
    expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0);
    await show(page, [workspace.name], workspace.name);
    await page.getByText('No repository that you may see.').waitFor();
    expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0);
    await show(page, [workspace.name, repository.name], repository.name);
    const asked = await page.getByRole('alert').first().textContent();
    expect(asked).toContain('repository');
    await page.context().close();
  }, 60_000);
});

it('shows a first list within a second of a warm service', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await page.goto('about:blank');
    const startedAt = performance.now();
    await page.goto(`${service.runner.url}/#/${workspace.name}`);
    await page.getByRole('link', { name: repository.name }).waitFor();
    times.push(performance.now() - startedAt);
  }
  process.stdout.write(`First lists: ${times.map(Math.round).join(', ')} ms\n`);
  expect(Math.min(...times)).toBeLessThan(1_000);
  await page.context().close();
}, 60_000);
