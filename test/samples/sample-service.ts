import type { AccessAttempt } from '../../infra/local/access-check.ts';
import { type Assembly, readAssembly } from '../../infra/local/assembly.ts';
import { type Runner, startRunner } from '../../infra/local/runner.ts';
import type { PermissionLevel } from '../../shared/access.ts';
import type { Problem } from '../../shared/http/problem.ts';
import { synthesise } from '../harness/assembly.ts';
import { Client } from '../harness/client.ts';
import { pointTableLayer } from '../harness/service.ts';
import { type Reply, Wire, type WireRequest } from '../harness/wire.ts';
import { type Actor, firstAdmin, type Named, World } from '../harness/world.ts';

/** The sample endpoints beside those of the service, with a store behind them, and callers. */
export interface Samples {
  readonly assembly: Assembly;
  readonly runner: Runner;
  readonly workspace: Named;
  readonly repository: Named;
  readonly viewer: Actor;
  readonly deployer: Actor;
  readonly manager: Actor;
  /** What the functions asked AWS for, each right once. */
  readonly accesses: (AccessAttempt & { readonly functionId: string })[];
  /** Where the samples of the repository are. */
  readonly place: string;
  send(request: WireRequest, as?: Actor): Promise<Reply>;
}

const startTimeoutMilliseconds = 300_000;

/** Runs the sample endpoints for the tests of a file. */
export const useSamples = (): Samples => {
  const samples: Partial<{ -readonly [part in keyof Samples]: Samples[part] }> = { accesses: [] };
  let client: Client | undefined;
  let wire: Wire | undefined;
  beforeAll(async () => {
    const directory = await synthesise('test/sample-endpoints/app.ts');
    const assembly = readAssembly(directory);
    const runner = await startRunner({
      assembly: directory,
      host: '127.0.0.1',
      port: 0,
      dataDir: ':memory:',
      firstAdmin,
      logSink: () => {},
      accessSink: (access, functionId) => samples.accesses?.push({ ...access, functionId }),
    });
    pointTableLayer(runner);
    client = new Client(runner.url);
    wire = new Wire(runner.url);
    Object.assign(samples, { assembly, runner }, await callersIn(new World(client)));
    samples.place = `/samples/${samples.workspace?.name}/${samples.repository?.name}`;
    samples.send = async ({ headers = [], ...request }, as = samples.deployer) =>
      (wire as Wire).send({ ...request, headers: [...headers, ['Authorization', as?.bearer ?? '']] });
  }, startTimeoutMilliseconds);
  afterAll(async () => {
    client?.close();
    wire?.close();
    await samples.runner?.stop();
  });
  return samples as Samples;
};

const callersIn = async (world: World) => {
  const workspace = await world.workspace();
  const repository = await world.repository(workspace);
  const granted = async (level: PermissionLevel): Promise<Actor> => {
    const actor = await world.member(workspace);
    await world.grant(workspace, repository, actor, level);
    return actor;
  };
  const [viewer, deployer, manager] = await Promise.all([
    granted('canView'),
    granted('canDeploy'),
    granted('canManage'),
  ]);
  return { workspace, repository, viewer, deployer, manager };
};

/** The problem of a refusal, which must have this status. */
export const problemOf = (reply: Reply, status: number): Problem => {
  expect([reply.status, reply.text]).toEqual([status, expect.any(String)]);
  return replyRules.readProblem(reply);
};
