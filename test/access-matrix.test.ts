import { endpoints } from '../functions/endpoints.ts';
import { getCurrentUser } from '../functions/users/contracts.ts';
import { newToken } from '../shared/auth/tokens.ts';
import type { Answer } from './harness/client.ts';
import { accountHeader, bearerHeader, tokenHeader } from './harness/credentials.ts';
import { buildFixture, type Fixture, validRequest } from './harness/fixture.ts';
import { useService } from './harness/service.ts';
import { newPassword } from './harness/world.ts';

const known = ['stranger', 'adminElsewhere', 'member', 'viewer', 'manager', 'workspaceAdmin', 'systemAdmin'] as const;
type Known = (typeof known)[number];

/** The answers to each caller with a valid credential; `unknown` is everyone without one. */
type Row = Readonly<Record<Known | 'unknown', string>>;

const unknown = '401 UNAUTHENTICATED';
const invisible = '404 WORKSPACE_NOT_FOUND';

const everyUser = (success: string): Row => ({
  unknown,
  stranger: success,
  adminElsewhere: success,
  member: success,
  viewer: success,
  manager: success,
  workspaceAdmin: success,
  systemAdmin: success,
});
const everybody = (success: string): Row => ({ ...everyUser(success), unknown: success });
const systemAdmins = (success: string, refusal = '403 FORBIDDEN'): Row => ({
  ...everyUser(refusal),
  unknown,
  systemAdmin: success,
});
const workspaceMembers = (success: string): Row => ({
  ...everyUser(success),
  stranger: invisible,
  adminElsewhere: invisible,
});
const workspaceAdmins = (success: string): Row => ({
  ...workspaceMembers('403 FORBIDDEN'),
  workspaceAdmin: success,
  systemAdmin: success,
});

/** Who may do what, written from the contract of the service and independently of the code. */
const matrix: Readonly<Record<string, Row>> = {
  'members/add-member-to-repositories': workspaceAdmins('200'),
  'members/add-repository-member': workspaceAdmins('201'),
  'members/add-workspace-member': workspaceAdmins('200'),
  'members/get-repository-member': {
    ...workspaceAdmins('200'),
    member: '404 REPOSITORY_NOT_FOUND',
    manager: '200',
  },
  'members/get-workspace-member': workspaceMembers('200'),
  'members/list-repository-members': {
    ...workspaceAdmins('200'),
    member: '404 REPOSITORY_NOT_FOUND',
    manager: '200',
  },
  'members/list-workspace-members': workspaceMembers('200'),
  'members/remove-repository-member': workspaceAdmins('200'),
  'members/remove-workspace-member': workspaceAdmins('200'),
  'repositories/create-local-repository': workspaceAdmins('201'),
  'repositories/create-remote-repository': workspaceAdmins('201'),
  'repositories/create-virtual-repository': workspaceAdmins('201'),
  'repositories/delete-repository': workspaceAdmins('200'),
  'repositories/get-repository': { ...workspaceMembers('200'), member: '404 REPOSITORY_NOT_FOUND' },
  'repositories/list-repositories': workspaceMembers('200'),
  'repositories/update-repository': workspaceAdmins('200'),
  'system/get-health': everybody('200'),
  'system/get-openapi-document': everybody('200'),
  'system/get-readiness': everybody('200'),
  'system/get-reference-page': everybody('200'),
  'system/get-reference-script': everybody('200'),
  'tokens/create-personal-access-token': everyUser('201'),
  'tokens/delete-personal-access-token': systemAdmins('200', '404 TOKEN_NOT_FOUND'),
  'tokens/get-personal-access-token': systemAdmins('200', '404 TOKEN_NOT_FOUND'),
  'tokens/list-personal-access-tokens': everyUser('200'),
  'tokens/list-user-personal-access-tokens': systemAdmins('200'),
  'users/create-user': systemAdmins('201'),
  'users/get-current-user': everyUser('200'),
  'users/get-user': systemAdmins('200'),
  'users/list-users': systemAdmins('200'),
  'users/update-user': systemAdmins('200'),
  'workspaces/create-workspace': systemAdmins('201'),
  'workspaces/delete-workspace': systemAdmins('200', '401 SYSTEM_ADMIN_REQUIRED'),
  'workspaces/delete-workspace-by-reference': systemAdmins('200', '401 SYSTEM_ADMIN_REQUIRED'),
  'workspaces/get-workspace': workspaceMembers('200'),
  'workspaces/list-workspaces': everyUser('200'),
};

const service = useService();
let fixture: Fixture;
let refused: Readonly<Record<string, readonly (string | undefined)[]>>;

/** Credentials that prove nothing, in each form. */
const worthless = async ({ world, member }: Fixture) => {
  const [disabled, revoked] = await Promise.all([world.user(), world.user()]);
  const expired = await world.token(member, new Date(Date.now() - 1).toISOString());
  // Used once, so that the authorizer's answer is remembered when the credential loses its worth.
  await Promise.all([disabled, revoked].flatMap((actor) => formsOf(actor).map(probe)));
  await Promise.all([world.disable(disabled), world.revoke(revoked)]);
  await world.changePassword(revoked);
  return {
    'no credential': [undefined],
    'a wrong credential': [
      bearerHeader(newToken()),
      tokenHeader(newToken()),
      accountHeader(member.username, newPassword()),
    ],
    'an expired token': [bearerHeader(expired.token), tokenHeader(expired.token)],
    'a disabled user': formsOf(disabled),
    'a revoked token or an old password': formsOf(revoked),
  };
};

const formsOf = ({ bearer, tokenAsPassword, account }: Fixture['member']): string[] => [
  bearer,
  tokenAsPassword,
  account,
];

const probe = (as: string): Promise<Answer> => service.client.call(getCurrentUser, { as });

beforeAll(async () => {
  fixture = await buildFixture(service.world);
  refused = await worthless(fixture);
});

describe('who may do what', () => {
  it('is written down for every endpoint, and for no other', () => {
    expect(Object.keys(matrix).toSorted()).toEqual(endpoints.map(({ id }) => id).toSorted());
  });

  describe.each(endpoints.map((contract) => [contract.id, contract] as const))('%s', (id, contract) => {
    const expectAnswer = async (as: string | undefined, expected: string | undefined): Promise<void> => {
      const request = await validRequest(contract, fixture);
      service.proxy.forget();
      const { status, code } = await service.client.attempt(contract, { ...request, as });
      expect([status, code].filter(Boolean).join(' ')).toBe(expected);
      // The authorizer notes when a token was last used; nothing else of a refused request is written.
      if (status >= 400)
        expect(service.proxy.writes.filter(({ functionId }) => functionId !== 'authorizer')).toEqual([]);
    };

    it.each(known)('answers %s alike in each of the three forms', async (caller) => {
      for (const as of formsOf(fixture[caller])) await expectAnswer(as, matrix[id]?.[caller]);
    });

    it.each([
      'no credential',
      'a wrong credential',
      'an expired token',
      'a disabled user',
      'a revoked token or an old password',
    ])('knows nobody by %s', async (kind) => {
      const credentials = refused[kind] ?? [];
      expect(credentials).not.toHaveLength(0);
      for (const as of credentials) await expectAnswer(as, matrix[id]?.unknown);
    });
  });
});
