import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import {
  getRepositoryMember,
  getWorkspaceMember,
  listRepositoryMembers,
  listWorkspaceMembers,
} from '../../functions/members/contracts.ts';
import { getNpmSearch, getNpmUser } from '../../functions/npm/contracts.ts';
import { getPackageVersion, listPackageVersions } from '../../functions/packages/contracts.ts';
import { listMemberRepositories, listRepositories, updateRepository } from '../../functions/repositories/contracts.ts';
import {
  deletePersonalAccessToken,
  listPersonalAccessTokens,
  rotatePersonalAccessToken,
} from '../../functions/tokens/contracts.ts';
import { getCurrentUser, updateUser } from '../../functions/users/contracts.ts';
import { deleteWorkspaceByReference, getWorkspace, listWorkspaces } from '../../functions/workspaces/contracts.ts';
import { ApiError } from '../../shared/errors.ts';
import { type authorize, decide, keysToRead } from '../../shared/http/authorization.ts';
import { type Principal, principalOfToken } from '../../shared/http/principal.ts';
import { Table } from '../../shared/table/client.ts';
import { findTokenBySecret, type TokenLimits } from '../../shared/table/identity/tokens.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { callers } from '../harness/callers.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { facts } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture } from '../harness/fixture.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { npmFormat } from '../harness/package-formats.ts';
import { useService } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';

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
  const request = { ...requestOf(changesRepository, principal), path };
  return { principal, loaded: await new Table().readWanted((loaded) => keysToRead(request, loaded)) };
};

/** Who changes a repository reads all that decides about any endpoint; who reads one does not read its workspace. */
const changesRepository = endpoints.find(({ id }) => id === updateRepository.id) as Endpoint;

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

/** What is refused only after access is decided: things that belong to somebody else, and what an endpoint has but a sentence for. */
const ofUseCases = new Set(['TOKEN_NOT_FOUND', 'UPLOAD_NOT_FOUND', 'ROUTE_NOT_FOUND']);

/** Endpoints that look themselves at whom the path names. */
const decidesItself: ReadonlySet<string> = new Set([listMemberRepositories.id]);

/** How the facts say that an endpoint answers one of the callers without any limit, as far as the pipeline decides it. */
const factOf = ({ id, access }: Endpoint, caller: (typeof callers)[number]): string => {
  if (access === 'user') return 'accepted';
  const [status = '', code = ''] = facts[id].answers[caller].split(' ');
  const isLater = ofUseCases.has(code) || (code === 'FORBIDDEN' && decidesItself.has(id));
  return /^[23]/.test(status) || isLater ? 'accepted' : code;
};

const outcomes = (decided: (contract: Endpoint) => string): Record<string, string> =>
  Object.fromEntries(closed.map((contract) => [contract.id, decided(contract)]));

describe('A workspace token', () => {
  /** What is about users is refused, and what only System Admins may do. */
  const asMachine = (caller: (typeof callers)[number]) => (contract: Endpoint) => {
    const decided = factOf(contract, caller);
    const isForUsers = 'isForUsers' in contract && decided === 'accepted';
    return isForUsers || ['user', 'oneself'].includes(contract.access) ? 'FORBIDDEN' : decided;
  };

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

  itAnswers('403 FORBIDDEN where the names of users are listed, whatever its level', async () => {
    const { workspace, repository, targetUser } = fixture;
    const { bearer: as } = await service.world.workspaceToken(workspace, 'canManage');
    const [inWorkspace, ofRepository] = [
      { workspace: workspace.id },
      { workspace: workspace.id, repository: repository.id },
    ];
    const user = targetUser.userId;
    return [
      await service.client.call(listWorkspaceMembers, { params: inWorkspace, as }),
      await service.client.call(getWorkspaceMember, { params: { ...inWorkspace, user }, as }),
      await service.client.call(listRepositoryMembers, { params: ofRepository, as }),
      await service.client.call(getRepositoryMember, { params: { ...ofRepository, user }, as }),
    ];
  });

  it('is shown who published a package without the names of users, and with its own', async () => {
    const { client, world } = service;
    const workspace = await world.workspace();
    const [repository, packages] = [await world.repository(workspace), await world.repository(workspace)];
    const user = await world.member(workspace, 'admin');
    const machine = await world.workspaceToken(workspace, 'canManage');
    const [name, own] = ['published-by-a-user', 'published-by-a-token'];
    const at = { workspace, version: '1.0.0' };
    await npmFormat.publish(service, { ...at, repository, name, as: user.bearer }, 'content');
    await npmFormat.publish(service, { ...at, repository: packages, name: own, as: machine.bearer }, 'content');
    const seen = async (as: string, { id }: { readonly id: string }, packageName: string) => {
      const params = { workspace: workspace.id, repository: id, package: packageName };
      const [listed] = await client.succeed(listPackageVersions, { params, as });
      const version = await client.succeed(getPackageVersion, { params: { ...params, version: '1.0.0' }, as });
      const search = { workspace: workspace.id, repository: id };
      const { text } = await client.attempt(getNpmSearch, { params: search, query: { text: 'published' }, as });
      const { objects } = JSON.parse(text) as { objects: { package: { publisher: { username: string } } }[] };
      const publishers = [listed, version, ...version.files].map((each) => each?.publishedBy);
      expect(publishers).toEqual([listed?.publishedBy, listed?.publishedBy, listed?.publishedBy]);
      return { publisher: listed?.publishedBy, found: objects.map((each) => each.package.publisher.username) };
    };
    const { userId, username, tokenId } = user;
    const byUser = { kind: 'user', userId, tokenId };
    expect(await seen(user.bearer, repository, name)).toEqual({
      publisher: { ...byUser, username },
      found: [username],
    });
    expect(await seen(machine.bearer, repository, name)).toEqual({
      publisher: { ...byUser, username: null },
      found: [''],
    });
    const byToken = { kind: 'workspace-token', userId: null, username: 'pipeline', tokenId: machine.tokenId };
    for (const as of [user.bearer, machine.bearer])
      expect(await seen(as, packages, own)).toEqual({ publisher: byToken, found: ['pipeline'] });
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

describe('A personal access token with limits', () => {
  const roles = ['stranger', 'member', 'viewer', 'deployer', 'manager', 'workspaceAdmin', 'systemAdmin'] as const;
  type Role = (typeof roles)[number];

  /** As whom a caller acts whose token may do no more on a repository, and who is no admin of a workspace then. */
  const atMost = (max: Role) => (role: Role) => (roles.indexOf(role) > roles.indexOf(max) ? max : role);
  const withoutSystem = atMost('workspaceAdmin');
  const withoutRepository = (role: Role) => (role === 'stranger' ? role : 'member');

  /** Each kind of limit, and as whom each caller acts with it. */
  const kinds: Readonly<
    Record<
      string,
      readonly [make: (fixture: Fixture & { readonly other: string }) => TokenLimits, as: (role: Role) => Role]
    >
  > = {
    'to the workspace': [({ workspace }) => ({ workspaces: { [workspace.id]: null } }), withoutSystem],
    'to another workspace': [({ other }) => ({ workspaces: { [other]: null } }), () => 'stranger'],
    'to the repository': [
      ({ workspace, repository }) => ({ workspaces: { [workspace.id]: [repository.id] } }),
      atMost('manager'),
    ],
    'to another repository': [
      ({ workspace, universal }) => ({ workspaces: { [workspace.id]: [universal.id] } }),
      withoutRepository,
    ],
    'to canManage': [() => ({ level: 'canManage' }), withoutSystem],
    'to canDeploy': [() => ({ level: 'canDeploy' }), atMost('deployer')],
    'to canView': [() => ({ level: 'canView' }), atMost('viewer')],
    'to canDeploy in the workspace': [
      ({ workspace }) => ({ workspaces: { [workspace.id]: null }, level: 'canDeploy' }),
      atMost('deployer'),
    ],
    'to reading': [() => ({ readOnly: true }), (role) => role],
    'to reading the repository': [
      ({ workspace, repository }) => ({ workspaces: { [workspace.id]: [repository.id] }, readOnly: true }),
      atMost('manager'),
    ],
  };

  /** What makes or changes credentials or users, from the list of endpoints by hand; and what a token may do to itself. */
  const isAboutCredentials = ({ id }: Endpoint): boolean =>
    [
      'tokens/create-personal-access-token',
      'tokens/create-workspace-token',
      'tokens/rotate-workspace-token',
      'trusts/create-trust',
      'trusts/update-trust',
      'users/update-user',
    ].includes(id);
  const isAboutItself = ({ id }: Endpoint): boolean =>
    [
      'gems/create-gem-key',
      'npm/create-npm-token',
      'npm/delete-npm-token',
      'tokens/delete-personal-access-token',
      'tokens/rotate-personal-access-token',
    ].includes(id);

  /** What changes nothing although it is sent as POST. */
  const isQuestion = ({ id }: Endpoint): boolean =>
    [
      'composer/check-composer-packages',
      'npm/check-npm-packages',
      'packages/check-version',
      'trusts/check-trust',
    ].includes(id);

  const expected = (role: Role, isReadOnly: boolean) => (contract: Endpoint) => {
    const plain = factOf(contract, role);
    if (plain !== 'accepted' || contract.method === 'GET' || isAboutItself(contract) || isQuestion(contract))
      return plain;
    return isReadOnly || isAboutCredentials(contract) ? 'FORBIDDEN' : plain;
  };

  it.each(Object.entries(kinds))('%s may do what is in both: the limit, and what its user may do', async (_, kind) => {
    const [make, as] = kind;
    const limits = make({ ...fixture, other: (await service.world.workspace()).id });
    for (const role of roles) {
      const { token } = await service.world.token(fixture[role], null, limits);
      const caller = await known(token);
      const wanted = outcomes(expected(as(role), limits.readOnly === true));
      // Oneself is still oneself: the user in the path is somebody else.
      expect([role, outcomes((contract) => outcome(contract, caller))]).toEqual([role, wanted]);
    }
  });

  it('sees only the workspaces and repositories of its limits in lists', async () => {
    const { world, client } = service;
    const [workspace, other] = [await world.workspace(), await world.workspace()];
    const admin = await world.member(workspace, 'admin');
    await world.member(other, 'member', admin);
    const [one, two] = [await world.repository(workspace), await world.repository(workspace)];
    const tokenOf = async (user: Actor, limits: TokenLimits) =>
      bearerHeader((await world.token(user, null, limits)).token);
    const repositoriesOf = async (as: string) =>
      (await client.succeed(listRepositories, { params: { workspace: workspace.id }, as })).map(({ id }) => id);
    const narrow = await tokenOf(admin, { workspaces: { [workspace.id]: [one.id] } });
    expect(await repositoriesOf(narrow)).toEqual([one.id]);
    expect((await client.succeed(listWorkspaces, { as: narrow })).map(({ id }) => id)).toEqual([workspace.id]);
    const me = await client.succeed(getCurrentUser, { as: narrow });
    expect(me.workspaces.map(({ workspaceId }) => workspaceId)).toEqual([workspace.id]);
    expect(me.token?.limits?.workspaces).toEqual([{ workspaceId: workspace.id, repositoryIds: [one.id] }]);

    const member = await world.member(workspace);
    await world.grant(workspace, two, member, 'canView');
    const both = await tokenOf(member, { workspaces: { [workspace.id]: [one.id, two.id] } });
    expect(await repositoriesOf(both)).toEqual([two.id]);
    const ofRoot = await tokenOf(await world.systemAdmin(), { workspaces: { [workspace.id]: null } });
    expect((await client.succeed(listWorkspaces, { as: ofRoot })).map(({ id }) => id)).toEqual([workspace.id]);
  });

  it('sees, deletes and rotates itself alone, and hands its limits on', async () => {
    const { world, client } = service;
    const root = await world.systemAdmin();
    const limits = { level: 'canView' } as const;
    const [limited, other] = [await world.token(root, null, limits), await world.token(root)];
    const as = bearerHeader(limited.token);
    const rotate = (tokenId: string, by = as) =>
      client.attempt(rotatePersonalAccessToken, { params: { tokenId }, body: {}, as: by });
    const remove = (tokenId: string, by = as) =>
      client.call(deletePersonalAccessToken, { params: { tokenId }, as: by });
    expect((await client.succeed(listPersonalAccessTokens, { as })).map(({ id }) => id)).toEqual([limited.tokenId]);
    const ofReader = await world.token(root, null, { readOnly: true });
    for (const by of [as, bearerHeader(ofReader.token)]) {
      expect((await rotate(other.tokenId, by)).code).toBe('TOKEN_NOT_FOUND');
      expect((await remove(other.tokenId, by)).code).toBe('TOKEN_NOT_FOUND');
    }
    const { result } = await rotate(limited.tokenId);
    const record = { workspaces: [], repositoryPermissionLevel: 'canView', readOnly: false };
    expect(result?.limits).toEqual(record);
    const rotated = bearerHeader(result?.token ?? '');
    expect((await client.succeed(getCurrentUser, { as: rotated })).token?.limits).toEqual(record);
    expect((await remove(ofReader.tokenId, bearerHeader(ofReader.token))).status).toBe(200);
    expect((await remove(result?.id ?? '', rotated)).status).toBe(200);
  });

  it('is no token to a release that knows no limits, and ends with the others when its user revokes all', async () => {
    const user = await service.world.user();
    const limited = await service.world.token(user, null, { readOnly: true });
    const stored = await findTokenBySecret(new Table(), limited.token);
    // Release 0.2.0 compares the generation with that of the user.
    expect(stored).toMatchObject({ tokenGeneration: 'limited ' });
    const as = bearerHeader(limited.token);
    expect((await service.client.call(getCurrentUser, { as })).status).toBe(200);
    const body = { revokeTokens: true };
    const { bearer } = await service.world.systemAdmin();
    await service.client.succeed(updateUser, { params: { user: user.userId }, body, as: bearer });
    expect((await service.client.call(getCurrentUser, { as })).status).toBe(401);
  });
});
