import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { listWorkspaceRecords } from '../../functions/audit/contracts.ts';
import { removeRepositoryMember, removeWorkspaceMember } from '../../functions/members/contracts.ts';
import { createUpload, deletePackageVersion, getPackage, publishPackage } from '../../functions/packages/contracts.ts';
import { createTrust } from '../../functions/trusts/contracts.ts';
import { createUser } from '../../functions/users/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { packed } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { trustBody } from '../harness/trusts.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { complete, openConsole, show, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: what the service refuses is shown in its own words. Needs Chromium. */
const service = useService();
const published = { name: uniqueName('formatter'), version: '1.0.0' };
let browser: Browser;
let admin: Actor;
let workspace: Named;
let repository: Named;

const publish = async (version: string) => {
  const { status, text } = await service.client.attempt(publishPackage, {
    params: { workspace: workspace.id, repository: repository.id },
    bytes: formOf([{ file: 'package.tgz', content: await packed({ ...published, version }) }]),
    as: admin.bearer,
  });
  if (status !== 201) throw new Error(text);
};

beforeAll(async () => {
  browser = await startBrowser();
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
  await publish('1.0.0');
}, 120_000);
afterAll(() => browser?.close());

type Level = 'canView' | 'canDeploy' | 'canManage';

const levelOf = (level: Level) => async (): Promise<Actor> => {
  const actor = await service.world.member(workspace);
  await service.world.grant(workspace, repository, actor, level);
  return actor;
};

/** The sentence that the service says to somebody. */
const sentenceOf = ({ problem }: Answer): string => {
  if (!problem) throw new Error('The service refused nothing.');
  return problem.errors.join(' ');
};

const alertOn = async (page: Page): Promise<string> => (await page.getByRole('alert').first().textContent()) ?? '';

describe('A refusal is shown as the service says it,', () => {
  const params = () => ({ workspace: workspace.id, repository: repository.id });

  /** Signs somebody in, lets them see a page, takes something away from them, and lets them go on. */
  const refusalShown = async (
    somebody: Actor,
    [parts, heading]: readonly [readonly string[], string],
    takeAway: () => Promise<unknown>,
    goOn: (page: Page) => Promise<unknown>,
  ): Promise<string> => {
    const { page, faults } = await openConsole(browser, service.runner.url);
    page.on('dialog', (dialog) => void dialog.accept());
    await signIn(page, somebody);
    await show(page, parts, heading);
    await complete(page);
    await takeAway();
    await goOn(page);
    const shown = await alertOn(page);
    expect(faults).toEqual([]);
    await page.context().close();
    return shown;
  };

  const takeLevel =
    ({ userId }: Actor) =>
    () =>
      service.client.succeed(removeRepositoryMember, { params: { ...params(), user: userId }, as: admin.bearer });

  it('to a stranger who opens a workspace by its address', async () => {
    const somebody = await service.world.user();
    const shown = await refusalShown(
      somebody,
      [[], 'Workspaces'],
      async () => undefined,
      (page) =>
        page.evaluate(`location.hash = ${JSON.stringify(`#/${workspace.name}/:records`)}`).then(() => complete(page)),
    );
    const answer = await service.client.attempt(listWorkspaceRecords, {
      params: { workspace: workspace.name },
      as: somebody.bearer,
    });
    expect(shown).toBe(sentenceOf(answer));
  }, 60_000);

  it('to a viewer whose level is taken away', async () => {
    const somebody = await levelOf('canView')();
    const shown = await refusalShown(
      somebody,
      [[workspace.name, repository.name], repository.name],
      takeLevel(somebody),
      async (page) => {
        await page.getByLabel('Name begins with').fill('f');
        await page.getByRole('alert').first().waitFor();
      },
    );
    const answer = await service.client.attempt(getPackage, {
      params: { ...params(), repository: repository.name, workspace: workspace.name, package: 'f' },
      as: somebody.bearer,
    });
    expect(shown).toBe(sentenceOf(answer));
  }, 60_000);

  it('to a deployer whose level is taken away', async () => {
    const somebody = await levelOf('canDeploy')();
    const file = join(tmpdir(), `${uniqueName('refused')}.tgz`);
    writeFileSync(file, await packed({ ...published, version: '9.0.0' }));
    const shown = await refusalShown(
      somebody,
      [[workspace.name, repository.name], repository.name],
      takeLevel(somebody),
      async (page) => {
        await page.getByText('Upload', { exact: true }).click();
        await page.getByLabel('Files of one version').setInputFiles(file);
        await page.getByRole('button', { name: 'Publish' }).click();
        await page.getByRole('alert').first().waitFor();
      },
    );
    const answer = await service.client.attempt(createUpload, {
      params: { ...params(), repository: repository.name, workspace: workspace.name },
      body: {},
      as: somebody.bearer,
    });
    expect(shown).toBe(sentenceOf(answer));
  }, 60_000);

  it('to a manager whose level is taken away', async () => {
    const somebody = await levelOf('canManage')();
    const at = [workspace.name, repository.name, published.name];
    const shown = await refusalShown(somebody, [at, published.name], takeLevel(somebody), async (page) => {
      await page.getByRole('button', { name: 'Delete 1.0.0' }).click();
      await page.getByRole('alert').first().waitFor();
    });
    const answer = await service.client.attempt(deletePackageVersion, {
      params: { workspace: workspace.name, repository: repository.name, package: published.name, version: '1.0.0' },
      as: somebody.bearer,
    });
    expect(shown).toBe(sentenceOf(answer));
  }, 60_000);

  it('to an admin of a workspace who is removed from it', async () => {
    const somebody = await service.world.member(workspace, 'admin');
    const remove = () =>
      service.client.succeed(removeWorkspaceMember, {
        params: { workspace: workspace.id, user: somebody.userId },
        as: admin.bearer,
      });
    const shown = await refusalShown(somebody, [[workspace.name, ':trusts'], workspace.name], remove, async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('release');
      await page.getByLabel('Conditions, a line').fill('repository_id = 1');
      await page.getByLabel('Repository', { exact: true }).fill(repository.name);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('alert').first().waitFor();
    });
    const answer = await service.client.attempt(createTrust, {
      params: { workspace: workspace.name },
      body: trustBody(repository),
      as: somebody.bearer,
    });
    expect(shown).toBe(sentenceOf(answer));
  }, 60_000);

  it('to a System Admin who asks for what nobody may have', async () => {
    const shown = await refusalShown(
      admin,
      [[':users'], 'Users'],
      async () => undefined,
      async (page) => {
        await page.getByLabel('Username').fill(admin.username);
        await page.getByLabel('First password').fill('short');
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('alert').first().waitFor();
      },
    );
    const body = { username: admin.username, password: 'short', userRole: 'user' };
    expect(shown).toBe(sentenceOf(await service.client.attempt(createUser, { body, as: admin.bearer })));
  }, 60_000);
});

it('says that a sign-out failed, and leaves only a session that has ended', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const answerWith = async (status: number, code: string, sentence: string) => {
    await page.unrouteAll();
    await page.route('**/1/sessions', (route) =>
      route.fulfill({ status, contentType: 'application/problem+json', json: { code, errors: [sentence] } }),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
  };
  await answerWith(503, 'SERVICE_UNAVAILABLE', 'Try again in a moment.');
  expect(await alertOn(page)).toBe('Try again in a moment.');
  expect(await page.getByRole('heading', { name: 'Workspaces' }).count()).toBe(1);
  await answerWith(401, 'SESSION_ENDED', 'This session has ended.');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.context().close();
}, 60_000);

it('offers a System Admin nothing in a workspace that does not exist', async () => {
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  for (const at of [[], [':members'], [':usage'], [':records'], [':verdicts'], [':trusts'], [':trusts', 'release']]) {
    await show(page, ['not-here', ...at], 'not-here');
    await complete(page);
    expect([at, await page.getByRole('alert').count(), await page.locator('main :is(form, input)').count()]).toEqual([
      at,
      1,
      0,
    ]);
  }
  await page.context().close();
}, 60_000);

it('shows a repository that is called as what every object has', async () => {
  const { name } = await service.world.repository(workspace, 'constructor');
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [workspace.name, name], name);
  await page.context().close();
}, 60_000);

it('says at a host without HTTPS what it needs', async () => {
  const { page, faults } = await openConsole(browser, service.runner.url.replace('127.0.0.1', 'stockroom.example'));
  await page.getByRole('alert').getByText('Open this page over HTTPS').waitFor();
  expect([await page.getByLabel('Password').count(), faults]).toEqual([0, []]);
  await page.context().close();
}, 60_000);
