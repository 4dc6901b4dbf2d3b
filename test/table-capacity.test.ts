import { endpoints } from '../functions/endpoints.ts';
import { type Contract, isPaged } from '../shared/http/contract.ts';
import type { LooseInput } from './harness/client.ts';
import { buildFixture, type Fixture, validRequest } from './harness/fixture.ts';
import { useService } from './harness/service.ts';
import { uniqueName } from './harness/world.ts';

const service = useService();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service.world);
  service.proxy.countsUnits = true;
});

/**
 * Capacity units of one request of a system admin with a token, once its credential is known: the least that its keys
 * can cost. A consistent read is one unit for each item that decides or is told, and one for a query; a write in a
 * transaction is two for each item, an update alone one. A page of one reads a second entry, to know whether there is
 * more; a workspace tells and guards its number of repositories by the eight shares that the number is kept in.
 */
const least: Readonly<Record<string, readonly [read: number, write: number]>> = {
  'members/add-member-to-repositories': [7, 1],
  'members/add-repository-member': [7, 1],
  'members/add-workspace-member': [6, 4],
  'members/get-repository-member': [6, 0],
  'members/get-workspace-member': [5, 0],
  'members/list-repository-members': [11, 0],
  'members/list-workspace-members': [7, 0],
  'members/remove-repository-member': [6, 2],
  'members/remove-workspace-member': [5, 6],
  'repositories/create-local-repository': [4, 6],
  'repositories/create-remote-repository': [4, 6],
  'repositories/create-virtual-repository': [5, 8],
  'repositories/delete-repository': [5, 6],
  'repositories/get-repository': [5, 0],
  'repositories/list-repositories': [7, 0],
  'repositories/update-repository': [5, 2],
  'system/get-readiness': [1, 0],
  'tokens/create-personal-access-token': [2, 4],
  'tokens/delete-personal-access-token': [3, 4],
  'tokens/get-personal-access-token': [3, 0],
  'tokens/list-personal-access-tokens': [5, 0],
  'tokens/list-user-personal-access-tokens': [5, 0],
  'users/create-user': [2, 6],
  'users/get-current-user': [3, 0],
  'users/get-user': [3, 0],
  'users/list-users': [5, 0],
  'users/update-user': [3, 2],
  'workspaces/create-workspace': [2, 20],
  'workspaces/delete-workspace': [3, 22],
  'workspaces/delete-workspace-by-reference': [4, 22],
  'workspaces/get-workspace': [12, 0],
  'workspaces/list-workspaces': [6, 0],
};

/** A change that was not made before: one that changes nothing writes nothing. */
const requestOf = async (contract: Contract): Promise<LooseInput> => {
  const request = await validRequest(contract, fixture);
  return contract.id === 'users/update-user' ? { ...request, body: { firstName: uniqueName() } } : request;
};

const unitsOf = async (contract: Contract): Promise<readonly [read: number, write: number]> => {
  const { bearer } = fixture.systemAdmin;
  // A page of one, so that lists cost the same however many tests ran before; but who of the members holds a grant on a
  // repository is known only when they are read, so that list is asked for as a whole: five members.
  const isFiltered = contract.id === 'members/list-repository-members';
  const query = isPaged(contract) && !isFiltered ? { query: { limit: 1 } } : {};
  await service.client.attempt(contract, { ...(await requestOf(contract)), ...query, as: bearer });
  const request = await requestOf(contract);
  service.proxy.forget();
  const { status, text } = await service.client.attempt(contract, { ...request, ...query, as: bearer });
  expect({ status: status < 300, text }).toEqual({ status: true, text });
  const units = (isWrite: boolean) =>
    service.proxy.calls
      .filter((call) => call.isWrite === isWrite)
      .reduce((sum, call) => sum + (call.units ?? Number.NaN), 0);
  return [units(false), units(true)];
};

const touchesTable = endpoints.filter(({ access, table }) => access !== 'public' || table.length > 0);

describe('Capacity units per request, after a cached authorization', () => {
  it.each(touchesTable.map((contract) => [contract.id, contract] as const))('%s', async (id, contract) => {
    const expected = least[id];
    if (!expected) throw new Error(`Say in 'least' what ${id} costs: ${JSON.stringify(await unitsOf(contract))}?`);
    expect(await unitsOf(contract)).toEqual(expected);
  });
});
