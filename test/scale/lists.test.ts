import { endpoints } from '../../functions/endpoints.ts';
import { listRepositoryMembers, listWorkspaceMembers } from '../../functions/members/contracts.ts';
import { deleteRepository, listRepositories } from '../../functions/repositories/contracts.ts';
import { updateUser } from '../../functions/users/contracts.ts';
import { type Contract, isPaged } from '../../shared/http/contract.ts';
import { type Answer, pathOf } from '../harness/client.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { cursorOf, nextQuery, type Query, rowsOf, walkPages } from '../harness/pages.ts';
import { sampleOf, shareOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { insertGrants } from '../harness/stored-grants.ts';
import { insertMembers, insertRepositories } from '../harness/stored-items.ts';
import type { Actor, Named } from '../harness/world.ts';

const service = useService();
const repositoryCount = 2_500;
const memberCount = 1_000;
const repositoryNames = Array.from({ length: repositoryCount }, (_, index) => `r-${String(index).padStart(4, '0')}`);
let root: Actor;
let crowded: Named;
let viewer: Actor;
let viewed: readonly string[];
let usernames: string[];
let idOf: (repositoryName: string) => string;

beforeAll(async () => {
  root = await service.world.systemAdmin();
  crowded = await service.world.workspace();
  const ids = await insertRepositories(crowded.id, repositoryNames.toReversed());
  idOf = (name) => ids[repositoryCount - 1 - Number(name.slice(2))] ?? '';
  viewer = await service.world.member(crowded);
  viewed = repositoryNames.filter((_, index) => index % 100 === 0);
  for (const name of viewed) await service.world.grant(crowded, { id: idOf(name), name }, viewer, 'canView');
  const others = Array.from({ length: memberCount - 1 }, (_, index) => `m${index}`);
  await insertMembers(crowded.id, others);
  usernames = [viewer.username, ...others].toSorted();
}, 120_000);

const lists = endpoints.filter(isPaged);
const paramsIn = ({ id }: Named) => ({ workspace: id, repository: 'r-0000', package: 'p', user: root.userId });

type Ask = (query: Query) => Promise<Answer>;

const asking =
  (contract: Contract, workspace = crowded, { bearer } = root): Ask =>
  (query) =>
    service.client.attempt(contract, { params: paramsIn(workspace), query, as: bearer });

const named = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

describe('A list', () => {
  it.each(shareOf([1_000, 999, 250], 3))(
    'of 2,500 repositories is walked in pages of %i with each one loaded once',
    async (limit) => {
      const pages = await walkPages<Named>(asking(listRepositories), { limit });
      expect(pages.map((page) => page.length)).toEqual(
        Array.from({ length: Math.ceil(repositoryCount / limit) }, (_, page) =>
          Math.min(limit, repositoryCount - page * limit),
        ),
      );
      expect(named(pages.flat())).toEqual(repositoryNames);
    },
  );

  it.each(shareOf([1_000, 333, 100], 3))(
    'of 1,000 members is walked in pages of %i with each one loaded once',
    async (limit) => {
      const pages = await walkPages<{ username: string }>(asking(listWorkspaceMembers), { limit });
      expect(pages).toHaveLength(Math.ceil(memberCount / limit));
      expect(pages.flat().map(({ username }) => username)).toEqual(usernames);
    },
  );

  itAnswers('200 with all 2,500 repositories and no Link, when no limit is sent', async () => {
    const answer = await asking(listRepositories)({});
    expect(named(rowsOf(answer))).toEqual(repositoryNames);
    expect(answer.headers.link).toBeUndefined();
    return answer;
  });

  it('of what a member may see is walked in pages with each one loaded once', async () => {
    for (const limit of [1, 7, viewed.length]) {
      const pages = await walkPages<Named>(asking(listRepositories, crowded, viewer), { limit });
      expect(pages).toHaveLength(Math.ceil(viewed.length / limit));
      expect(named(pages.flat())).toEqual(viewed);
    }
  });

  it('of who holds a permission goes through 1,000 members in short pages, each in few calls of the table', async () => {
    service.proxy.forget();
    const pages = await walkPages<{ username: string }>(asking(listRepositoryMembers), { limit: 100 });
    expect(pages.flat().map(({ username }) => username)).toEqual([viewer.username]);
    expect(pages).toHaveLength(10);
    expect(service.proxy.callsOf('members/list-repository-members').length).toBeLessThan(10 * 6);
    const whole = await asking(listRepositoryMembers)({});
    expect(rowsOf(whole)).toEqual(pages.flat());
  });

  it('of what a member may see goes through all names in short pages, when the member has more grants than a page', async () => {
    const reader = await service.world.member(crowded);
    const seen = repositoryNames.filter((_, index) => index % 90 === 45);
    const grantOn = (name: string) => ({ repositoryId: idOf(name), level: 'canView' }) as const;
    await insertGrants(crowded.id, reader.userId, seen.map(grantOn));
    expect(seen.length).toBeGreaterThan(25);
    for (const limit of sampleOf([1, 7, 25, 26, 100], today, 2)) {
      const pages = await walkPages<Named>(asking(listRepositories, crowded, reader), { limit });
      expect(named(pages.flat())).toEqual(seen);
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
    }
    expect(named(rowsOf(await asking(listRepositories, crowded, reader)({})))).toEqual(seen);
  });

  it('keeps its filters and its limit in the Link, which is relative to the path that was asked', async () => {
    const answer = await asking(listRepositories)({ packageType: 'npm', repositoryType: 'local', limit: 3 });
    expect(nextQuery(answer)).toEqual({
      packageType: 'npm',
      repositoryType: 'local',
      limit: '3',
      cursor: expect.any(String),
    });
    const next = await asking(listRepositories)(nextQuery(answer) ?? {});
    expect(named(rowsOf(next))).toEqual(repositoryNames.slice(3, 6));
  });

  it('goes on whole from a cursor without a limit, and ends with an empty page where nothing follows', async () => {
    const cursor = cursorOf(await asking(listRepositories)({ limit: 1 }));
    const rest = await asking(listRepositories)({ cursor });
    expect(named(rowsOf(rest))).toEqual(repositoryNames.slice(1));
    expect(rest.headers.link).toBeUndefined();
    expect((await asking(listRepositories)({ packageType: 'rpm', limit: 5 })).text).toBe('[]');
  });

  it('shows in pages, while entries come and go, each that stays exactly once and none that went before', async () => {
    const workspace = await service.world.workspace();
    const count = 15;
    const staying = Array.from({ length: count }, (_, index) => `s-${String(index).padStart(2, '0')}`);
    const going = staying.map((name) => `${name}-going`);
    await insertRepositories(workspace.id, [...staying, ...going]);
    for (const limit of sampleOf([1, 6, 20], today)) {
      const loaded: string[] = [];
      const gone = new Set<string>();
      for (let query: Query | undefined = { limit }, step = 0; query; step += 1) {
        const answer: Answer = await asking(listRepositories, workspace)(query);
        const names = named(rowsOf(answer));
        expect(names.filter((name) => gone.has(name))).toEqual([]);
        loaded.push(...names);
        query = nextQuery(answer);
        // The last one of the page goes too, on which the cursor stands.
        const victims = [names.at(-1), going[(step * 7) % count]].filter(
          (name) => name?.endsWith('going') && !gone.has(name),
        );
        for (const victim of new Set(victims)) {
          const params = { workspace: workspace.id, repository: String(victim) };
          await service.client.succeed(deleteRepository, { params, as: root.bearer });
          gone.add(String(victim));
        }
        const added = `s-${String((step * 11) % count).padStart(2, '0')}-${limit}-${step}`;
        await insertRepositories(workspace.id, [added]);
      }
      expect(loaded.filter((name) => staying.includes(name))).toEqual(staying);
      expect(loaded).toEqual([...new Set(loaded)].toSorted());
      await insertRepositories(workspace.id, [...gone]);
    }
  });

  describe('is refused', () => {
    itAnswers('400 REQUEST_INVALID for the cursor of another list, workspace, filter or caller', async () => {
      const other = await service.world.workspace();
      await insertRepositories(other.id, ['r-0001', 'r-0002']);
      const admin = await service.world.member(crowded, 'admin');
      const cursor = cursorOf(await asking(listRepositories)({ limit: 1 }));
      const filtered = cursorOf(await asking(listRepositories)({ limit: 1, packageType: 'npm' }));
      const ofMembers = cursorOf(await asking(listWorkspaceMembers)({ limit: 1 }));
      expect((await asking(listRepositories)({ cursor, limit: 1 })).status).toBe(200);
      return Promise.all([
        asking(listRepositories, other)({ cursor }),
        asking(listRepositories, crowded, admin)({ cursor }),
        asking(listRepositories, crowded, viewer)({ cursor }),
        asking(listRepositories)({ cursor, packageType: 'npm' }),
        asking(listRepositories)({ cursor: filtered }),
        asking(listRepositories)({ cursor: filtered, packageType: 'maven' }),
        asking(listRepositories)({ cursor: filtered, repositoryType: 'local' }),
        asking(listRepositories)({ cursor: ofMembers }),
        ...lists.filter(({ id }) => id !== listRepositories.id).map((contract) => asking(contract)({ cursor })),
      ]);
    });

    itAnswers('400 REQUEST_INVALID for what is no cursor', async () => {
      const cursor = cursorOf(await asking(listRepositories)({ limit: 1 }));
      const broken = [
        '',
        'x',
        cursor.slice(1),
        cursor.slice(0, 16),
        `${cursor}=`,
        `${cursor} `,
        cursor.toLowerCase(),
        'x'.repeat(1001),
      ];
      return Promise.all(broken.map((text) => asking(listRepositories)({ cursor: text })));
    });

    itAnswers('400 REQUEST_INVALID for a cursor of which a bit is another, and it shows no position', async () => {
      const cursor = Buffer.from(cursorOf(await asking(listRepositories)({ limit: 1 })), 'base64url');
      const length = 'r-0000'.length;
      // The position may be the name of a repository that the caller may not see.
      expect(cursor.toString('latin1')).not.toContain('r-');
      const changed = Array.from(cursor.keys(), (at) => cursor.with(at, (cursor[at] ?? 0) ^ 1));
      const positions = ['r-0001', 'r-000', '', '\u{10ffff}', '#', 'x'.repeat(700)].map((position) =>
        Buffer.concat([cursor.subarray(0, -length), Buffer.from(position)]),
      );
      return Promise.all(
        [...changed, ...positions].map((bytes) =>
          asking(listRepositories)({ cursor: Buffer.from(bytes).toString('base64url') }),
        ),
      );
    });

    itAnswers('400 REQUEST_INVALID for a cursor from before a change of the password', async () => {
      const admin = await service.world.member(crowded, 'admin');
      const cursor = cursorOf(await asking(listRepositories, crowded, admin)({ limit: 1 }));
      expect((await asking(listRepositories, crowded, admin)({ cursor, limit: 1 })).status).toBe(200);
      const body = { password: 'another password' };
      await service.client.succeed(updateUser, { params: { user: admin.userId }, body, as: root.bearer });
      return asking(listRepositories, crowded, admin)({ cursor, limit: 1 });
    });

    itAnswers('400 REQUEST_INVALID for each limit that breaks the rule, of every list', async () =>
      Promise.all(
        lists.flatMap((contract) =>
          [0, 1001, -1, 'x', '', ' 1', '1.0', '1e2', '+1', '0x10', '٣', '99999999999'].map((limit) =>
            asking(contract)({ limit }),
          ),
        ),
      ),
    );

    itAnswers('400 REQUEST_INVALID for a parameter that is repeated or not known, of every list', async () => {
      const queries = [
        'limit=1&limit=1',
        'limit=1&limit=2',
        'cursor=a&cursor=a',
        'page=1',
        'Limit=1',
        'offset=5',
        'limit[]=1',
      ];
      const requests = lists.flatMap((contract) => queries.map((query) => ({ contract, query })));
      const answers = await Promise.all(
        requests.map(({ contract, query }) => {
          const path = pathOf(contract, paramsIn(crowded));
          const headers = [['Authorization', root.bearer]] as const;
          return service.client.sendTo(contract, { path: `${path}?${query}`, headers });
        }),
      );
      for (const { problem } of answers) expect(problem?.detail).toMatch(/query parameter/);
      return answers;
    });
  });

  describe('beyond what one answer holds', () => {
    let large: Named;
    const largeNames = Array.from({ length: 700 }, (_, index) => `l-${String(index).padStart(3, '0')}`);

    beforeAll(async () => {
      large = await service.world.workspace();
      await insertRepositories(large.id, largeNames, { areLarge: true });
    }, 60_000);

    itAnswers('400 LIST_TOO_LONG without a limit, with what to do instead', async () => {
      const answer = await asking(listRepositories, large)({});
      expect(answer.problem?.detail).toMatch(/\?limit=1000.*Link/);
      return answer;
    });

    it('is walked in pages that are cut to what fits, with each entry loaded once', async () => {
      for (const limit of [1_000, 650]) {
        const pages = await walkPages<Named>(asking(listRepositories, large), { limit });
        expect(pages.length).toBeGreaterThan(1);
        expect(named(pages.flat())).toEqual(largeNames);
      }
    });
  });
});
