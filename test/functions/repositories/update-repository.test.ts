import { randomUUID } from 'node:crypto';
import { listWorkspaceRecords } from '../../../functions/audit/contracts.ts';
import { getRepository, updateRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createLocal, createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, newPassword } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const patch = async (repository: Named, body: unknown) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id, repository: repository.id };
  return service.client.attempt(updateRepository, { params, body, as: bearer });
};

const get = async ({ id }: Named) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.succeed(getRepository, { params: { workspace: workspace.id, repository: id }, as: bearer });
};

const locals = (count: number) => Promise.all(Array.from({ length: count }, () => service.world.repository(workspace)));

describe('PATCH /1/workspaces/{workspace}/repositories/{repository}', () => {
  itAnswers('200 for a remote repository, with what was sent changed and all else as it was', async () => {
    const before = await createRemote(service, workspace, { remoteRepositoryUsername: 'ci' });
    const body = { isRemoteCacheEnabled: false, fileCacheTimeTillRevalidation: 5 };
    const answer = await patch(before, body);
    expect(answer.result).toEqual({ ...before, ...body, remoteRepositoryPasswordDropped: false });
    expect(await get(before)).toEqual({ ...before, ...body });
    return answer;
  });

  it('records no rules for names that stay as they are, in whatever order the table has them', async () => {
    const before = await createVirtual(service, workspace, await locals(1));
    const upstreamNames = { allow: ['a*'], block: ['b*'] };
    await patch(before, { upstreamNames });
    for (const child of await locals(12)) await patch(before, { childRepositoryIds: [child.id], upstreamNames });
    const { bearer: as } = await service.world.systemAdmin();
    const query = { repository: before.id, action: 'repository.changed' } as const;
    const records = await service.client.succeed(listWorkspaceRecords, {
      params: { workspace: workspace.id },
      query,
      as,
    });
    expect(records.filter(({ after }) => after && 'upstreamNames' in after)).toHaveLength(1);
    expect(records).toHaveLength(13);
  });

  itAnswers('200 for a virtual repository, with children in the new order and an upload target', async () => {
    const [one, two, three] = (await locals(3)) as [Named, Named, Named];
    const before = await createVirtual(service, workspace, [one, two]);
    const answer = await patch(before, {
      childRepositoryIds: [three.id.toUpperCase(), one.id],
      uploadLocalRepositoryId: one.id.toUpperCase(),
    });
    const after = {
      ...before,
      childRepositoryIds: [three.id, one.id],
      childRepositories: [three, one].map(({ id, name }) => ({ id, name })),
      uploadLocalRepositoryId: one.id,
      uploadTargetLocalRepository: { id: one.id, name: one.name },
    };
    expect(answer.result).toEqual(after);
    expect(await get(before)).toEqual(after);
    return answer;
  });

  itAnswers('200 for an empty patch of each type, which changes and writes nothing', async () => {
    const local = await createLocal(service, workspace);
    const repositories = [
      local,
      await createRemote(service, workspace),
      await createVirtual(service, workspace, [local]),
    ];
    const answers = [];
    for (const repository of repositories) {
      answers.push(await patch(repository, {}));
      expect(await get(repository)).toEqual(repository);
    }
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for name and package type, also when they would stay the same', async () => {
    const local = await createLocal(service, workspace);
    const answers = [];
    for (const body of [
      { name: local.name },
      { name: 'other' },
      { packageType: 'npm' },
      { name: 'a', packageType: 'go' },
    ]) {
      const answer = await patch(local, body);
      expect(answer.problem?.violations).toEqual(
        Object.keys(body).map((field) => ({
          pointer: `/${field}`,
          rule: 'immutable',
          message: `${field} never changes: leave it out.`,
        })),
      );
      answers.push(answer);
    }
    expect(await get(local)).toEqual(local);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for an unknown field, with the fields that can change', async () => {
    const answer = await patch(await createRemote(service, workspace), { colour: 'red', name: 1 });
    const fields =
      'remoteRepositoryUrl, remoteRepositoryUsername, remoteRepositoryPassword, isRemoteCacheEnabled, fileCacheTimeTillRevalidation, metadataCacheTimeTillRevalidation, releaseGate, childRepositoryIds, uploadLocalRepositoryId and upstreamNames';
    expect(answer.problem?.errors).toEqual([
      `colour is not a field of this request. The fields are ${fields}.`,
      'name never changes: leave it out.',
    ]);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for each field that a repository of this type does not have', async () => {
    const local = await createLocal(service, workspace);
    const [remote, virtual] = [
      await createRemote(service, workspace),
      await createVirtual(service, workspace, [local]),
    ];
    const ofRemote = {
      remoteRepositoryUrl: 'https://one.example/',
      remoteRepositoryUsername: null,
      remoteRepositoryPassword: newPassword(),
      isRemoteCacheEnabled: true,
      fileCacheTimeTillRevalidation: null,
      metadataCacheTimeTillRevalidation: 0,
    };
    const ofVirtual = { childRepositoryIds: [local.id], uploadLocalRepositoryId: null, upstreamNames: null };
    const cases = [
      [local, { ...ofRemote, ...ofVirtual }],
      [remote, ofVirtual],
      [virtual, ofRemote],
    ] as const;
    const answers = [];
    for (const [repository, fields] of cases) {
      const all = await patch(repository, fields);
      expect(all.problem?.violations.map(({ pointer }) => pointer)).toEqual(
        Object.keys(fields).map((field) => `/${field}`),
      );
      answers.push(all);
      for (const [field, value] of Object.entries(fields)) answers.push(await patch(repository, { [field]: value }));
      expect(await get(repository)).toEqual(repository);
    }
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for an upstream that could not have been created', async () => {
    const remote = await createRemote(service, workspace);
    const universal = await createRemote(service, workspace, {
      packageType: 'universal',
      remoteRepositoryUrl: 'https://one.example/{package-name}/{version}/{file}',
    });
    const urls = [
      'http://10.0.0.1/',
      'http://[::1]/',
      'https://u:p@one.example/',
      'https://one.example/#f',
      'ftp://one.example/',
    ];
    const answers = await Promise.all(urls.map((remoteRepositoryUrl) => patch(remote, { remoteRepositoryUrl })));
    const incomplete = { remoteRepositoryUrl: 'https://one.example/{package-name}/{version}' };
    expect((await patch(remote, incomplete)).status).toBe(200);
    return [...answers, await patch(universal, incomplete)];
  });

  itAnswers('200 with the names that upstreams may or must not be asked for, as long as there are any', async () => {
    const local = await createLocal(service, workspace);
    const virtual = await createVirtual(service, workspace, [local]);
    expect(virtual).not.toHaveProperty('upstreamNames');
    const longest = `${'a'.repeat(254)}*`;
    const steps = [
      [{ block: ['@acme/*'] }, { allow: [], block: ['@acme/*'] }],
      [{ allow: ['left-pad', '*'] }, { allow: ['left-pad', '*'], block: ['@acme/*'] }],
      [{}, { allow: ['left-pad', '*'], block: ['@acme/*'] }],
      [
        { allow: [], block: [longest] },
        { allow: [], block: [longest] },
      ],
    ] as const;
    const answers = [];
    for (const [upstreamNames, expected] of steps) {
      answers.push(await patch(virtual, { upstreamNames }));
      expect(await get(virtual)).toEqual({ ...virtual, upstreamNames: expected });
    }
    answers.push(await patch(virtual, { upstreamNames: null }));
    expect(await get(virtual)).toEqual(virtual);
    return answers;
  });

  itAnswers('200 with the names in the spelling of the package type, each once', async () => {
    const local = await service.world.repository(workspace, undefined, 'pypi');
    const virtual = await createVirtual(service, workspace, [local], { packageType: 'pypi' });
    const answer = await patch(virtual, {
      upstreamNames: { allow: ['My.Pkg', 'my-pkg'], block: ['Acme_*', 'acme.*'] },
    });
    expect(await get(virtual)).toMatchObject({ upstreamNames: { allow: ['my-pkg'], block: ['acme-*'] } });
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for names that no package of the type can have, with a sentence', async () => {
    const local = await service.world.repository(workspace, undefined, 'maven');
    const virtual = await createVirtual(service, workspace, [local], { packageType: 'maven' });
    const answer = await patch(virtual, { upstreamNames: { block: ['org.acme:*', 'org/acme/*', 'org.acme'] } });
    expect(answer.problem?.violations.map(({ pointer }) => pointer)).toEqual([
      '/upstreamNames/block/1',
      '/upstreamNames/block/2',
    ]);
    expect(answer.problem?.errors[0]).toBe(
      "upstreamNames.block[1] is 'org/acme/*', and no package of the type maven can have such a name: correct the entry, or leave it out.",
    );
    expect(await get(virtual)).not.toHaveProperty('upstreamNames');
    return answer;
  });

  itAnswers(
    '400 REQUEST_INVALID for a name with capitals in `allow` of npm, which would open another package',
    async () => {
      const virtual = await createVirtual(service, workspace, [await service.world.repository(workspace)]);
      const answer = await patch(virtual, { upstreamNames: { allow: ['left-pad', 'JSONStream', '@Acme/*'] } });
      expect(answer.problem?.violations.map(({ pointer }) => pointer)).toEqual([
        '/upstreamNames/allow/1',
        '/upstreamNames/allow/2',
      ]);
      expect(answer.problem?.errors[0]).toBe(
        "upstreamNames.allow[1] is 'JSONStream', and a local repository holds no name with capital letters, so an upstream is asked for this one without an entry: leave it out, or write it in lower case if you mean the package of that name.",
      );
      expect(await get(virtual)).not.toHaveProperty('upstreamNames');
      const rules = { allow: ['jsonstream'], block: ['@Acme/*'] };
      const { result } = await patch(virtual, { upstreamNames: rules });
      expect(result).toMatchObject({ upstreamNames: { allow: ['jsonstream'], block: ['@acme/*'] } });
      return answer;
    },
  );

  itAnswers('400 REQUEST_INVALID for names that are none, and for too many of them', async () => {
    const virtual = await createVirtual(service, workspace, [await service.world.repository(workspace)]);
    const broken = ['', '*a', 'a*b', 'a**', 'a\n', 'a'.repeat(255), 1, null];
    const answer = await patch(virtual, { upstreamNames: { allow: ['fine', ...broken], block: broken } });
    const entries = (list: string, first: number) => broken.map((_, at) => `/upstreamNames/${list}/${first + at}`);
    expect(answer.problem?.violations.map(({ pointer }) => pointer)).toEqual([
      ...entries('allow', 1),
      ...entries('block', 0),
    ]);
    expect(answer.problem?.errors[0]).toBe(
      "upstreamNames.allow[1] must be a package name, or the beginning of package names and '*', of at most 255 characters.",
    );
    const many = Array.from({ length: 101 }, (_, at) => `name-${at}`);
    const others = [{ allow: many }, { block: null }, { deny: [] }, [], 'left-pad'];
    return [answer, ...(await Promise.all(others.map((upstreamNames) => patch(virtual, { upstreamNames }))))];
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for what is unknown, before a word about the body', async () => {
    const bodies = [{}, { name: 'a' }, { nonsense: 1 }];
    return Promise.all(bodies.map((body) => patch({ id: randomUUID(), name: '' }, body)));
  });
});
