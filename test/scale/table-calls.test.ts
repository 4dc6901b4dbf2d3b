import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import { addMemberToRepositories } from '../../functions/members/contracts.ts';
import { createUpload, deleteUpload, listUploads } from '../../functions/packages/contracts.ts';
import {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  getRepository,
} from '../../functions/repositories/contracts.ts';
import { deleteWorkspace } from '../../functions/workspaces/contracts.ts';
import { isPaged } from '../../shared/http/contract.ts';
import { accessReads, type CostClass, costs } from '../facts/costs.ts';
import { facts, type Request, statusForAdmin } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { insertRepositories } from '../harness/stored-items.ts';
import { engineFolderVariable } from '../harness/table-engine.ts';
import { freeUploadSlots } from '../harness/uploads.ts';
import { type Named, newPassword, uniqueName } from '../harness/world.ts';

const service = useService();

/** `npm run test:engine` is about what another engine refuses, not about how it counts. */
const countsUnits = process.env[engineFolderVariable] === undefined;

let fixture: Fixture;
let hundred: readonly Named[];
beforeAll(async () => {
  fixture = await buildFixture(service);
  const names = Array.from({ length: 100 }, () => uniqueName());
  const ids = await insertRepositories(fixture.workspace.id, names);
  hundred = ids.map((id, at) => ({ id, name: names[at] ?? '' }));
  service.proxy.countsUnits = countsUnits;
});

interface LoggedRequest {
  readonly operation?: string;
  readonly table?: { readonly calls: number };
}

const isAbout = (id: string, { operation, table }: LoggedRequest): boolean => operation === id && table !== undefined;

const loggedCalls = (id: string): number | undefined => {
  const line = service.logs.findLast((each) => isAbout(id, JSON.parse(each) as LoggedRequest));
  return line === undefined ? undefined : (JSON.parse(line) as LoggedRequest).table?.calls;
};

/** The calls of a request that the process is warm for: the authorizer's answer is cached, the names and what the caller may do are known. */
const callsOf = async (contract: Endpoint, make: () => Promise<Request>): Promise<number> => {
  const { bearer } = fixture.systemAdmin;
  const first = await make();
  await service.client.attempt(contract, { ...first, as: bearer });
  // The second read keeps what the first one has seen the version of.
  if (contract.method === 'GET') await service.client.attempt(contract, { ...first, as: bearer });
  // What only reads uses nothing up.
  const request = contract.method === 'GET' ? first : await make();
  service.proxy.forget();
  const { status, text } = await service.client.attempt(contract, { ...request, as: bearer });
  expect({ status, text }).toEqual({ status: statusForAdmin(contract), text });
  // The worker may go on with what an earlier request began.
  const { length } = service.proxy.callsOf().filter(({ functionId }) => functionId !== 'importer');
  // All of them are the endpoint's: none is the authorizer's. The log tells the same number.
  expect(service.proxy.callsOf(contract.id)).toHaveLength(length);
  if (length > 0) expect(loggedCalls(contract.id)).toBe(length);
  return length;
};

/** A session that meets another one at its place takes more calls, and to find one among many takes more units. */
const ofSessions: ReadonlySet<string> = new Set([createUpload.id, listUploads.id, deleteUpload.id]);

/** A page of one, unless the facts ask for another: lists then cost the same however many tests ran before. */
const requestOf = async (contract: Endpoint): Promise<Request> => {
  if (ofSessions.has(contract.id)) await freeUploadSlots(fixture.workspace, fixture.systemAdmin);
  const request = await validRequest(contract, fixture);
  return isPaged(contract) ? { ...request, query: { limit: 1, ...request.query } } : request;
};

const params = () => ({ workspace: fixture.workspace.name });

interface Measured {
  readonly id: string;
  readonly cost: CostClass;
  readonly reads: number;
  readonly writes: number;
}

/** The endpoints of each class of costs: a third of each is measured, others each day. */
const ofEachClass = Array.from(Map.groupBy(endpoints, ({ id }) => facts[id].cost).values());

describe('Calls of the table and its capacity units per request, after a cached authorization', () => {
  const measured: Measured[] = [];

  it.each(ofEachClass.flatMap((alike) => shareOf(alike, 3)).map((contract) => [contract.id, contract] as const))(
    '%s',
    async (id, contract) => {
      const { cost } = facts[id];
      const calls = await callsOf(contract, async () => requestOf(contract));
      expect({ cost, calls }).toEqual({ cost, calls: costs[cost].calls });
      if (!countsUnits) return;
      const reads = service.proxy.consumed(false, id) - accessReads(contract);
      const writes = service.proxy.consumed(true, id);
      measured.push({ id, cost, reads, writes });
      expect({ cost, reads: Math.max(reads, costs[cost].reads), writes: Math.max(writes, costs[cost].writes) }).toEqual(
        {
          cost,
          reads: costs[cost].reads,
          writes: costs[cost].writes,
        },
      );
    },
  );

  it('are those of the dearest endpoint of each class', () => {
    if (measured.length < endpoints.length) return;
    const dearest = (cost: CostClass) => {
      const ofClass = measured.filter((each) => each.cost === cost);
      const most = (kind: 'reads' | 'writes') => Math.max(...ofClass.map((each) => each[kind]));
      return { calls: costs[cost].calls, reads: most('reads'), writes: most('writes') };
    };
    const names = Object.keys(costs) as CostClass[];
    expect(Object.fromEntries(names.map((cost) => [cost, dearest(cost)]))).toEqual(costs);
  });

  it.each([createLocalRepository, createRemoteRepository, createVirtualRepository, getRepository])(
    'as many by name: $id',
    async (contract) => {
      const calls = await callsOf(contract, async () => {
        const request = await validRequest(contract, fixture);
        return { ...request, params: { workspace: fixture.workspace.name, repository: fixture.repository.name } };
      });
      expect(calls).toBe(contract === getRepository ? 1 : 2);
    },
  );

  it('2 for a remote repository with a password', async () => {
    const calls = await callsOf(createRemoteRepository, async () => {
      const request = await validRequest(createRemoteRepository, fixture);
      return { ...request, body: { ...(request.body as object), remoteRepositoryPassword: newPassword() } };
    });
    expect(calls).toBe(2);
  });

  it('2 for a virtual repository of 90 children', async () => {
    const calls = await callsOf(createVirtualRepository, async () => ({
      params: params(),
      body: { name: uniqueName(), packageType: 'npm', childRepositoryIds: hundred.slice(0, 90).map(({ id }) => id) },
    }));
    expect(calls).toBe(2);
  });

  it.each(['id', 'name'] as const)('3 for a batch of 100 repositories, each by its %s', async (by) => {
    const calls = await callsOf(addMemberToRepositories, async () => ({
      params: params(),
      body: {
        userId: (await service.world.member(fixture.workspace)).userId,
        repositories: hundred.map((repository) => ({
          repositoryReference: repository[by],
          repositoryPermissionLevel: 'canDeploy',
        })),
      },
    }));
    expect(calls).toBe(3);
  });

  it('2 for the deletion of a workspace that is known by name', async () => {
    const calls = await callsOf(deleteWorkspace, async () => {
      const { id, name } = await service.world.workspace();
      // The process learns the name by a refusal.
      const body = { workspaceId: fixture.workspace.id, workspaceName: name };
      await service.client.attempt(deleteWorkspace, { body, as: fixture.systemAdmin.bearer });
      return { body: { workspaceId: id, workspaceName: name } };
    });
    expect(calls).toBe(2);
  });
});
