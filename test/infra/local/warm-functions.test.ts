import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lambda } from '../../../infra/local/lambda.ts';
import { WarmFunctions } from '../../../infra/local/warm-functions.ts';

/** A function that answers with the number of its calls, and of those that are at work with this one. */
const handlerSource = `
  let calls = 0;
  let atOnce = 0;
  exports.handler = async ({ milliseconds = 0 }) => {
    const answer = { calls: ++calls, atOnce: ++atOnce };
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    atOnce -= 1;
    return answer;
  };
`;

interface Answer {
  readonly calls: number;
  readonly atOnce: number;
}

const lambdas: Lambda[] = [];
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-warm-'));
  writeFileSync(join(directory, 'index.js'), handlerSource);
});

afterAll(async () => {
  await Promise.all(lambdas.map((lambda) => lambda.stop()));
  rmSync(directory, { recursive: true });
});

const makeLambda = (name: string, warm?: WarmFunctions) => {
  const definition = {
    id: name,
    name,
    arn: name,
    directory,
    handler: 'index.handler',
    memoryMegabytes: 128,
    timeoutSeconds: 5,
    environment: {},
    principal: name,
    statements: [{ Effect: 'Allow', Action: 'logs:*', Resource: '*' } as const],
    logGroup: name,
    isTraced: false,
    retries: 0,
    failureQueue: undefined,
  };
  const lambda = new Lambda(definition, {}, { log: () => {}, access: () => {} }, warm);
  lambdas.push(lambda);
  return async (milliseconds = 0): Promise<Answer> => (await lambda.invoke({ milliseconds })) as Answer;
};

describe('A function of the local runner among others', () => {
  it('keeps its thread, until the maximum of other functions has one and was called later', async () => {
    const warm = new WarmFunctions(2);
    const [first, second, third] = [makeLambda('first', warm), makeLambda('second', warm), makeLambda('third', warm)];
    const counts: number[] = [];
    for (const call of [first, second, first, third, first, second]) counts.push((await call()).calls);
    expect(counts).toEqual([1, 1, 2, 1, 3, 1]);
  });

  it('does not lose its thread during a call', async () => {
    const warm = new WarmFunctions(1);
    const [slow, other] = [makeLambda('slow', warm), makeLambda('other', warm)];
    await slow();
    const answer = slow(500);
    await other();
    expect((await answer).calls).toBe(2);
  });

  it('has at most 40 calls at once, fewer than the connections of an SDK client, and answers all', async () => {
    const call = makeLambda('busy');
    const answers = await Promise.all(Array.from({ length: 200 }, () => call(20)));
    expect(Math.max(...answers.map(({ atOnce }) => atOnce))).toBe(40);
    expect(answers.map(({ calls }) => calls).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
  });
});
