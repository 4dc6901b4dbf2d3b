import {
  createLocalRepository,
  createRemoteRepository,
  getRepository,
} from '../../../functions/repositories/contracts.ts';
import { unencryptedUpstream } from '../../../functions/repositories/schemas.ts';
import { listedPackageTypes } from '../../facts/package-types.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { type Named, newPassword, uniqueName } from '../../harness/world.ts';

const service = useService();

let workspace: Named;
beforeAll(async () => {
  workspace = await service.world.workspace();
});

const url = 'https://registry.npmjs.org/';
const plain = () => ({
  name: uniqueName(),
  packageType: 'npm',
  remoteRepositoryUrl: url,
  isRemoteCacheEnabled: true,
});

const create = async (fields: Record<string, unknown> = {}, reference = workspace.id) => {
  const { bearer } = await service.world.systemAdmin();
  const body = { ...plain(), ...fields };
  return service.client.attempt(createRemoteRepository, { params: { workspace: reference }, body, as: bearer });
};

const stored = async (repository: string) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.succeed(getRepository, { params: { workspace: workspace.id, repository }, as: bearer });
};

/** Creates with each value of a field and expects that every answer says the same about that field. */
const refuseEach = async (field: string, values: readonly unknown[], message: unknown) => {
  const answers = await Promise.all(values.map((value) => create({ [field]: value })));
  for (const [index, { problem, text }] of answers.entries())
    expect({ value: values[index], text, violations: problem?.violations }).toEqual({
      value: values[index],
      text,
      violations: [expect.objectContaining({ pointer: `/${field}`, message })],
    });
  return answers;
};

describe('POST /1/workspaces/{workspace}/repositories/remote', () => {
  itAnswers('201 with the full record, which reads return as well', async () => {
    const fields = plain();
    const answer = await create({
      ...fields,
      remoteRepositoryUsername: 'ci',
      remoteRepositoryPassword: newPassword(),
      fileCacheTimeTillRevalidation: 60_000,
      metadataCacheTimeTillRevalidation: 5,
    });
    const { userId } = await service.world.systemAdmin();
    expect(answer.result).toEqual({
      ...fields,
      id: expect.any(String),
      repositoryType: 'remote',
      status: 'active',
      workspaceId: workspace.id,
      createdAt: expect.any(String),
      createdBy: userId,
      remoteRepositoryUsername: 'ci',
      hasRemoteRepositoryPassword: true,
      fileCacheTimeTillRevalidation: 60_000,
      metadataCacheTimeTillRevalidation: 5,
    });
    expect(await stored(fields.name)).toEqual(answer.result);
    return answer;
  });

  itAnswers('201 with a warning if the upstream is asked without TLS, which every read repeats', async () => {
    const answers = await Promise.all([
      create({ remoteRepositoryUrl: 'http://one.example/npm/' }),
      create({ packageType: 'cargo', remoteRepositoryUrl: 'sparse+HTTP://one.example/index/' }),
      create({ remoteRepositoryUrl: 'https://one.example/?of=http://two.example/' }),
    ]);
    const warnings = [unencryptedUpstream];
    expect(answers.map(({ result }) => result?.warnings)).toEqual([warnings, warnings, undefined]);
    for (const { result } of answers) expect(await stored(result?.name ?? '')).toEqual(result);
    return answers;
  });

  itAnswers('201 with what is optional left out or empty, which both mean none', async () => {
    const answers = await Promise.all([
      create(),
      create({ remoteRepositoryUsername: '', remoteRepositoryPassword: '' }),
    ]);
    for (const { result } of answers)
      expect(result).toMatchObject({
        remoteRepositoryUsername: null,
        hasRemoteRepositoryPassword: false,
        fileCacheTimeTillRevalidation: null,
        metadataCacheTimeTillRevalidation: null,
      });
    return answers;
  });

  itAnswers('201 for each package type, the workspace named by ID in either case or by name', async () => {
    const references = [workspace.id, workspace.name, workspace.id.toUpperCase()];
    const universal = 'https://example.com/{package-name}/{version}/{file}';
    return Promise.all(
      listedPackageTypes.map((packageType, index) => {
        const remoteRepositoryUrl = packageType === 'universal' ? universal : url;
        return create({ packageType, remoteRepositoryUrl }, references[index % 3]);
      }),
    );
  });

  itAnswers('201 for names of 1 and 30 characters, also those that are words of a path', async () =>
    Promise.all(
      ['x', 'y'.repeat(30), 'local', 'remote', 'virtual', 'members', 'batch', '-', '0'].map((name) => create({ name })),
    ),
  );

  itAnswers('400 REQUEST_INVALID for each name that breaks the rule', async () =>
    refuseEach(
      'name',
      ['', 'x'.repeat(31), 'A', 'a_b', 'a.b', 'a\n', '\na', 'a b', 'а', 'ａ', '١', 'a\u200b', 'é', 'ß', null, 1, ['a']],
      'name must be 1 to 30 lowercase letters, digits and hyphens.',
    ),
  );

  itAnswers('400 REQUEST_INVALID for each package type that there is not', async () =>
    refuseEach(
      'packageType',
      ['NPM', 'npm ', '', 'maven2', null, 1],
      `packageType must be one of ${listedPackageTypes.slice(0, -1).join(', ')} or ${listedPackageTypes.at(-1)}.`,
    ),
  );

  itAnswers('409 REPOSITORY_NAME_TAKEN by a repository of any type', async () => {
    const { name } = await service.world.repository(workspace);
    const first = await create();
    const answers = [await create({ name }), await create({ name: first.result?.name })];
    const { bearer } = await service.world.systemAdmin();
    const body = { name: first.result?.name ?? '', packageType: 'npm' } as const;
    answers.push(
      (await service.client.call(createLocalRepository, {
        params: { workspace: workspace.id },
        body,
        as: bearer,
      })) as never,
    );
    expect(answers[0]?.problem?.detail).toBe(`A repository named '${name}' already exists in this workspace.`);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID with all violations at once', async () => {
    const { bearer } = await service.world.systemAdmin();
    const body = { name: 'A', packageType: 'npm', remoteRepositoryUrl: 'ftp://example.com/', colour: 'red' };
    const answer = await service.client.attempt(createRemoteRepository, {
      params: { workspace: workspace.id },
      body,
      as: bearer,
    });
    expect(answer.problem?.violations.map(({ pointer }) => pointer).toSorted()).toEqual([
      '/colour',
      '/isRemoteCacheEnabled',
      '/name',
      '/remoteRepositoryUrl',
    ]);
    return answer;
  });
});

describe('The times until revalidation', () => {
  const fields = ['fileCacheTimeTillRevalidation', 'metadataCacheTimeTillRevalidation'] as const;

  for (const field of fields) {
    itAnswers(`201 for null, 0 and 2^53-1 as ${field}`, async () => {
      const values = [null, 0, 2 ** 53 - 1];
      const answers = await Promise.all(values.map((value) => create({ [field]: value })));
      expect(answers.map(({ result }) => result?.[field])).toEqual(values);
      for (const { result } of answers) expect(await stored(result?.id ?? '')).toEqual(result);
      return answers;
    });

    itAnswers(`400 REQUEST_INVALID for any other ${field}`, async () =>
      refuseEach(
        field,
        [-1, 2 ** 53, 1.5, '1', '', true, [], {}],
        `${field} must be a whole number of milliseconds from 0 to 9007199254740991, or null: cache indefinitely.`,
      ),
    );

    itAnswers(`400 REQUEST_INVALID for 1e400 as ${field}, which no number of JSON.parse is`, async () => {
      const { bearer } = await service.world.systemAdmin();
      const headers = [
        ['Authorization', bearer],
        ['Content-Type', 'application/json'],
      ] as const;
      const body = JSON.stringify({ ...plain(), [field]: 'HERE' }).replace('"HERE"', '1e400');
      return service.client.sendTo(createRemoteRepository, { headers, body }, { workspace: workspace.id });
    });
  }

  itAnswers('400 REQUEST_INVALID for a cache switch that is no boolean', async () =>
    refuseEach('isRemoteCacheEnabled', ['true', 1, 0, null, 'yes'], 'isRemoteCacheEnabled must be true or false.'),
  );

  itAnswers('400 REQUEST_INVALID for a user name or password beyond 1024 characters', async () => {
    const long = 'x'.repeat(1025);
    return [await create({ remoteRepositoryUsername: long }), await create({ remoteRepositoryPassword: long })];
  });

  itAnswers('201 without user name and password where they are null', async () => {
    const answer = await create({ remoteRepositoryUsername: null, remoteRepositoryPassword: null });
    expect(answer.result).toMatchObject({ remoteRepositoryUsername: null, hasRemoteRepositoryPassword: false });
    return answer;
  });

  itAnswers('201 for a user name and password of 1024 characters beyond the basic plane', async () =>
    create({ remoteRepositoryUsername: '😀'.repeat(1024), remoteRepositoryPassword: '😀'.repeat(1024) }),
  );
});
