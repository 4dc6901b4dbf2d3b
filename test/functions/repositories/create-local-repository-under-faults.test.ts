import { createLocalRepository, listRepositories } from '../../../functions/repositories/contracts.ts';
import { getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { statusCounts } from '../../harness/concurrency.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Injection } from '../../harness/table-calls.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const functionId = createLocalRepository.id;
const transaction = { functionId, operation: 'TransactWriteItems' } as const;
let place: Named;

beforeEach(async () => {
  place = await service.world.workspace();
});

const creation = async (name: string) => {
  const { bearer } = await service.world.systemAdmin();
  return { params: { workspace: place.id }, body: { name, packageType: 'npm' }, as: bearer } as const;
};

const create = async (name = uniqueName()) => service.client.call(createLocalRepository, await creation(name));

/** What a workspace counts and lists. */
const inventory = async (): Promise<{ count: number; names: string[] }> => {
  const call = { params: { workspace: place.id }, as: (await service.world.systemAdmin()).bearer };
  const { repositoryCount } = await service.client.succeed(getWorkspace, call);
  const repositories = await service.client.succeed(listRepositories, call);
  return { count: repositoryCount, names: repositories.map(({ name }) => name) };
};

describe('a local repository is created once and only once', () => {
  /** Creates in a workspace of its own while faults wait, and answers with what is stored then. */
  const createUnder = async (...faults: Injection[]) => {
    service.proxy.inject(...faults);
    const answer = await create('only');
    service.proxy.heal();
    return { answer, stored: await inventory() };
  };
  const once = { count: 1, names: ['only'] };
  const never = { count: 0, names: [] };

  itAnswers('201 when the reply of the table was lost after it committed', async () => {
    const { answer, stored } = await createUnder({ ...transaction, fault: 'commit-then-drop', times: 1 });
    expect(stored).toEqual(once);
    return answer;
  });

  itAnswers('201 when the request to the table was lost', async () => {
    const { answer, stored } = await createUnder({ ...transaction, fault: 'drop', times: 1 });
    expect(stored).toEqual(once);
    return answer;
  });

  itAnswers('201 when the first two tries meet another transaction', async () => {
    service.proxy.forget();
    const { answer, stored } = await createUnder({ ...transaction, fault: 'conflict', times: 2 });
    const tries = service.proxy.callsOf(functionId).filter(({ operation }) => operation === transaction.operation);
    expect(tries).toHaveLength(3);
    expect(stored).toEqual(once);
    return answer;
  });

  itAnswers('201 when the first two tries are throttled', async () => {
    const { answer, stored } = await createUnder({ ...transaction, fault: 'throttle', times: 2 });
    expect(stored).toEqual(once);
    return answer;
  });

  itAnswers('201 when the table answers 500 once', async () => {
    const { answer, stored } = await createUnder({ ...transaction, fault: 'server-error', times: 1 });
    expect(stored).toEqual(once);
    return answer;
  });

  itAnswers('201 when a reply was lost and the next try meets another transaction', async () => {
    const { answer, stored } = await createUnder(
      { ...transaction, fault: 'commit-then-drop', times: 1 },
      { ...transaction, fault: 'conflict', after: 1, times: 1 },
    );
    expect(stored).toEqual(once);
    return answer;
  });

  itAnswers('503 SERVICE_UNAVAILABLE when conflicts do not end, and nothing is stored', async () => {
    const { answer, stored } = await createUnder({ ...transaction, fault: 'conflict' });
    expect(stored).toEqual(never);
    return answer;
  });

  itAnswers(
    '503 SERVICE_UNAVAILABLE when the connection to the table breaks each time, and nothing is stored',
    async () => {
      const { answer, stored } = await createUnder({ ...transaction, fault: 'drop' });
      expect(stored).toEqual(never);
      return answer;
    },
  );

  itAnswers('503 SERVICE_UNAVAILABLE within 9 seconds when the table never answers the authorizer', async () => {
    service.runner.clearAuthorizerCache();
    service.proxy.inject({ fault: 'hang' });
    const startedAt = Date.now();
    const answer = await create();
    expect(Date.now() - startedAt).toBeLessThan(9_000);
    return answer;
  });

  itAnswers('503 SERVICE_UNAVAILABLE within 9 seconds when the table never answers the function', async () => {
    await create();
    service.proxy.inject({ fault: 'hang' });
    const startedAt = Date.now();
    const answer = await create();
    expect(Date.now() - startedAt).toBeLessThan(9_000);
    return answer;
  });

  itAnswers('503 SERVICE_UNAVAILABLE within 9 seconds when only the write hangs, and nothing is stored', async () => {
    const startedAt = Date.now();
    const { answer, stored } = await createUnder({ ...transaction, fault: 'hang' });
    expect(Date.now() - startedAt).toBeLessThan(9_000);
    expect(stored).toEqual(never);
    return answer;
  });

  it('succeeds for a client that asks again when Retry-After says so', async () => {
    service.proxy.inject({ ...transaction, fault: 'server-error', times: 3 });
    await service.client.succeed(createLocalRepository, await creation('only'));
    expect(await inventory()).toEqual(once);
  });

  it('lets 32 parallel creates in one workspace succeed, under the conflicts of DynamoDB', async () => {
    service.proxy.conflictsLikeDynamoDb = true;
    const answers = await Promise.all(Array.from({ length: 32 }, (_, number) => create(`n-${number}`)));
    service.proxy.heal();
    expect(statusCounts(answers)).toEqual({ '201': 32 });
    expect((await inventory()).count).toBe(32);
  });
});
