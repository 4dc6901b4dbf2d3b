import fc from 'fast-check';
import { useService } from '../harness/service.ts';
import { insertUsers } from '../harness/stored-items.ts';
import { beginning, repositories, sequences, users, workspaces } from './actions.ts';
import { type Action, RightsModel } from './model.ts';
import { SystemUnderTest } from './system-under-test.ts';

const service = useService();

/** `npm run test:model` runs 10,000, and looks at everybody after each step. */
const { MODEL_SEQUENCES } = process.env;
const sequenceCount = Number(MODEL_SEQUENCES ?? 16);
/** Sequences side by side: one alone leaves the service waiting. */
const parallel = 4;

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

/** What users may see and do in one workspace, as the model says. */
const expectedIn = (
  workspace: number,
  watched: readonly number[],
  model: RightsModel,
  { users: people, repositoryNames }: SystemUnderTest,
) =>
  watched.map((user) => {
    const visible = model.repositoriesFor(workspace, user);
    return {
      repositories:
        typeof visible === 'string' ? visible : visible.map((each) => String(repositoryNames[each])).toSorted(byText),
      levels: repositories.map((repository) => {
        const levels = model.levelsFor(workspace, repository, user);
        if (typeof levels === 'string') return levels;
        return [...levels].map(([holder, level]) => `${people[holder]?.username} ${level}`).toSorted(byText);
      }),
    };
  });

/** The same, as the service says. */
const observedIn = (workspace: number, watched: readonly number[], system: SystemUnderTest) =>
  Promise.all(
    watched.map(async (user) => {
      const [visible, levels] = await Promise.all([
        system.repositoriesFor(workspace, user),
        Promise.all(repositories.map((repository) => system.levelsFor(workspace, repository, user))),
      ]);
      return { repositories: visible, levels };
    }),
  );

const expectSameWorkspaces = async (
  watched: readonly number[],
  model: RightsModel,
  system: SystemUnderTest,
): Promise<void> => {
  const expected = watched.map((user) =>
    workspaces.flatMap((workspace) => {
      const role = model.roleOf(workspace, user);
      return role ? [`${system.workspaceNames[workspace]} ${role}`] : [];
    }),
  );
  expect(await Promise.all(watched.map((user) => system.workspacesFor(user)))).toEqual(expected);
};

const expectSameIn = async (
  workspace: number,
  watched: readonly number[],
  model: RightsModel,
  system: SystemUnderTest,
): Promise<void> =>
  expect(await observedIn(workspace, watched, system)).toEqual(expectedIn(workspace, watched, model, system));

/**
 * Whom a step concerns: the user that it names, otherwise everybody, of whom `npm test` asks one in turn. The end of a sequence
 * looks at all of them.
 */
const concerned = (action: Action, at: number): readonly number[] => {
  if ('user' in action) return [action.user];
  return MODEL_SEQUENCES === undefined ? users.filter((user) => user === at % users.length) : users;
};

/** What is gone stays gone under its ID, whoever asks. */
const expectBuried = async (system: SystemUnderTest): Promise<void> => {
  const asked = system.buried.flatMap((buried) =>
    (['root', ...users] as const).map((by) => system.askForBuried(buried, by)),
  );
  for (const answer of await Promise.all(asked)) expect(answer).toMatch(/^404 /);
};

const step = async (action: Action, model: RightsModel, system: SystemUnderTest): Promise<void> => {
  const expected = model.apply(action);
  expect([action, await system.apply(action)]).toEqual([action, expected]);
};

const runSequence = async (actions: readonly Action[]): Promise<void> => {
  const { bearer } = await service.world.systemAdmin();
  const model = new RightsModel();
  const system = new SystemUnderTest(service.client, bearer, await insertUsers(users.length));
  for (const action of beginning) await step(action, model, system);
  for (const [at, action] of actions.entries()) {
    await step(action, model, system);
    const watched = concerned(action, at);
    await Promise.all([
      expectSameWorkspaces(watched, model, system),
      expectSameIn(action.workspace, watched, model, system),
    ]);
  }
  await expectSameWorkspaces(users, model, system);
  for (const workspace of workspaces) await expectSameIn(workspace, users, model, system);
  await expectBuried(system);
};

describe('Who may see and do what', () => {
  it.concurrent.each(Array.from({ length: parallel }, (_, lane) => lane))(
    'is what the contract says after each step of any sequence (%i)',
    async () => {
      const numRuns = Math.ceil(sequenceCount / parallel);
      await fc.assert(fc.asyncProperty(sequences, runSequence), { numRuns });
    },
    12 * 60 * 60 * 1000,
  );
});
