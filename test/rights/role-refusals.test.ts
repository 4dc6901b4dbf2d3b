import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import { listRepositoryMembers } from '../../functions/members/contracts.ts';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { listUserPersonalAccessTokens } from '../../functions/tokens/contracts.ts';
import { createUser, getUser, listUsers } from '../../functions/users/contracts.ts';
import { createWorkspace, deleteWorkspaceByReference } from '../../functions/workspaces/contracts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { useService } from '../harness/service.ts';

const service = useService();
let fixture: Fixture;

beforeAll(async () => {
  fixture = await buildFixture(service);
});

const refusalBy = async (contract: Endpoint, who: 'viewer' | 'workspaceAdmin'): Promise<string | undefined> => {
  const request = await validRequest(contract, fixture);
  return (await service.client.attempt(contract, { ...request, as: fixture[who].bearer })).problem?.detail;
};

describe('A caller whose role is too low', () => {
  const sentences = [
    [createWorkspace, 'Only System Admins may create a workspace: ask one of them.'],
    [deleteWorkspaceByReference, 'Only System Admins may delete a workspace: ask one of them.'],
    [createUser, 'Only System Admins may create a user: ask one of them.'],
    [listUsers, 'Only System Admins may list all users: ask one of them.'],
    [
      listUserPersonalAccessTokens,
      'Only System Admins may list the personal access tokens of a user: ask one of them.',
    ],
    [getUser, 'Only that user and System Admins may get a user: ask one of them.'],
    [createLocalRepository, 'Only Workspace Admins and System Admins may create a local repository: ask one of them.'],
    [
      listRepositoryMembers,
      'Only users with canManage on the repository, Workspace Admins and System Admins may list the members with a permission on a repository: ask one of them.',
    ],
  ] as const;

  it.each(sentences.map(([contract, sentence]) => [contract.id, contract, sentence] as const))(
    'reads who may: %s',
    async (_, contract, sentence) => {
      expect(await refusalBy(contract, 'viewer')).toBe(sentence);
    },
  );

  it.each(endpoints.filter(({ access }) => access === 'system-admin'))(
    'is sent to a System Admin, not to an admin of the workspace: $id',
    async (contract) => {
      expect(await refusalBy(contract, 'workspaceAdmin')).toMatch(
        /^Only System Admins may [a-z].*: ask one of them\.$/,
      );
    },
  );
});
