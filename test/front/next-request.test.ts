import { removeRepositoryMember, removeWorkspaceMember } from '../../functions/members/contracts.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import { deleteRepository } from '../../functions/repositories/contracts.ts';
import { deletePersonalAccessToken, deleteWorkspaceToken } from '../../functions/tokens/contracts.ts';
import { createTrust, deleteTrust, exchangeToken } from '../../functions/trusts/contracts.ts';
import { updateUser } from '../../functions/users/contracts.ts';
import { deleteWorkspaceByReference } from '../../functions/workspaces/contracts.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { publishBody } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { trustBody, useIssuer } from '../harness/trusts.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { askFront, passedOn } from './answers.ts';

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
  'a trust is deleted': async () => {
    const body = trustBody(repository, { issuer: issuer.url });
    const { id } = await service.client.succeed(createTrust, { params: inWorkspace(), body, ...as() });
    const { access_token: token } = await service.client.succeed(exchangeToken, {
      body: { trust: id, subject_token: issuer.token() },
    });
    const params = { ...inWorkspace(), trust: id };
    return { as: bearerHeader(token), end: async () => service.client.succeed(deleteTrust, { params, ...as() }) };
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

describe('The next read at the front after the answer to a change, while the front remembers who calls', () => {
  it.each(Object.keys(changes))('is refused when %s', async (change) => {
    for (let round = 0; round < rounds; round += 1) {
      const {
        as: authorization,
        path = pathIn(workspace, repository),
        end,
      } = await (changes[change] as () => Promise<Ending>)();
      const ask = async () => (await askFront(service, { path, headers: { authorization } })).status;
      // The API notes the first use of a token in an hour.
      expect([await ask(), await ask()]).toEqual([200, 200]);
      const before = passedOn(service).length;
      await end();
      expect([401, 404]).toContain(await ask());
      expect(passedOn(service).length).toBe(before);
    }
  });
});
