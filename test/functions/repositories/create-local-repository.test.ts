import { createLocalRepository, listRepositories } from '../../../functions/repositories/contracts.ts';
import { getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { packageTypes } from '../../../shared/package-types.ts';
import { statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.member(workspace, 'admin');
});

const create = async (body: unknown, reference = workspace.id, as = admin.bearer) =>
  service.client.attempt(createLocalRepository, { params: { workspace: reference }, body, as });

const named = (name = uniqueName()) => ({ name, packageType: 'npm' });

/** What a workspace counts and lists. */
const inventory = async ({ id }: Named): Promise<{ count: number; names: string[] }> => {
  const call = { params: { workspace: id }, as: (await service.world.systemAdmin()).bearer };
  const { repositoryCount } = await service.client.succeed(getWorkspace, call);
  const repositories = await service.client.succeed(listRepositories, call);
  return { count: repositoryCount, names: repositories.map(({ name }) => name) };
};

describe('POST /1/workspaces/{workspace}/repositories/local', () => {
  itAnswers('201 with the full record', async () => {
    const name = uniqueName();
    const answer = await create({ name, packageType: 'npm' });
    expect(answer.result).toEqual({
      id: expect.any(String),
      name,
      packageType: 'npm',
      repositoryType: 'local',
      status: 'active',
      workspaceId: workspace.id,
      createdAt: expect.any(String),
      createdBy: admin.userId,
    });
    return answer;
  });

  itAnswers('201 for each of the 15 package types', async () => {
    expect(packageTypes).toHaveLength(15);
    return Promise.all(packageTypes.map((packageType) => create({ name: uniqueName(), packageType })));
  });

  itAnswers('201 for each name that the rule allows, also those of path segments', async () => {
    const names = ['a', '0', '-', '--', 'local', 'remote', 'virtual', 'members', 'batch', 'x'.repeat(30)];
    return Promise.all(names.map((name) => create(named(name))));
  });

  itAnswers('201 with the workspace by name, by ID and by ID in upper case', async () => {
    const references = [workspace.name, workspace.id, workspace.id.toUpperCase()];
    const answers = await Promise.all(references.map((reference) => create(named(), reference)));
    for (const { result } of answers) expect(result?.workspaceId).toBe(workspace.id);
    return answers;
  });

  itAnswers('201 for a name that another workspace has', async () => {
    const name = uniqueName();
    await create(named(name));
    const other = await service.world.workspace();
    return create(named(name), other.id, (await service.world.systemAdmin()).bearer);
  });

  itAnswers('409 REPOSITORY_NAME_TAKEN when the name is taken in this workspace', async () => {
    const name = uniqueName();
    await create(named(name));
    const answer = await create({ name, packageType: 'maven' });
    expect(answer.problem?.detail).toBe(`A repository named '${name}' already exists in this workspace.`);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for each name that breaks the rule', async () => {
    const texts = ['', 'x'.repeat(31), 'A', 'a_b', 'a.b', 'a b', 'a/b', 'a\n', '\na', 'а', 'ａ', 'é', 'a\u0000'];
    const answers = await Promise.all([...texts, 1, null, [], {}].map((name) => create({ name, packageType: 'npm' })));
    const message = 'name must be 1 to 30 lowercase letters, digits and hyphens.';
    for (const { problem } of answers)
      expect(problem?.violations).toEqual([expect.objectContaining({ pointer: '/name', message })]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for each package type that there is not', async () => {
    const types = ['', 'NPM', 'npm ', 'generic', 'toString', 1, null, ['npm']];
    const answers = await Promise.all(types.map((packageType) => create({ name: uniqueName(), packageType })));
    const message = `packageType must be one of ${packageTypes.slice(0, -1).join(', ')} or ${packageTypes.at(-1)}.`;
    for (const { problem } of answers)
      expect(problem?.violations).toEqual([expect.objectContaining({ pointer: '/packageType', message })]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID naming each missing and each unknown field at once', async () => {
    const answer = await create({ repositoryType: 'local', 'a/b~c': 1 });
    expect(answer.problem?.violations.map(({ pointer, rule }) => `${pointer} ${rule}`).toSorted()).toEqual([
      '/a~1b~0c unknown',
      '/name required',
      '/packageType required',
      '/repositoryType unknown',
    ]);
    return answer;
  });

  itAnswers(
    '404 WORKSPACE_NOT_FOUND for a workspace that is not there, whatever the reference looks like',
    async () => {
      const { bearer } = await service.world.systemAdmin();
      const texts = ['nowhere', '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11', 'UPPER', 'a b', 'x'.repeat(200), 'é', '#', '%'];
      return Promise.all(texts.map((reference) => create(named(), reference, bearer)));
    },
  );

  itAnswers('404 WORKSPACE_NOT_FOUND in the same bytes for a workspace of others and for none', async () => {
    const { bearer } = await service.world.user();
    const references = [workspace.id, workspace.name, 'nowhere', '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11'];
    const answers = await Promise.all(references.map((reference) => create({ name: 'NOT VALID' }, reference, bearer)));
    const bodies = answers.map(({ text, problem }) => text.replaceAll(problem?.requestId ?? '', ''));
    expect([...new Set(bodies)]).toHaveLength(1);
    return answers;
  });

  itAnswers('403 FORBIDDEN for a member, before anything is said about the body', async () => {
    const { bearer } = await service.world.member(workspace);
    return create({ name: 'NOT VALID' }, workspace.id, bearer);
  });

  it('lets one of 64 concurrent creates of a name win and counts one repository', async () => {
    const contested = await service.world.workspace();
    const { bearer } = await service.world.systemAdmin();
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => create(named('contested'), contested.id, bearer)),
    );
    expect(statusCounts(answers)).toEqual({ '201': 1, '409 REPOSITORY_NAME_TAKEN': 63 });
    expect(await inventory(contested)).toEqual({ count: 1, names: ['contested'] });
  });

  it('costs two round trips once the workspace is known: one read, one transaction', async () => {
    await create(named(), workspace.name);
    service.proxy.forget();
    await create(named(), workspace.name);
    expect(service.proxy.calls.map((call) => call.operation)).toEqual(['BatchGetItem', 'TransactWriteItems']);
  });
});
