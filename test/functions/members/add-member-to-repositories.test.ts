import { randomUUID } from 'node:crypto';
import { addMemberToRepositories, listRepositoryMembers } from '../../../functions/members/contracts.ts';
import { deleteRepository, listRepositories } from '../../../functions/repositories/contracts.ts';
import { type PermissionLevel, permissionLevels } from '../../../shared/access.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { insertGrants } from '../../harness/stored-grants.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';

const service = useService();

let workspace: Named;
let repositories: readonly Named[];
beforeAll(async () => {
  workspace = await service.world.workspace();
  repositories = await service.world.repositories(workspace, 101);
});

interface Item {
  readonly repositoryReference: string;
  readonly repositoryPermissionLevel: PermissionLevel;
}

const item = (repositoryReference: string, index = 0): Item => ({
  repositoryReference,
  repositoryPermissionLevel: permissionLevels[index % 3] ?? 'canView',
});

const items = (count: number): Item[] => repositories.slice(0, count).map(({ id }, index) => item(id, index));

const admin = async (): Promise<string> => (await service.world.systemAdmin()).bearer;

const batch = async (userId: unknown, asked: unknown) =>
  service.client.attempt(addMemberToRepositories, {
    params: { workspace: workspace.id },
    body: { userId, repositories: asked },
    as: await admin(),
  });

/** The names of the repositories that a member can see. */
const seenBy = async ({ bearer }: Actor): Promise<string[]> => {
  const params = { workspace: workspace.id };
  const { text } = await service.client.attempt(listRepositories, { params, as: bearer });
  return (JSON.parse(text) as Named[]).map(({ name }) => name);
};

const levelOn = async ({ userId }: Actor, repository: string): Promise<string | undefined> => {
  const params = { workspace: workspace.id, repository };
  const { result = [] } = await service.client.attempt(listRepositoryMembers, { params, as: await admin() });
  return result.find((listed) => listed.userId === userId)?.repositoryPermissionLevel;
};

/** Expects that a batch is refused with these sentences, and that it granted nothing. */
const refused = async (member: Actor, asked: unknown, sentences: unknown) => {
  const before = await seenBy(member);
  const answer = await batch(member.userId, asked);
  expect(answer.problem?.errors ?? answer.text).toEqual(sentences);
  expect(await seenBy(member)).toEqual(before);
  return answer;
};

describe('POST /1/workspaces/{workspace}/repositories/members/batch', () => {
  for (const count of [1, 99, 100])
    itAnswers(`200 for ${count} repositories of mixed levels, told in the order of the request`, async () => {
      const member = await service.world.member(workspace);
      const asked = items(count).toReversed();
      const answer = await batch(member.userId, asked);
      expect(answer.result).toEqual({
        userId: member.userId,
        repositories: asked.map(({ repositoryReference, repositoryPermissionLevel }) => ({
          repositoryId: repositoryReference,
          repositoryName: repositories.find(({ id }) => id === repositoryReference)?.name,
          repositoryPermissionLevel,
        })),
      });
      const names = repositories.slice(0, count).map(({ name }) => name);
      expect(await seenBy(member)).toEqual(names.toSorted());
      for (const { repositoryReference, repositoryPermissionLevel } of asked.slice(0, 3))
        expect(await levelOn(member, repositoryReference)).toBe(repositoryPermissionLevel);
      return answer;
    });

  itAnswers('400 REQUEST_INVALID for 0 and 101 repositories', async () => {
    const member = await service.world.member(workspace);
    const sentence = 'repositories must be an array of 1 to 100 items.';
    const sentences = expect.arrayContaining([expect.stringContaining(sentence.slice(0, 38))]);
    return [await refused(member, [], sentences), await refused(member, items(101), sentences)];
  });

  itAnswers('200 by ID, by name and by ID in upper case, and a level is replaced', async () => {
    const member = await service.world.member(workspace);
    const [one, two, three] = repositories as readonly [Named, Named, Named];
    await service.world.grant(workspace, one, member, 'canManage');
    const answer = await batch(member.userId.toUpperCase(), [
      item(one.name, 0),
      item(two.id.toUpperCase(), 1),
      item(three.id, 2),
    ]);
    expect(answer.result).toEqual({
      userId: member.userId,
      repositories: [one, two, three].map(({ id, name }, index) => ({
        repositoryId: id,
        repositoryName: name,
        repositoryPermissionLevel: permissionLevels[index],
      })),
    });
    expect(await levelOn(member, one.id)).toBe('canView');
    return answer;
  });

  itAnswers('200 leaves the levels on other repositories alone', async () => {
    const member = await service.world.member(workspace);
    const [one, two] = repositories as readonly [Named, Named];
    await service.world.grant(workspace, one, member, 'canManage');
    const answer = await batch(member.userId, [item(two.id)]);
    expect(await levelOn(member, one.id)).toBe('canManage');
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for one repository twice, by whatever references', async () => {
    const member = await service.world.member(workspace);
    const [one, two] = repositories as readonly [Named, Named];
    const pairs = [
      [one.id, one.id],
      [one.name, one.name],
      [one.id, one.name],
      [one.name, one.id],
      [one.id, one.id.toUpperCase()],
      [one.id.toUpperCase(), one.name],
    ];
    const answers = [];
    for (const [first = '', second = ''] of pairs) {
      const asked = [item(first), item(two.id, 1), item(second, 2)];
      answers.push(
        await refused(member, asked, [
          `repositories[2].repositoryReference '${second}' and repositories[0].repositoryReference '${first}' are the same repository; list it once.`,
        ]),
      );
    }
    const ghost = uniqueName();
    answers.push(
      await refused(
        member,
        [item(ghost), item(ghost, 1)],
        [
          `repositories[0].repositoryReference '${ghost}' is not a repository of this workspace.`,
          `repositories[1].repositoryReference '${ghost}' and repositories[0].repositoryReference '${ghost}' are the same repository; list it once.`,
        ],
      ),
    );
    return answers;
  });

  itAnswers('400 REQUEST_INVALID naming every unknown reference among 100, and nothing changes', async () => {
    const member = await service.world.member(workspace);
    const unknown = '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11';
    const answers = [
      await refused(member, items(100).with(57, item(unknown)), [
        `repositories[57].repositoryReference '${unknown}' is not a repository of this workspace.`,
      ]),
    ];
    const odd = [unknown, uniqueName(), '', 'A B', 'x'.repeat(100), '#', 'é'];
    const asked = [...odd.map((reference) => item(reference)), ...items(93)];
    answers.push(
      await refused(
        member,
        asked,
        odd.map(
          (each, index) =>
            `repositories[${index}].repositoryReference '${each}' is not a repository of this workspace.`,
        ),
      ),
    );
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for a repository of another workspace, by ID and by name', async () => {
    const member = await service.world.member(workspace);
    const foreign = await service.world.repository(await service.world.workspace());
    const answers = [];
    for (const reference of [foreign.id, foreign.name])
      answers.push(
        await refused(
          member,
          [...items(3), item(reference)],
          [`repositories[3].repositoryReference '${reference}' is not a repository of this workspace.`],
        ),
      );
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for a repository that was deleted since its name was last used', async () => {
    const member = await service.world.member(workspace);
    const gone = await service.world.repository(workspace);
    expect((await batch(member.userId, [item(gone.name)])).status).toBe(200);
    const params = { workspace: workspace.id, repository: gone.id };
    await service.client.succeed(deleteRepository, { params, as: await admin() });
    const answers = [];
    for (const reference of [gone.name, gone.id])
      answers.push(
        await refused(
          member,
          [item(reference)],
          [`repositories[0].repositoryReference '${reference}' is not a repository of this workspace.`],
        ),
      );
    // The name stands for another repository now.
    const again = await service.world.repository(workspace, gone.name);
    expect((await batch(member.userId, [item(gone.name)])).result?.repositories[0]?.repositoryId).toBe(again.id);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for a user id that is no UUID', async () => {
    const ids = [
      'x',
      '',
      'admin',
      '0b6f4f6e3c1b4d9e9a550f6c8f3b2a11',
      '{0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11}',
      null,
      1,
    ];
    const answers = await Promise.all(ids.map((id) => batch(id, items(1))));
    for (const { problem } of answers) expect(problem?.errors).toEqual(['userId must be the ID of a user: a UUID.']);
    return answers;
  });

  itAnswers('404 USER_NOT_FOUND for an unknown user', async () =>
    batch('0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11', items(1)),
  );

  itAnswers('400 REQUEST_INVALID for a user outside the workspace and for one of its admins', async () => {
    const [outsider, adminHere] = await Promise.all([service.world.user(), service.world.member(workspace, 'admin')]);
    const answers = [await batch(outsider.userId, items(2)), await batch(adminHere.userId, items(2))];
    expect(answers.map(({ problem }) => problem?.errors)).toEqual([
      ['userId must be a member of the workspace: add the user to the workspace first.'],
      ['userId must not be an admin of the workspace: admins have every permission already.'],
    ]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for a member who would have more than 7,500 permissions', async () => {
    const member = await service.world.member(workspace);
    const [held, ...others] = items(4) as [Item, ...Item[]];
    const elsewhere = Array.from({ length: 7_498 }, () => ({ repositoryId: randomUUID(), level: 'canView' as const }));
    const own = { repositoryId: held.repositoryReference, level: 'canView' as const };
    await insertGrants(workspace.id, member.userId, [own, ...elsewhere]);
    const sentence =
      'userId cannot hold permissions on more than 7500 repositories of a workspace: remove some of them, or make the user an admin of the workspace. Permissions on deleted repositories count for about an hour.';
    const answers = [await refused(member, others.slice(0, 2), [sentence])];
    // One more is the last one; a level that is held can change.
    expect((await batch(member.userId, [held, ...others.slice(0, 1)])).status).toBe(200);
    answers.push(await refused(member, [held, ...others.slice(0, 2)], [sentence]));
    expect((await batch(member.userId, [held, ...others.slice(0, 1)])).status).toBe(200);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID with every violation of user and repositories at once', async () => {
    const outsider = await service.world.user();
    const [one] = items(1) as [Item];
    const answer = await batch(outsider.userId, [one, item('nope'), one]);
    expect(answer.problem?.violations.map(({ pointer }) => pointer)).toEqual([
      '/userId',
      '/repositories/1/repositoryReference',
      '/repositories/2/repositoryReference',
    ]);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for items that break the rules', async () => {
    const { userId } = await service.world.member(workspace);
    const [one] = items(1) as [Item];
    const asked = [
      null,
      {},
      'x',
      [null],
      [one.repositoryReference],
      [{ repositoryReference: one.repositoryReference }],
      [{ repositoryPermissionLevel: 'canView' }],
      [{ ...one, repositoryPermissionLevel: 'canEverything' }],
      [{ ...one, repositoryReference: 1 }],
      [{ ...one, repositoryReference: 'x'.repeat(101) }],
      [{ ...one, extra: true }],
    ];
    const answers = await Promise.all(asked.map((each) => batch(userId, each)));
    expect(answers[5]?.problem?.errors).toEqual([
      'repositories[0].repositoryPermissionLevel is required: it must be one of canView, canDeploy or canManage.',
    ]);
    return answers;
  });
});
