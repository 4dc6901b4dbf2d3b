import type { Browser, Page } from 'playwright-core';
import { listWorkspaceRecords } from '../../functions/audit/contracts.ts';
import { addWorkspaceMember } from '../../functions/members/contracts.ts';
import { createUpload, deletePackageVersion, getPackage, publishPackage } from '../../functions/packages/contracts.ts';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { checkTrust, createTrust, listTrusts } from '../../functions/trusts/contracts.ts';
import { createUser, listUsers } from '../../functions/users/contracts.ts';
import { updateVerdict } from '../../functions/verdicts/contracts.ts';
import { createWorkspace } from '../../functions/workspaces/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { packed } from '../harness/npm.ts';
import { createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { complete, openConsole, show, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: what the service refuses to somebody, the console does not offer them. Needs Chromium. */
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

/** What a page offers, and the request behind it, which a body without sense keeps from changing anything. */
interface Offer {
  readonly name: string;
  readonly parts: readonly string[];
  readonly heading: string;
  readonly count: (page: Page) => Promise<number>;
  readonly ask: (as: string) => Promise<Answer>;
}

const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).count();
const tab = (name: string) => (page: Page) => page.getByRole('link', { name, exact: true }).count();

const offers = (): readonly Offer[] => {
  const place = { workspace: workspace.id, repository: repository.id };
  const inWorkspace = { params: { workspace: workspace.id } };
  const { client } = service;
  const of = { parts: [workspace.name], heading: workspace.name };
  return [
    {
      name: 'a workspace',
      parts: [],
      heading: 'Workspaces',
      count: button('Create'),
      ask: (as) => client.attempt(createWorkspace, { body: { name: '' }, as }),
    },
    {
      name: 'users',
      parts: [],
      heading: 'Workspaces',
      count: tab('Users'),
      ask: (as) => client.attempt(listUsers, { as }),
    },
    {
      ...of,
      name: 'repositories',
      count: button('Create'),
      ask: (as) => client.attempt(createLocalRepository, { ...inWorkspace, body: { name: '' }, as }),
    },
    {
      ...of,
      name: 'records',
      count: tab('Records'),
      ask: (as) => client.attempt(listWorkspaceRecords, { ...inWorkspace, as }),
    },
    { ...of, name: 'trusts', count: tab('Trusts'), ask: (as) => client.attempt(listTrusts, { ...inWorkspace, as }) },
    {
      name: 'a trust',
      parts: [workspace.name, ':trusts', 'release'],
      heading: workspace.name,
      count: button('Create'),
      ask: (as) => client.attempt(createTrust, { ...inWorkspace, body: {}, as }),
    },
    {
      name: 'the check of a trust',
      parts: [workspace.name, ':trusts', 'release'],
      heading: workspace.name,
      count: button('Check'),
      ask: (as) => client.attempt(checkTrust, { params: { workspace: workspace.id, trust: 'release' }, body: {}, as }),
    },
    {
      name: 'a user',
      parts: [':users'],
      heading: 'Users',
      count: button('Create'),
      ask: (as) => client.attempt(createUser, { body: {}, as }),
    },
    {
      name: 'verdicts',
      parts: [workspace.name, ':verdicts'],
      heading: workspace.name,
      count: button('Save'),
      ask: (as) =>
        client.attempt(updateVerdict, {
          params: { workspace: workspace.id, packageType: 'npm', package: 'axios' },
          body: {},
          as,
        }),
    },
    {
      name: 'members',
      parts: [workspace.name, ':members'],
      heading: workspace.name,
      count: button('Add'),
      ask: (as) => client.attempt(addWorkspaceMember, { ...inWorkspace, body: {}, as }),
    },
    {
      name: 'an upload',
      parts: [workspace.name, repository.name],
      heading: repository.name,
      count: (page) => page.getByText('Upload', { exact: true }).count(),
      ask: (as) => client.attempt(createUpload, { params: place, body: {}, as }),
    },
    {
      name: 'lines that publish',
      parts: [workspace.name, repository.name, published.name],
      heading: published.name,
      count: (page) => page.getByLabel('npm · Publish', { exact: true }).count(),
      ask: (as) => client.attempt(createUpload, { params: place, body: {}, as }),
    },
    {
      name: 'a package',
      parts: [workspace.name, repository.name],
      heading: repository.name,
      count: tab(published.name),
      ask: (as) => client.attempt(getPackage, { params: { ...place, package: published.name }, as }),
    },
    {
      name: 'a deletion',
      parts: [workspace.name, repository.name, published.name],
      heading: published.name,
      count: button('Delete 1.0.0'),
      ask: (as) =>
        client.attempt(deletePackageVersion, {
          params: { ...place, package: published.name, version: '0.0.0' },
          as,
        }),
    },
  ];
};

/** Whether the service refuses somebody: what is not there may be shown to some as absent, too. */
const refuses = ({ status, code }: Answer): boolean =>
  status === 403 || ['WORKSPACE_NOT_FOUND', 'REPOSITORY_NOT_FOUND'].includes(code ?? '');

type Level = 'canView' | 'canDeploy' | 'canManage';

const levelOf = (level: Level) => async (): Promise<Actor> => {
  const actor = await service.world.member(workspace);
  await service.world.grant(workspace, repository, actor, level);
  return actor;
};

/** Everybody, and how many of the offers each has. */
const everybody: readonly (readonly [who: string, offered: number, actor: () => Promise<Actor>])[] = [
  ['a stranger to the workspace', 0, () => service.world.user()],
  ['a member without a level', 0, () => service.world.member(workspace)],
  ['a viewer', 1, levelOf('canView')],
  ['a deployer', 3, levelOf('canDeploy')],
  ['a manager of the repository', 4, levelOf('canManage')],
  ['an admin of the workspace', 11, () => service.world.member(workspace, 'admin')],
  ['a System Admin', 14, async () => admin],
];

it.each(everybody)(
  'offers %s what the service allows, and nothing else',
  async (_, offered, actor) => {
    const somebody = await actor();
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, somebody);
    let seen = 0;
    for (const { name, parts, heading, count, ask } of offers()) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${parts.map(encodeURIComponent).join('/')}`)}`);
      await page
        .getByText(heading)
        .first()
        .waitFor()
        .catch(() => undefined);
      await complete(page);
      const isOffered = (await count(page)) > 0;
      const answer = await ask(somebody.bearer);
      expect({ name, isOffered }).toEqual({ name, isOffered: !refuses(answer) });
      if (isOffered) seen += 1;
    }
    expect(seen).toBe(offered);
    await page.context().close();
  },
  120_000,
);

it('offers the same where an address has IDs in place of names', async () => {
  const ids = new Map([
    [workspace.name, workspace.id],
    [repository.name, repository.id],
  ]);
  for (const [actor, offered] of [
    [await levelOf('canManage')(), ['an upload', 'lines that publish', 'a package', 'a deletion']],
    [await service.world.member(workspace, 'admin'), ['repositories', 'records', 'a trust', 'members', 'a deletion']],
  ] as const) {
    const { page } = await openConsole(browser, service.runner.url);
    await signIn(page, actor);
    for (const { name, parts, heading, count } of offers().filter((each) => offered.some((one) => one === each.name))) {
      await show(
        page,
        parts.map((each) => ids.get(each) ?? each),
        ids.get(heading) ?? heading,
      );
      await complete(page);
      expect({ name, isOffered: (await count(page)) > 0 }).toEqual({ name, isOffered: true });
    }
    await page.context().close();
  }
}, 60_000);

it('offers no lines that publish and no deletion in a virtual repository that nothing can be published to', async () => {
  const virtual = await createVirtual(service, workspace, [repository]);
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  await show(page, [workspace.name, virtual.name, published.name], published.name);
  await complete(page);
  expect(await page.getByLabel('npm · Install', { exact: true }).count()).toBe(1);
  expect(await page.getByLabel('npm · Publish', { exact: true }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Delete 1.0.0' }).count()).toBe(0);
  const params = { workspace: workspace.id, repository: virtual.id, package: published.name, version: '1.0.0' };
  const { status } = await service.client.attempt(deletePackageVersion, { params, as: admin.bearer });
  expect(status).toBeGreaterThanOrEqual(400);
  await page.context().close();
}, 60_000);
