import { listWorkspaceRecords } from '../../../functions/audit/contracts.ts';
import { createRemoteRepository, getRepository, updateRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createLocal, createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const patch = async ({ id }: Pick<Named, 'id'>, releaseGate: unknown) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id, repository: id };
  return service.client.attempt(updateRepository, { params, body: { releaseGate }, as: bearer });
};

const create = async (fields: object) => {
  const { bearer } = await service.world.systemAdmin();
  const remote = { packageType: 'npm', remoteRepositoryUrl: 'https://one.example/', isRemoteCacheEnabled: true };
  const body = { ...remote, name: uniqueName('remote'), ...fields };
  return service.client.attempt(createRemoteRepository, { params: { workspace: workspace.id }, body, as: bearer });
};

const gateOf = async ({ id }: Pick<Named, 'id'>): Promise<unknown> => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id, repository: id };
  return ((await service.client.succeed(getRepository, { params, as: bearer })) as { releaseGate?: unknown })
    .releaseGate;
};

const defaults = {
  mode: 'enforce',
  minimumAgeHours: 72,
  frozenAt: null,
  untimed: 'firstSeen',
  exempt: [],
  blockSeverity: null,
  withdrawnUpstream: 'hold',
};

describe('The release gate of a remote repository', () => {
  itAnswers('201 with the settings that the request leaves out', async () => {
    const answer = await create({ releaseGate: { minimumAgeHours: 24 } });
    expect(answer.result).toMatchObject({ releaseGate: { ...defaults, minimumAgeHours: 24 } });
    return answer;
  });

  itAnswers('201 with null for each setting that is absent', async () => {
    const nothing = Object.fromEntries(Object.keys(defaults).map((setting) => [setting, null]));
    const answer = await create({ releaseGate: { ...nothing, minimumAgeHours: 24 } });
    expect(answer.result).toMatchObject({ releaseGate: { ...defaults, minimumAgeHours: 24 } });
    return answer;
  });

  it('is off without a setting', async () => {
    expect(await gateOf(await createRemote(service, workspace))).toBeUndefined();
    expect((await create({ releaseGate: null })).result).not.toHaveProperty('releaseGate');
  });

  itAnswers('200 for a patch, which leaves the settings that it does not name', async () => {
    const repository = await createRemote(service, workspace, { releaseGate: { mode: 'observe' } });
    const exempt = ['@acme/*', 'left-pad@1.3.0'];
    await patch(repository, { exempt });
    const answer = await patch(repository, { frozenAt: '2026-11-01T02:00:00+02:00' });
    const after = { ...defaults, mode: 'observe', exempt, frozenAt: '2026-11-01T00:00:00.000Z' };
    expect(answer.result).toMatchObject({ releaseGate: after });
    expect(await gateOf(repository)).toEqual(after);
    await patch(repository, { frozenAt: null });
    expect(await gateOf(repository)).toEqual({ ...after, frozenAt: null });
    return answer;
  });

  it('is turned off by null, and begins anew after that', async () => {
    const repository = await createRemote(service, workspace, { releaseGate: { minimumAgeHours: 1 } });
    await patch(repository, null);
    expect(await gateOf(repository)).toBeUndefined();
    await patch(repository, {});
    expect(await gateOf(repository)).toEqual(defaults);
  });

  it('leaves a record of what it was before and after each change', async () => {
    const { bearer: as } = await service.world.systemAdmin();
    const repository = await createRemote(service, workspace, { releaseGate: { minimumAgeHours: 1 } });
    await patch(repository, { minimumAgeHours: 2 });
    await patch(repository, null);
    const params = { workspace: workspace.id };
    const records = await service.client.succeed(listWorkspaceRecords, {
      params,
      query: { repository: repository.id },
      as,
    });
    const changes = records.filter(({ action }) => action === 'repository.changed');
    expect(changes.map(({ before, after }) => [before?.releaseGate ?? null, after?.releaseGate ?? null])).toEqual([
      [{ ...defaults, minimumAgeHours: 2 }, null],
      [
        { ...defaults, minimumAgeHours: 1 },
        { ...defaults, minimumAgeHours: 2 },
      ],
    ]);
  });

  it('has exemptions in the spelling of the package type, each once', async () => {
    const repository = await createRemote(service, workspace, { packageType: 'pypi' });
    await patch(repository, { exempt: ['Foo_Bar', 'foo-bar', 'Foo.Bar@1.0', 'My_*'] });
    expect(await gateOf(repository)).toMatchObject({ exempt: ['foo-bar', 'foo-bar@1.0', 'my-*'] });
  });

  itAnswers('400 REQUEST_INVALID with a sentence for what no gate can have, and changes nothing', async () => {
    const repository = await createRemote(service, workspace, { releaseGate: {} });
    const answers = [];
    for (const [gate, sentence] of [
      [{ minimumAgeHours: 8_761 }, 'minimumAgeHours must be'],
      [{ minimumAgeHours: -1 }, 'minimumAgeHours must be'],
      [{ mode: 'off' }, 'mode must be'],
      [{ frozenAt: '' }, 'frozenAt must be'],
      [{ frozenAt: 'yesterday' }, 'frozenAt must be'],
      [{ frozenAt: '2026' }, 'frozenAt must be'],
      [{ frozenAt: '2026-02-30T00:00:00Z' }, 'frozenAt must be'],
      [{ untimed: 'never' }, 'untimed must be'],
      [{ exempt: ['not a name'] }, "releaseGate.exempt[0] is 'not a name'"],
      [{ exempt: ['axios@'] }, "releaseGate.exempt[0] is 'axios@'"],
      [{ exempt: Array.from({ length: 101 }, (_, at) => `a${at}`) }, 'exempt'],
      [{ other: 1 }, 'other'],
    ] as const) {
      const answer = await patch(repository, gate);
      expect(answer.problem?.detail).toContain(sentence);
      answers.push(answer);
    }
    expect(await gateOf(repository)).toEqual(defaults);
    return answers;
  });

  itAnswers(
    '400 REQUEST_INVALID for a package type whose versions have no gate, and for a local repository',
    async () => {
      const answers = [
        await create({ packageType: 'docker', releaseGate: {} }),
        await patch(await createLocal(service, workspace), {}),
      ];
      expect(answers.map(({ problem }) => problem?.detail)).toEqual([
        'releaseGate is not available for repositories of the type docker, because registries say no times: leave it out.',
        'releaseGate is not a field of a local repository.',
      ]);
      return answers;
    },
  );
});
