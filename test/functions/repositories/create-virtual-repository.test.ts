import {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  getRepository,
  listRepositories,
} from '../../../functions/repositories/contracts.ts';
import { getWorkspace } from '../../../functions/workspaces/contracts.ts';
import type { PackageType } from '../../../shared/package-types.ts';
import { listedPackageTypes } from '../../facts/package-types.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();

let workspace: Named;
let local: Named;
let other: Named;
let remote: Named;
beforeAll(async () => {
  workspace = await service.world.workspace();
  [local, other, remote] = await Promise.all([
    service.world.repository(workspace),
    service.world.repository(workspace),
    service.world.remoteRepository(workspace),
  ]);
});

const admin = async (): Promise<string> => (await service.world.systemAdmin()).bearer;

const create = async (fields: Record<string, unknown>, reference = workspace.id) => {
  const body = { name: uniqueName(), packageType: 'npm', ...fields };
  return service.client.attempt(createVirtualRepository, {
    params: { workspace: reference },
    body,
    as: await admin(),
  });
};

const repositoryCount = async ({ id }: Named): Promise<number> => {
  const params = { workspace: id };
  return (await service.client.succeed(getWorkspace, { params, as: await admin() })).repositoryCount;
};

const localOf = async (packageType: PackageType): Promise<Named> =>
  service.client.succeed(createLocalRepository, {
    params: { workspace: workspace.id },
    body: { name: uniqueName(), packageType },
    as: await admin(),
  });

const violations = ({ problem }: { problem: { violations: readonly unknown[] } | undefined }) => problem?.violations;

describe('POST /1/workspaces/{workspace}/repositories/virtual', () => {
  itAnswers('201 with the full record, which reads return as well', async () => {
    const name = uniqueName();
    const childRepositoryIds = [remote.id, local.id, other.id];
    const answer = await create({ name, childRepositoryIds, uploadLocalRepositoryId: other.id });
    const { userId } = await service.world.systemAdmin();
    const named = [remote, local, other].map((child) => ({ id: child.id, name: child.name }));
    expect(answer.result).toEqual({
      id: expect.any(String),
      name,
      packageType: 'npm',
      repositoryType: 'virtual',
      status: 'active',
      workspaceId: workspace.id,
      createdAt: expect.any(String),
      createdBy: userId,
      childRepositoryIds,
      childRepositories: named,
      uploadLocalRepositoryId: other.id,
      uploadTargetLocalRepository: named[2],
    });
    const params = { workspace: workspace.name, repository: name };
    expect(await service.client.succeed(getRepository, { params, as: await admin() })).toEqual(answer.result);
    return answer;
  });

  itAnswers('201 without an upload target', async () => {
    const answer = await create({ childRepositoryIds: [local.id] });
    expect(answer.result).toMatchObject({ uploadLocalRepositoryId: null, uploadTargetLocalRepository: null });
    return answer;
  });

  itAnswers('201 with local, remote and virtual children, IDs in either case, told in lower case', async () => {
    const inner = await create({ childRepositoryIds: [local.id] });
    const ids = [inner.result?.id ?? '', remote.id, local.id];
    const upper = ids.map((id) => id.toUpperCase());
    const answer = await create({ childRepositoryIds: upper, uploadLocalRepositoryId: local.id });
    expect(answer.result).toMatchObject({ childRepositoryIds: ids, uploadLocalRepositoryId: local.id });
    return [answer, await create({ childRepositoryIds: ids, uploadLocalRepositoryId: upper[2] })];
  });

  itAnswers('201 with 90 children, in their order in every answer; 91 are refused', async () => {
    const home = await service.world.workspace();
    const children = await service.world.repositories(home, 91);
    const ids = children.map(({ id }) => id).toSorted(() => Math.random() - 0.5);
    const tooMany = await create({ childRepositoryIds: ids }, home.id);
    expect(violations(tooMany)).toEqual([
      {
        pointer: '/childRepositoryIds',
        rule: 'maxItems',
        message: 'childRepositoryIds must be an array of 1 to 90 IDs of repositories of this workspace.',
      },
    ]);
    expect(await repositoryCount(home)).toBe(91);
    const answer = await create({ childRepositoryIds: ids.slice(0, 90) }, home.id);
    const { id = '', name } = answer.result ?? {};
    const as = await admin();
    const read = await service.client.succeed(getRepository, { params: { workspace: home.id, repository: id }, as });
    const query = { repositoryType: 'virtual' } as const;
    const listed = await service.client.attempt(listRepositories, { params: { workspace: home.id }, query, as });
    for (const record of [answer.result, read, (JSON.parse(listed.text) as unknown[])[0]])
      expect(record).toMatchObject({
        name,
        childRepositoryIds: ids.slice(0, 90),
        childRepositories: ids.slice(0, 90).map((child) => expect.objectContaining({ id: child })),
      });
    return answer;
  });

  itAnswers('201 for each package type', async () =>
    Promise.all(
      listedPackageTypes.map(async (packageType) => {
        const child = await localOf(packageType);
        return create({ packageType, childRepositoryIds: [child.id] }, workspace.name);
      }),
    ),
  );

  itAnswers('201 for names of 1 and 30 characters, also those that are words of a path', async () =>
    Promise.all(
      ['v', 'w'.repeat(30), 'local', 'remote', 'virtual', 'members', 'batch'].map((name) =>
        create({ name, childRepositoryIds: [local.id] }),
      ),
    ),
  );

  itAnswers('400 REQUEST_INVALID for each name that breaks the rule', async () => {
    const names = ['', 'x'.repeat(31), 'A', 'a_b', 'a.b', 'a\n', 'а', 'ａ', 'é', null];
    const answers = await Promise.all(names.map((name) => create({ name, childRepositoryIds: [local.id] })));
    for (const { problem } of answers)
      expect(problem?.errors).toEqual(['name must be 1 to 30 lowercase letters, digits and hyphens.']);
    return answers;
  });

  itAnswers('409 REPOSITORY_NAME_TAKEN by a repository of any type', async () =>
    Promise.all([local, remote].map(({ name }) => create({ name, childRepositoryIds: [local.id] }))),
  );
});

describe('childRepositoryIds', () => {
  itAnswers('400 REQUEST_INVALID for what is no array of IDs', async () =>
    Promise.all(
      [[], null, local.id, {}, [1], [null], undefined, [[local.id]], ['x'.repeat(101)]].map((childRepositoryIds) =>
        create({ childRepositoryIds }),
      ),
    ),
  );

  itAnswers('400 REQUEST_INVALID naming each child that is unknown', async () => {
    const unknown = '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11';
    // A part of an ID is none.
    const ids = [local.id, unknown, uniqueName(), '', local.id.slice(0, -1), ` ${local.id}`, 'é', '#'];
    const answer = await create({ childRepositoryIds: ids });
    expect(violations(answer)).toEqual(
      ids.slice(1).map((id, index) => ({
        pointer: `/childRepositoryIds/${index + 1}`,
        rule: 'exists',
        message: `childRepositoryIds[${index + 1}] '${id}' is not a repository of this workspace.`,
      })),
    );
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for the name of a repository, with the ID to give instead', async () => {
    const answers = [];
    // By a name that the process does not know yet, and by one that it knows.
    for (const name of [other.name, other.name]) {
      const answer = await create({ childRepositoryIds: [local.id, name], uploadLocalRepositoryId: name });
      expect(violations(answer)).toEqual([
        {
          pointer: '/childRepositoryIds/1',
          rule: 'id',
          message: `childRepositoryIds[1] '${other.name}' is a name: give the ID of that repository, ${other.id}.`,
        },
      ]);
      answers.push(answer);
    }
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for a child of another workspace', async () => {
    const foreign = await service.world.repository(await service.world.workspace());
    const answer = await create({ childRepositoryIds: [foreign.id] });
    expect(answer.problem?.errors).toEqual([
      `childRepositoryIds[0] '${foreign.id}' is not a repository of this workspace.`,
    ]);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for a child of another package type', async () => {
    const maven = await localOf('maven');
    const answer = await create({ childRepositoryIds: [local.id, maven.id] });
    expect(violations(answer)).toEqual([
      {
        pointer: '/childRepositoryIds/1',
        rule: 'packageType',
        message: `childRepositoryIds[1] '${maven.name}' holds maven packages; a virtual npm repository combines npm repositories only.`,
      },
    ]);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for the same child twice, also in another letter case', async () => {
    const answers = await Promise.all(
      [local.id, local.id.toUpperCase()].map((again) => create({ childRepositoryIds: [other.id, local.id, again] })),
    );
    for (const answer of answers)
      expect(answer.problem?.errors).toEqual([
        'childRepositoryIds[2] and childRepositoryIds[1] are the same repository; list it once.',
      ]);
    return answers;
  });

  it('is refused whole: nothing is written', async () => {
    const before = await repositoryCount(workspace);
    service.proxy.forget();
    await create({ childRepositoryIds: [local.id, '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11'] });
    expect(service.proxy.writes).toEqual([]);
    expect(await repositoryCount(workspace)).toBe(before);
  });
});

describe('uploadLocalRepositoryId', () => {
  itAnswers('400 REQUEST_INVALID when childRepositoryIds does not list it', async () => {
    const answers = await Promise.all(
      [other.id, local.name, '', 'x'].map((upload) =>
        create({ childRepositoryIds: [local.id], uploadLocalRepositoryId: upload }),
      ),
    );
    for (const answer of answers)
      expect(violations(answer)).toEqual([
        {
          pointer: '/uploadLocalRepositoryId',
          rule: 'listed',
          message:
            'uploadLocalRepositoryId must be one of childRepositoryIds: add it there, or choose one that is listed.',
        },
      ]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID when it is a remote or a virtual repository', async () => {
    const inner = (await create({ childRepositoryIds: [local.id] })).result;
    const targets = [
      { ...remote, type: 'remote' },
      { id: inner?.id ?? '', name: inner?.name ?? '', type: 'virtual' },
    ];
    const answers = [];
    for (const { id, name, type } of targets) {
      const answer = await create({ childRepositoryIds: [local.id, id], uploadLocalRepositoryId: id });
      expect(answer.problem?.errors).toEqual([
        `uploadLocalRepositoryId '${name}' is a ${type} repository; only a local one can receive uploads.`,
      ]);
      answers.push(answer);
    }
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for what is no string', async () =>
    Promise.all(
      [1, [local.id]].map((upload) => create({ childRepositoryIds: [local.id], uploadLocalRepositoryId: upload })),
    ),
  );
});

describe('A remote child', () => {
  itAnswers('201 beside others of its package type', async () => {
    const body = {
      name: uniqueName(),
      packageType: 'pypi',
      remoteRepositoryUrl: 'https://pypi.org/',
      isRemoteCacheEnabled: false,
    } as const;
    const params = { workspace: workspace.id };
    const pypi = await service.client.succeed(createRemoteRepository, { params, body, as: await admin() });
    return create({ packageType: 'pypi', childRepositoryIds: [pypi.id] });
  });
});
