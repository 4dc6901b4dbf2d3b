import { type Endpoint, endpoints } from '../functions/endpoints.ts';
import { addMemberToRepositories } from '../functions/members/contracts.ts';
import {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  getRepository,
} from '../functions/repositories/contracts.ts';
import { deleteWorkspace } from '../functions/workspaces/contracts.ts';
import { facts, type Request } from './harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from './harness/fixture.ts';
import { useService } from './harness/service.ts';
import { newPassword, uniqueName } from './harness/world.ts';

const service = useService();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
});

interface LoggedRequest {
  readonly operation?: string;
  readonly table?: { readonly calls: number };
}

const loggedCalls = (id: string): number | undefined =>
  service.logs
    .map((line) => JSON.parse(line) as LoggedRequest)
    .findLast(({ operation, table }) => operation === id && table)?.table?.calls;

/** The calls of a request that the process is warm for: the authorizer's answer is cached, the names are known. */
const callsOf = async (contract: Endpoint, make: () => Promise<Request>): Promise<number> => {
  const { bearer } = fixture.systemAdmin;
  await service.client.attempt(contract, { ...(await make()), as: bearer });
  const request = await make();
  service.proxy.forget();
  const { status, text } = await service.client.attempt(contract, { ...request, as: bearer });
  expect({ status: status < 300, text }).toEqual({ status: true, text });
  const { length } = service.proxy.callsOf();
  // All of them are the endpoint's: none is the authorizer's. The log tells the same number.
  expect(service.proxy.callsOf(contract.id)).toHaveLength(length);
  if (length > 0) expect(loggedCalls(contract.id)).toBe(length);
  return length;
};

const params = () => ({ workspace: fixture.workspace.name });

describe('Calls of the table per request, after a cached authorization', () => {
  it.each(endpoints.map((contract) => [contract.id, contract] as const))('%s', async (id, contract) => {
    expect(await callsOf(contract, async () => validRequest(contract, fixture))).toBe(facts[id].calls);
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
    const children = await repositories(90);
    const calls = await callsOf(createVirtualRepository, async () => ({
      params: params(),
      body: { name: uniqueName(), packageType: 'npm', childRepositoryIds: children.map(({ id }) => id) },
    }));
    expect(calls).toBe(2);
  });

  it.each(['id', 'name'] as const)('3 for a batch of 100 repositories, each by its %s', async (by) => {
    const [granted, { userId }] = await Promise.all([repositories(100), service.world.member(fixture.workspace)]);
    const calls = await callsOf(addMemberToRepositories, async () => ({
      params: params(),
      body: {
        userId,
        repositories: granted.map((repository) => ({
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

const repositories = async (count: number) => service.world.repositories(fixture.workspace, count);
