import { randomUUID } from 'node:crypto';
import {
  addRepositoryMember,
  addWorkspaceMember,
  removeRepositoryMember,
  removeWorkspaceMember,
} from '../../functions/members/contracts.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import {
  deletePersonalAccessToken,
  deleteWorkspaceToken,
  rotatePersonalAccessToken,
} from '../../functions/tokens/contracts.ts';
import { createTrust, deleteTrust, exchangeToken, updateTrust } from '../../functions/trusts/contracts.ts';
import { updateUser } from '../../functions/users/contracts.ts';
import { deleteWorkspaceByReference } from '../../functions/workspaces/contracts.ts';
import { inlineGrantsMax } from '../../shared/table/identity/grants.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { publishBody } from '../harness/npm.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { insertGrants } from '../harness/stored-grants.ts';
import { trustBody, useIssuer } from '../harness/trusts.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { askFront, askGateway, passedOn } from './answers.ts';

jest.setTimeout(3_600_000);

const service = useService({ hasFront: true });
const issuer = useIssuer();
/** Rounds of each change; `npm run test:front` makes 1,000. */
const rounds = Number(process.env.REVOKE_ROUNDS ?? 2);
let root: Actor;
let workspace: Named;
let repository: Named;
const name = uniqueName('read');

const pathIn = ({ id }: Named, { id: repositoryId }: Named): string => `/npm/${id}/${repositoryId}/${name}`;

const publishIn = async (place: Named, { id }: Named): Promise<void> => {
  const path = pathIn(place, { id, name: '' });
  const headers = { authorization: root.bearer, 'content-type': 'application/json' };
  const { status } = await askFront(service, { method: 'PUT', path, headers, body: JSON.stringify(publishBody(name)) });
  expect(status).toBe(201);
};

beforeAll(async () => {
  root = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
  await publishIn(workspace, repository);
});

const inWorkspace = () => ({ workspace: workspace.id });
const inRepository = () => ({ ...inWorkspace(), repository: repository.id });
const as = () => ({ as: root.bearer });

/** Somebody who may read, and a change after which that is over. */
interface Ending {
  readonly as: string;
  readonly path?: string;
  readonly end: () => Promise<unknown>;
}

const viewer = async (): Promise<Actor> => {
  const actor = await service.world.member(workspace);
  await service.world.grant(workspace, repository, actor, 'canView');
  return actor;
};

const endingOf = async (end: (actor: Actor) => Promise<unknown>): Promise<Ending> => {
  const actor = await viewer();
  return { as: actor.bearer, end: async () => end(actor) };
};

/** A token of a trust, and how what it may do ends. */
const trusted = async (end: (params: { workspace: string; trust: string }) => Promise<unknown>): Promise<Ending> => {
  const body = trustBody(repository, { issuer: issuer.url });
  const { id } = await service.client.succeed(createTrust, { params: inWorkspace(), body, ...as() });
  const exchanged = { body: { trust: id, subject_token: issuer.token() } };
  const { access_token: token } = await service.client.succeed(exchangeToken, exchanged);
  return { as: bearerHeader(token), end: async () => end({ ...inWorkspace(), trust: id }) };
};

const changes: Readonly<Record<string, () => Promise<Ending>>> = {
  'a token is revoked': async () =>
    endingOf(async ({ tokenId, account }) =>
      service.client.succeed(deletePersonalAccessToken, { params: { tokenId }, as: account }),
    ),
  'a user is disabled': async () =>
    endingOf(async ({ userId }) =>
      service.client.succeed(updateUser, { params: { user: userId }, body: { disabled: true }, ...as() }),
    ),
  'a grant is deleted': async () =>
    endingOf(async ({ userId }) =>
      service.client.succeed(removeRepositoryMember, { params: { ...inRepository(), user: userId }, ...as() }),
    ),
  'a membership ends': async () =>
    endingOf(async ({ userId }) =>
      service.client.succeed(removeWorkspaceMember, { params: { ...inWorkspace(), user: userId }, ...as() }),
    ),
  'one of many grants is deleted': async () => {
    const actor = await viewer();
    const many = Array.from({ length: inlineGrantsMax }, () => ({
      repositoryId: randomUUID(),
      level: 'canView' as const,
    }));
    await insertGrants(workspace.id, actor.userId, many);
    const params = { ...inRepository(), user: actor.userId };
    return { as: actor.bearer, end: async () => service.client.succeed(removeRepositoryMember, { params, ...as() }) };
  },
  'a token is replaced by another': async () =>
    endingOf(async ({ tokenId, account }) =>
      service.client.succeed(rotatePersonalAccessToken, { params: { tokenId }, body: {}, as: account }),
    ),
  'all tokens of a user are revoked': async () =>
    endingOf(async ({ userId }) =>
      service.client.succeed(updateUser, { params: { user: userId }, body: { revokeTokens: true }, ...as() }),
    ),
  'a System Admin becomes a user': async () => {
    const { userId, bearer } = await service.world.user({ userRole: 'system-admin' });
    const change = { params: { user: userId }, body: { userRole: 'user' as const } };
    return { as: bearer, end: async () => service.client.succeed(updateUser, { ...change, ...as() }) };
  },
  'an admin of the workspace becomes a member': async () => {
    const { userId, bearer } = await service.world.member(workspace, 'admin');
    const change = { params: inWorkspace(), body: { userId, role: 'member' as const } };
    return { as: bearer, end: async () => service.client.succeed(addWorkspaceMember, { ...change, ...as() }) };
  },
  'an admin of the workspace becomes a member without a grant': async () => {
    const actor = await service.world.member(workspace, 'admin');
    const demote = async () => {
      await service.client.succeed(removeWorkspaceMember, {
        params: { ...inWorkspace(), user: actor.userId },
        ...as(),
      });
      await service.world.member(workspace, 'member', actor);
    };
    return { as: actor.bearer, end: demote };
  },
  'a token of the workspace is revoked': async () => {
    const { bearer, tokenId } = await service.world.workspaceToken(workspace, 'canView');
    const params = { ...inWorkspace(), tokenId };
    return { as: bearer, end: async () => service.client.succeed(deleteWorkspaceToken, { params, ...as() }) };
  },
  'a trust is deleted': async () => trusted((params) => service.client.succeed(deleteTrust, { params, ...as() })),
  'a trust lets others in': async () =>
    trusted((params) => {
      const body = { conditions: [{ claim: 'repository_id', equals: '1' }] };
      return service.client.succeed(updateTrust, { params, body, ...as() });
    }),
  'a trust loses the repository': async () => {
    const { id } = await service.world.repository(workspace);
    const repositories = [{ repositoryReference: id, repositoryPermissionLevel: 'canView' as const }];
    return trusted((params) => service.client.succeed(updateTrust, { params, body: { repositories }, ...as() }));
  },
  'the workspace is deleted': async () => {
    const other = await service.world.workspace();
    const local = await service.world.repository(other);
    await publishIn(other, local);
    const actor = await service.world.member(other, 'admin');
    const end = async () => {
      const params = { workspace: other.id };
      await service.client.succeed(deleteContent, { params: { ...params, repository: local.id }, ...as() });
      await service.client.succeed(deleteRepository, { params: { ...params, repository: local.id }, ...as() });
      await service.client.succeed(deleteWorkspaceByReference, { params, ...as() });
    };
    return { as: actor.bearer, path: pathIn(other, local), end };
  },
};

const fronts = { 'the front for reads': askFront, 'API Gateway': askGateway } as const;

const cases = Object.keys(fronts).flatMap((front) => Object.keys(changes).map((change) => [front, change] as const));

describe('The next read after the answer to a change, while processes remember who calls and what the caller may do', () => {
  it.each(shareOf(cases, 3))('is refused at %s when %s', async (front, change) => {
    for (let round = 0; round < rounds; round += 1) {
      const {
        as: authorization,
        path = pathIn(workspace, repository),
        end,
      } = await (changes[change] as () => Promise<Ending>)();
      const ask = async () => {
        const asked = { path, headers: { authorization } };
        return (await fronts[front as keyof typeof fronts](service, asked)).status;
      };
      // The API notes the first use of a token in an hour. The second read is the first that is remembered, and the third remembers it.
      expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
      const before = passedOn(service).length;
      await end();
      expect([401, 404]).toContain(await ask());
      expect(passedOn(service).length).toBe(before);
    }
  });

  it.each(Object.keys(fronts))('is answered at %s when a level is granted, and the one after it', async (front) => {
    const actor = await service.world.member(workspace);
    const asked = { path: pathIn(workspace, repository), headers: { authorization: actor.bearer } };
    const ask = async () => (await fronts[front as keyof typeof fronts](service, asked)).status;
    expect([await ask(), await ask(), await ask()]).toEqual([404, 404, 404]);
    const body = { userId: actor.userId, repositoryPermissionLevel: 'canView' as const };
    await service.client.succeed(addRepositoryMember, { params: inRepository(), body, ...as() });
    expect([await ask(), await ask()]).toEqual([200, 200]);
  });
});
