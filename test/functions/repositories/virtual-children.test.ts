import { randomUUID } from 'node:crypto';
import { getNpmDocument } from '../../../functions/npm/contracts.ts';
import { listPackages } from '../../../functions/packages/contracts.ts';
import {
  createVirtualRepository,
  deleteRepository,
  getRepository,
  updateRepository,
} from '../../../functions/repositories/contracts.ts';
import { inBatches, statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { roundsOf } from '../../harness/sampling.ts';
import { useService } from '../../harness/service.ts';
import { insertRepositories } from '../../harness/stored-items.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const setChildren = async (virtual: Named, children: readonly string[], uploadLocalRepositoryId?: string | null) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id, repository: virtual.id };
  const body = { childRepositoryIds: children, uploadLocalRepositoryId };
  return service.client.attempt(updateRepository, { params, body, as: bearer });
};

const childrenOf = async ({ id }: Named) => {
  const { bearer } = await service.world.systemAdmin();
  const result = await service.client.succeed(getRepository, {
    params: { workspace: workspace.id, repository: id },
    as: bearer,
  });
  return 'childRepositoryIds' in result ? result.childRepositoryIds : [];
};

const remove = async (id: string) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.call(deleteRepository, { params: { workspace: workspace.id, repository: id }, as: bearer });
};

/** Virtual repositories over one local repository. */
const virtuals = async (count: number): Promise<{ local: Named; made: Named[] }> => {
  const local = await service.world.repository(workspace);
  const made = await Promise.all(Array.from({ length: count }, () => createVirtual(service, workspace, [local])));
  return { local, made };
};

describe('The children of a virtual repository', () => {
  itAnswers('400 REQUEST_INVALID for the repository itself, directly and through others', async () => {
    const { local, made } = await virtuals(4);
    const [one, two, three, four] = made as [Named, Named, Named, Named];
    const answers = [await setChildren(one, [one.id]), await setChildren(one, [local.id, one.id.toUpperCase()])];
    for (const [outer, inner] of [
      [one, two],
      [two, three],
      [three, four],
    ] as const)
      expect((await setChildren(outer, [local.id, inner.id])).status).toBe(200);
    for (const [outer, inner] of [
      [two, one],
      [three, one],
      [four, one],
      [four, two],
      [four, three],
    ] as const)
      answers.push(await setChildren(outer, [local.id, inner.id]));
    for (const { problem } of answers)
      expect(problem?.violations).toEqual([
        expect.objectContaining({ pointer: '/childRepositoryIds', rule: 'acyclic' }),
      ]);
    expect(await childrenOf(four)).toEqual([local.id]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID with all that is wrong with a change at once', async () => {
    const { local, made } = await virtuals(1);
    const [virtual] = made as [Named];
    const { bearer } = await service.world.systemAdmin();
    const body = {
      childRepositoryIds: [local.id, virtual.id, local.id.toUpperCase(), randomUUID()],
      uploadLocalRepositoryId: randomUUID(),
      upstreamNames: { block: ['not a name!'] },
    };
    const params = { workspace: workspace.id, repository: virtual.id };
    const answer = await service.client.attempt(updateRepository, { params, body, as: bearer });
    expect(answer.problem?.violations.map(({ pointer, rule }) => `${pointer} ${rule}`)).toEqual([
      '/childRepositoryIds/2 distinct',
      '/uploadLocalRepositoryId listed',
      '/childRepositoryIds/3 exists',
      '/childRepositoryIds acyclic',
      '/upstreamNames/block/0 packageName',
    ]);
    return answer;
  });

  itAnswers('200 for a repository that is reached twice without a cycle', async () => {
    const { local, made } = await virtuals(3);
    const [left, right, top] = made as [Named, Named, Named];
    return [
      await setChildren(left, [right.id, local.id]),
      await setChildren(top, [left.id, right.id, local.id]),
      await setChildren(top, [right.id, left.id]),
    ];
  });

  it('never come to lead back by two requests at once', async () => {
    for (let round = 0; round < roundsOf(18); round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const { local, made } = await virtuals(3);
      const [one, two, three] = made as [Named, Named, Named];
      if (round % 3 === 2) expect((await setChildren(two, [three.id])).status).toBe(200);
      const far = round % 3 === 2 ? three : two;
      const answers = await Promise.all([setChildren(one, [local.id, two.id]), setChildren(far, [local.id, one.id])]);
      expect(statusCounts(answers)).toEqual({ '200': 1, '400 REQUEST_INVALID': 1 });
      expect(answers.find(({ status }) => status === 400)?.problem?.violations[0]?.rule).toBe('acyclic');
    }
  });

  it('never come to lead back by three requests at once', async () => {
    for (let round = 0; round < roundsOf(8); round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const { made } = await virtuals(3);
      const [one, two, three] = made as [Named, Named, Named];
      const answers = await Promise.all([
        setChildren(one, [two.id]),
        setChildren(two, [three.id]),
        setChildren(three, [one.id]),
      ]);
      expect(statusCounts(answers)).toEqual({ '200': 2, '400 REQUEST_INVALID': 1 });
    }
  });

  describe('with all below them', () => {
    let ids: string[];
    let inner: Named;
    let outer: Named;
    beforeAll(async () => {
      ids = await insertRepositories(
        workspace.id,
        Array.from({ length: 101 }, (_, index) => `below-${index}`),
      );
      const listed = (of: readonly string[]) => of.map((id) => ({ id }));
      inner = await createVirtual(service, workspace, listed(ids.slice(0, 80)));
      outer = await createVirtual(service, workspace, [inner, ...listed(ids.slice(80, 99))]);
    });

    itAnswers(
      '400 REQUEST_INVALID for more than 100 repositories, when one is created and when it changes',
      async () => {
        const { bearer } = await service.world.systemAdmin();
        const childRepositoryIds = [inner.id, ...ids.slice(80, 100)];
        const body = {
          name: uniqueName(),
          packageType: 'npm' as const,
          childRepositoryIds,
          uploadLocalRepositoryId: null,
        };
        const answers = [
          await service.client.attempt(createVirtualRepository, {
            params: { workspace: workspace.id },
            body,
            as: bearer,
          }),
          await setChildren(outer, childRepositoryIds),
        ];
        for (const { problem } of answers)
          expect(problem?.violations).toEqual([
            expect.objectContaining({ pointer: '/childRepositoryIds', rule: 'maxCombined' }),
          ]);
        return answers;
      },
    );

    // The virtual one is the last, so that the next test reaches the one too many below it, and only there.
    itAnswers('200 for 100 that are reached in several ways', async () =>
      setChildren(outer, [...ids.slice(0, 20), ...ids.slice(80, 99), inner.id]),
    );

    itAnswers(
      '400 REQUEST_INVALID for whoever reads one whose children have grown beyond it, until they shrink',
      async () => {
        const { bearer } = await service.world.systemAdmin();
        const params = { workspace: workspace.id, repository: outer.id };
        const read = async () => [
          await service.client.attempt(listPackages, { params, as: bearer }),
          await service.client.attempt(getNpmDocument, { params: { ...params, path: 'left-pad' }, as: bearer }),
        ];
        expect((await setChildren(inner, ids.slice(0, 80).concat(ids[99] ?? ''))).status).toBe(200);
        const refused = await read();
        for (const { problem } of refused)
          expect(problem?.detail).toContain(`'${outer.name}' leads to more than 100 repositories`);
        expect((await setChildren(inner, ids.slice(0, 80))).status).toBe(200);
        expect((await read()).map(({ status }) => status)).toEqual([200, 404]);
        return refused;
      },
    );
  });

  it('are 90 that 90 others replace in two steps; in one it is refused, with what to do instead', async () => {
    const [old, others] = (await Promise.all(
      ['a', 'b'].map((prefix) =>
        insertRepositories(
          workspace.id,
          Array.from({ length: 90 }, (_, index) => `${prefix}-${index}`),
        ),
      ),
    )) as [string[], string[]];
    const virtual = await createVirtual(
      service,
      workspace,
      old.map((id) => ({ id })),
    );
    const refused = await setChildren(virtual, others);
    expect(refused.problem?.violations).toEqual([
      {
        pointer: '/childRepositoryIds',
        rule: 'maxChanges',
        message: 'childRepositoryIds changes too much at once for one transaction: change the list in two steps.',
      },
    ]);
    expect(await childrenOf(virtual)).toEqual(old);
    const half = [...old.slice(45), ...others.slice(0, 45)];
    expect((await setChildren(virtual, half)).status).toBe(200);
    expect((await setChildren(virtual, others)).status).toBe(200);
    expect(await childrenOf(virtual)).toEqual(others);
    const freed = await inBatches(old, 16, remove);
    expect(new Set(freed.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await remove(others[89] ?? '')).code).toBe('REPOSITORY_IN_USE');
    expect((await setChildren(virtual, [...others, randomUUID()])).code).toBe('REQUEST_INVALID');
  });

  itAnswers('400 REQUEST_INVALID for children that a create would refuse, each one named', async () => {
    const { local, made } = await virtuals(1);
    const [virtual] = made as [Named];
    const [maven = ''] = await insertRepositories(workspace.id, [service.world.name()], { packageType: 'maven' });
    const elsewhere = await service.world.repository(await service.world.workspace());
    const unknown = randomUUID();
    const answer = await setChildren(virtual, [local.id, maven, elsewhere.id, unknown]);
    expect(answer.problem?.violations.map(({ pointer, rule }) => [pointer, rule])).toEqual([
      ['/childRepositoryIds/1', 'packageType'],
      ['/childRepositoryIds/2', 'exists'],
      ['/childRepositoryIds/3', 'exists'],
    ]);
    expect(await childrenOf(virtual)).toEqual([local.id]);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for the name of a repository, with the ID to give instead', async () => {
    const { local, made } = await virtuals(1);
    const [virtual] = made as [Named];
    const other = await service.world.repository(workspace);
    const answer = await setChildren(virtual, [other.name, local.id]);
    expect(answer.problem?.errors).toEqual([
      `childRepositoryIds[0] '${other.name}' is a name: give the ID of that repository, ${other.id}.`,
    ]);
    expect(await childrenOf(virtual)).toEqual([local.id]);
    return answer;
  });

  itAnswers(
    '400 REQUEST_INVALID for an upload target that is no child or not local, or that the children lose',
    async () => {
      const { local, made } = await virtuals(2);
      const [virtual, inner] = made as [Named, Named];
      const other = await service.world.repository(workspace);
      const answers = [
        await setChildren(virtual, [local.id], other.id),
        await setChildren(virtual, [local.id, inner.id], inner.id),
        await setChildren(virtual, [local.id], randomUUID()),
      ];
      expect((await setChildren(virtual, [local.id, other.id], other.id)).status).toBe(200);
      answers.push(await setChildren(virtual, [local.id]));
      for (const { problem } of answers)
        expect(problem?.violations.map(({ pointer }) => pointer)).toEqual(['/uploadLocalRepositoryId']);
      expect((await setChildren(virtual, [local.id], null)).status).toBe(200);
      return answers;
    },
  );
});
