import { type Endpoint, endpoints } from '../functions/endpoints.ts';
import { getNpmUser } from '../functions/npm/contracts.ts';
import { getRepository, listRepositories } from '../functions/repositories/contracts.ts';
import { getCurrentUser } from '../functions/users/contracts.ts';
import { deleteWorkspaceByReference, getWorkspace, listWorkspaces } from '../functions/workspaces/contracts.ts';
import { ApiError } from '../shared/errors.ts';
import { type authorize, decide, keysToRead } from '../shared/http/authorization.ts';
import { type Principal, principalOfToken } from '../shared/http/principal.ts';
import { Table } from '../shared/table/client.ts';
import type { IdentityMap } from '../shared/table/identity-map.ts';
import { findTokenBySecret } from '../shared/table/tokens.ts';
import type { callers } from './harness/callers.ts';
import { facts } from './harness/endpoint-facts.ts';
import { buildFixture, type Fixture } from './harness/fixture.ts';
import { itAnswers } from './harness/it-answers.ts';
import { useService } from './harness/service.ts';

const service = useService();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
});

const inRepository = () => ({ workspace: fixture.workspace.id, repository: fixture.repository.id });

type AuthorizationRequest = Parameters<typeof authorize>[0];

/** What the pipeline knows of a caller after its first read: all that decides is in these items. */
interface Known {
  readonly principal: Principal;
  readonly loaded: IdentityMap;
}

const requestOf = (contract: Endpoint, principal: Principal, path = inRepository()): AuthorizationRequest => {
  const named = Object.entries({ ...path, user: fixture.targetUser.userId });
  const inPath = Object.fromEntries(named.filter(([name]) => contract.path.includes(`{${name}}`)));
  return { contract, principal, path: inPath, alsoWanted: () => [] };
};

const known = async (secret: string, path = inRepository()): Promise<Known> => {
  const token = await findTokenBySecret(new Table(), secret);
  if (!token) throw new Error('There is no such token.');
  const principal = principalOfToken(token);
  const request = { ...requestOf(getRepositoryEndpoint, principal), path };
  return { principal, loaded: await new Table().readWanted((loaded) => keysToRead(request, loaded)) };
};

const getRepositoryEndpoint = endpoints.find(({ id }) => id === getRepository.id) as Endpoint;

/** How the pipeline decides about a call of an endpoint. */
const outcome = (contract: Endpoint, { principal, loaded }: Known): string => {
  try {
    decide(requestOf(contract, principal), loaded);
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};

/** The endpoints that somebody must be authenticated for. */
const closed = endpoints.filter(({ access }) => access !== 'public');

/** What is refused only after access is decided: things that belong to somebody else. */
const ofUseCases = new Set(['TOKEN_NOT_FOUND', 'UPLOAD_NOT_FOUND']);

/** How the facts say that an endpoint answers one of the callers without any limit, as far as the pipeline decides it. */
const factOf = ({ id, access }: Endpoint, caller: (typeof callers)[number]): string => {
  if (access === 'user') return 'accepted';
  const [status = '', code = ''] = facts[id].answers[caller].split(' ');
  return /^[23]/.test(status) || ofUseCases.has(code) ? 'accepted' : code;
};

const outcomes = (decided: (contract: Endpoint) => string): Record<string, string> =>
  Object.fromEntries(closed.map((contract) => [contract.id, decided(contract)]));

describe('A workspace token', () => {
  /** What is about users is refused, and what only System Admins may do. */
  const asMachine = (caller: (typeof callers)[number]) => (contract: Endpoint) =>
    ['user', 'oneself'].includes(contract.access) ? 'FORBIDDEN' : factOf(contract, caller);

  it.each([
    ['canView', 'viewer'],
    ['canDeploy', 'deployer'],
    ['canManage', 'manager'],
  ] as const)('with %s may do what a %s may, and nothing that is about users', async (level, caller) => {
    for (const repositories of [undefined, [fixture.repository]]) {
      const { token } = await service.world.workspaceToken(fixture.workspace, level, repositories);
      const machine = await known(token);
      expect(outcomes((contract) => outcome(contract, machine))).toEqual(outcomes(asMachine(caller)));
    }
  });

  it('sees its workspace without a level on a repository of it, and nothing of another workspace', async () => {
    const without = await service.world.workspaceToken(fixture.workspace, 'canManage', [fixture.universal]);
    const elsewhere = await service.world.workspaceToken(await service.world.workspace(), 'canManage');
    const [member, stranger] = await Promise.all([known(without.token), known(elsewhere.token)]);
    expect(outcomes((contract) => outcome(contract, member))).toEqual(outcomes(asMachine('member')));
    expect(outcomes((contract) => outcome(contract, stranger))).toEqual(outcomes(asMachine('stranger')));
  });

  it('lists the repositories that it has a level on', async () => {
    const { workspace, repository, universal } = fixture;
    const asked = async (bearer: string) => {
      const list = await service.client.succeed(listRepositories, {
        params: { workspace: workspace.name },
        as: bearer,
      });
      return list.map(({ id }) => id).toSorted();
    };
    const all = await service.world.workspaceToken(workspace, 'canView');
    expect(await asked(all.bearer)).toEqual([repository.id, universal.id].toSorted());
    const one = await service.world.workspaceToken(workspace, 'canView', [universal]);
    expect(await asked(one.bearer)).toEqual([universal.id]);
    expect(await asked((await service.world.workspaceToken(workspace, 'canView', [])).bearer)).toEqual([]);
  });

  it('has its name where clients ask for the name of a user', async () => {
    const { bearer } = await service.world.workspaceToken(fixture.workspace, 'canView');
    const params = { packageType: 'npm', ...inRepository() };
    expect(await service.client.succeed(getNpmUser, { params, as: bearer })).toEqual({ username: 'pipeline' });
  });

  itAnswers('403 FORBIDDEN where only a user can ask', async () => {
    const { bearer: as } = await service.world.workspaceToken(fixture.workspace, 'canManage');
    return [await service.client.call(getCurrentUser, { as }), await service.client.call(listWorkspaces, { as })];
  });

  itAnswers('401 UNAUTHENTICATED from the next request on when its workspace is deleted', async () => {
    const workspace = await service.world.workspace();
    const { bearer: as } = await service.world.workspaceToken(workspace, 'canManage');
    const params = { workspace: workspace.id };
    await service.client.succeed(getWorkspace, { params, as });
    await service.client.succeed(deleteWorkspaceByReference, { params, as: fixture.systemAdmin.bearer });
    return service.client.call(getWorkspace, { params, as });
  });
});
