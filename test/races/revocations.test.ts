import {
  addWorkspaceMember,
  listRepositoryMembers,
  removeRepositoryMember,
  removeWorkspaceMember,
} from '../../functions/members/contracts.ts';
import { getRepository } from '../../functions/repositories/contracts.ts';
import { deleteCurrentSession, deleteSession } from '../../functions/sessions/contracts.ts';
import { deletePersonalAccessToken } from '../../functions/tokens/contracts.ts';
import { createTrust, deleteTrust, exchangeToken, updateTrust } from '../../functions/trusts/contracts.ts';
import { getCurrentUser, updateUser } from '../../functions/users/contracts.ts';
import { getWorkspace } from '../../functions/workspaces/contracts.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import { pageHeaders, signIn } from '../facts/browser-sessions.ts';
import type { Answer } from '../harness/client.ts';
import { answersAfter, streams } from '../harness/concurrency.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { roundsOf, shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { trustBody, useIssuer } from '../harness/trusts.ts';
import type { Actor, Named } from '../harness/world.ts';

const service = useService();
const issuer = useIssuer();
let root: string;
let workspace: Named;
let repository: Named;

beforeAll(async () => {
  root = (await service.world.systemAdmin()).bearer;
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
});

const inWorkspace = () => ({ workspace: workspace.id });
const inRepository = () => ({ ...inWorkspace(), repository: repository.id });

const setRole = (userId: string, role: 'admin' | 'member') =>
  service.client.succeed(addWorkspaceMember, { params: inWorkspace(), body: { userId, role }, as: root });

/** Rounds of the stream; `npm run test:races` runs 1,000. */
const rounds = Number(process.env.REVOKE_ROUNDS ?? roundsOf(10));

/** Gives a right and takes it away under a running stream of requests; answers with how many it refused and accepted. */
const revokeUnderLoad = async (ask: () => Promise<Answer>, revoke: () => Promise<unknown>) => {
  const statuses = await answersAfter(ask, ({ status }) => status < 300, revoke);
  return {
    refused: statuses.filter((status) => status >= 400).length,
    accepted: statuses.filter((status) => status < 400).length,
  };
};

type Revocation = (actor: Actor) => Promise<{ ask: () => Promise<Answer>; revoke: () => Promise<unknown> }>;

/** Each gives the actor a right and tells how to use it and how to take it away. */
const revocations: Readonly<Record<string, Revocation>> = {
  permission: async (actor) => {
    const { userId, bearer } = actor;
    await service.world.grant(workspace, repository, actor, 'canView');
    return {
      ask: () => service.client.call(getRepository, { params: inRepository(), as: bearer }),
      revoke: () =>
        service.client.succeed(removeRepositoryMember, { params: { ...inRepository(), user: userId }, as: root }),
    };
  },
  membership: async ({ userId, bearer }) => {
    await setRole(userId, 'member');
    return {
      ask: () => service.client.call(getWorkspace, { params: inWorkspace(), as: bearer }),
      revoke: () =>
        service.client.succeed(removeWorkspaceMember, { params: { ...inWorkspace(), user: userId }, as: root }),
    };
  },
  'role of an admin': async ({ userId, bearer }) => {
    await setRole(userId, 'admin');
    return {
      ask: () => service.client.call(listRepositoryMembers, { params: inRepository(), as: bearer }),
      revoke: () => setRole(userId, 'member'),
    };
  },
  token: async (actor) => {
    const { token, tokenId } = await service.world.token(actor);
    return {
      ask: () => service.client.call(getCurrentUser, { as: bearerHeader(token) }),
      revoke: () => service.client.succeed(deletePersonalAccessToken, { params: { tokenId }, as: root }),
    };
  },
  'session by signing out': async (actor) => {
    const { bearer, cookie } = await signIn(service.client, actor);
    return {
      ask: () => service.client.call(getCurrentUser, { as: bearer }),
      revoke: () => service.client.attempt(deleteCurrentSession, { headers: pageHeaders(cookie) }),
    };
  },
  'session of somebody else': async (actor) => {
    const { bearer, sessionId: session } = await signIn(service.client, actor);
    const params = { user: actor.userId, session };
    return {
      ask: () => service.client.call(getCurrentUser, { as: bearer }),
      revoke: () => service.client.succeed(deleteSession, { params, as: root }),
    };
  },
  user: async ({ userId, bearer }) => {
    const set = (disabled: boolean) =>
      service.client.succeed(updateUser, { params: { user: userId }, body: { disabled }, as: root });
    await set(false);
    return { ask: () => service.client.call(getCurrentUser, { as: bearer }), revoke: () => set(true) };
  },
};

const newTrust = async (): Promise<{ id: string; params: { workspace: string; trust: string } }> => {
  const body = trustBody(repository, { issuer: issuer.url });
  const { id } = await service.client.succeed(createTrust, { params: inWorkspace(), body, as: root });
  return { id, params: { ...inWorkspace(), trust: id } };
};

const exchanged = (trust: string) =>
  service.client.call(exchangeToken, { body: { trust, subject_token: issuer.token() } });

const see = (token: string) => service.client.call(getRepository, { params: inRepository(), as: bearerHeader(token) });

/** A token of a trust, used again and again, while the trust ends in one of its ways. */
const endingTrust =
  (end: (params: { workspace: string; trust: string }) => Promise<unknown>): Revocation =>
  async () => {
    const { id, params } = await newTrust();
    const token = (await exchanged(id)).result?.access_token ?? '';
    return { ask: () => see(token), revoke: () => end(params) };
  };

const deleteIt = (params: { workspace: string; trust: string }) =>
  service.client.succeed(deleteTrust, { params, as: root });
const change = (body: BodyOf<typeof updateTrust>) => (params: { workspace: string; trust: string }) =>
  service.client.succeed(updateTrust, { params, body, as: root });

/** The ways in which the tokens of a trust end, or lose a repository. */
const trustRevocations: Readonly<Record<string, Revocation>> = {
  'trust itself': endingTrust(deleteIt),
  'trust from those whom it lets in': endingTrust((params) =>
    change({ conditions: [{ claim: 'repository_id', equals: '1' }] })(params),
  ),
  'repository from a trust': endingTrust(async (params) => {
    const other = await service.world.repository(workspace);
    return change({ repositories: [{ repositoryReference: other.id, repositoryPermissionLevel: 'canView' }] })(params);
  }),
  'trust while it gives out tokens': async () => {
    const { id, params } = await newTrust();
    const ask = async () => {
      const answer = await exchanged(id);
      return answer.result ? see(answer.result.access_token) : answer;
    };
    return { ask, revoke: () => deleteIt(params) };
  },
};

describe.each([revocations, trustRevocations])('A revocation under a running stream of requests', (kinds) => {
  const roundsOfEach = rounds / Object.keys(kinds).length;

  it.each(shareOf(Object.entries(kinds), 2))(
    'of a %s lets none pass that started after its answer',
    async (_, revocation) => {
      const actor = await service.world.member(workspace);
      const total = { refused: 0, accepted: 0 };
      for (let round = 0; round < roundsOfEach; round += 1) {
        const { ask, revoke } = await revocation(actor);
        const { refused, accepted } = await revokeUnderLoad(ask, revoke);
        total.refused += refused;
        total.accepted += accepted;
      }
      expect(total.accepted).toBe(0);
      expect(total.refused).toBeGreaterThanOrEqual(roundsOfEach * 2 * streams);
    },
    15 * 60 * 1000,
  );
});
