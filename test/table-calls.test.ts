import { endpoints } from '../functions/endpoints.ts';
import { addMemberToRepositories } from '../functions/members/contracts.ts';
import {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  getRepository,
} from '../functions/repositories/contracts.ts';
import { deleteWorkspace } from '../functions/workspaces/contracts.ts';
import type { Contract } from '../shared/http/contract.ts';
import type { LooseInput } from './harness/client.ts';
import { buildFixture, type Fixture, validRequest } from './harness/fixture.ts';
import { useService } from './harness/service.ts';
import { newPassword, uniqueName } from './harness/world.ts';

const service = useService();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service.world);
});

type Request = Pick<LooseInput, 'params' | 'query' | 'body'>;

/** Calls of the table that one request may make once its credential is known: one read, and a write where it writes. */
const most: Readonly<Record<string, number>> = {
  'members/add-member-to-repositories': 2,
  'members/add-repository-member': 2,
  'members/add-workspace-member': 2,
  'members/get-repository-member': 1,
  'members/get-workspace-member': 1,
  'members/list-repository-members': 3,
  'members/list-workspace-members': 3,
  'members/remove-repository-member': 2,
  'members/remove-workspace-member': 2,
  'repositories/create-local-repository': 2,
  'repositories/create-remote-repository': 2,
  'repositories/create-virtual-repository': 2,
  'repositories/delete-repository': 2,
  'repositories/get-repository': 1,
  'repositories/list-repositories': 3,
  'repositories/update-repository': 2,
  'system/get-health': 0,
  'system/get-readiness': 1,
  'tokens/create-personal-access-token': 2,
  'tokens/delete-personal-access-token': 2,
  'tokens/get-personal-access-token': 1,
  'tokens/list-personal-access-tokens': 3,
  'tokens/list-user-personal-access-tokens': 3,
  'users/create-user': 2,
  'users/get-current-user': 3,
  'users/get-user': 1,
  'users/list-users': 3,
  'users/update-user': 2,
  'workspaces/create-workspace': 2,
  'workspaces/delete-workspace': 2,
  'workspaces/delete-workspace-by-reference': 2,
  'workspaces/get-workspace': 1,
  // The entries, the workspaces and the caller's own memberships.
  'workspaces/list-workspaces': 4,
};

/** Documents that no table is asked for. */
const isDocument = ({ access, table }: Contract): boolean => access === 'public' && table.length === 0;

interface LoggedRequest {
  readonly operation?: string;
  readonly table?: { readonly calls: number };
}

const loggedCalls = (id: string): number | undefined =>
  service.logs
    .map((line) => JSON.parse(line) as LoggedRequest)
    .findLast(({ operation, table }) => operation === id && table)?.table?.calls;

/** The calls of a request that the process is warm for: the authorizer's answer is cached, the names are known. */
const callsOf = async (contract: Contract, make: () => Promise<Request>): Promise<number> => {
  const { bearer } = fixture.systemAdmin;
  await service.client.attempt(contract, { ...(await make()), as: bearer });
  const request = await make();
  service.proxy.forget();
  const { status, text } = await service.client.attempt(contract, { ...request, as: bearer });
  expect({ status: status < 300, text }).toEqual({ status: true, text });
  const { length } = service.proxy.callsOf();
  // All of them are the endpoint's: none is the authorizer's. The log tells the same number.
  expect(service.proxy.callsOf(contract.id)).toHaveLength(length);
  if (!isDocument(contract)) expect(loggedCalls(contract.id)).toBe(length);
  return length;
};

const params = () => ({ workspace: fixture.workspace.name });

describe('Calls of the table per request, after a cached authorization', () => {
  it.each(endpoints.map((contract) => [contract.id, contract] as const))('%s', async (id, contract) => {
    const max = isDocument(contract) ? 0 : most[id];
    if (max === undefined) throw new Error(`Say in 'most' how many calls ${id} may make.`);
    expect(await callsOf(contract, async () => validRequest(contract, fixture))).toBeLessThanOrEqual(max);
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
