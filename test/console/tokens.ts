import type { Browser } from 'playwright-core';
import { removeWorkspaceMember } from '../../functions/members/contracts.ts';
import { createPersonalAccessToken } from '../../functions/tokens/contracts.ts';
import { useService } from '../harness/service.ts';
import { openConsole, show, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: what a token may do is said as it is. Needs Chromium. */
const service = useService();
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
}, 120_000);
afterAll(() => browser?.close());

it('names the workspaces and the repositories to which a token is limited, as far as its user may know them', async () => {
  const [part, whole] = [await service.world.workspace(), await service.world.workspace()];
  const [first, second, unseen] = [
    await service.world.repository(part),
    await service.world.repository(part),
    await service.world.repository(part),
  ];
  const member = await service.world.member(part);
  for (const each of [first, second]) await service.world.grant(part, each, member, 'canView');
  const admin = await service.world.systemAdmin();
  const limits = {
    workspaces: [
      { workspaceReference: part.name, repositoryReferences: [first.name, second.name] },
      { workspaceReference: whole.name },
    ],
    readOnly: true,
  };
  const make = (as: string, workspaces: typeof limits.workspaces) =>
    service.client.succeed(createPersonalAccessToken, {
      body: { name: 'limited', limits: { ...limits, workspaces } },
      as,
    });
  const { page } = await openConsole(browser, service.runner.url);
  await signIn(page, admin);
  const { id } = await make(admin.bearer, limits.workspaces);
  await show(page, [':account', ':tokens', id], 'limited');
  const text = (await page.getByText('reads only, only in').textContent()) ?? '';
  for (const named of [`${part.name} (`, first.name, second.name, whole.name]) expect(text).toContain(named);
  for (const hidden of [part.id, first.id, unseen.name]) expect(text).not.toContain(hidden);
  await page.context().close();

  // Who may no longer know the names is shown the IDs.
  const own = await make(member.bearer, limits.workspaces.slice(0, 1));
  await service.client.succeed(removeWorkspaceMember, {
    params: { workspace: part.id, user: member.userId },
    as: admin.bearer,
  });
  const other = await openConsole(browser, service.runner.url);
  await signIn(other.page, member);
  await show(other.page, [':account', ':tokens', own.id], 'limited');
  const left = (await other.page.getByText('reads only, only in').textContent()) ?? '';
  for (const shown of [`${part.id} (`, first.id, second.id]) expect(left).toContain(shown);
  await other.page.context().close();
}, 60_000);
