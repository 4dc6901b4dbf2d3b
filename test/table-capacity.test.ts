import { type Endpoint, endpoints } from '../functions/endpoints.ts';
import { isPaged } from '../shared/http/contract.ts';
import { facts, type Request } from './harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from './harness/fixture.ts';
import { useService } from './harness/service.ts';

const service = useService();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
  service.proxy.countsUnits = true;
});

/** A page of one, unless the facts ask for another: lists then cost the same however many tests ran before. */
const requestOf = async (contract: Endpoint): Promise<Request> => {
  const request = await validRequest(contract, fixture);
  return isPaged(contract) ? { ...request, query: { limit: 1, ...request.query } } : request;
};

const unitsOf = async (contract: Endpoint): Promise<readonly [read: number, write: number]> => {
  const { bearer } = fixture.systemAdmin;
  await service.client.attempt(contract, { ...(await requestOf(contract)), as: bearer });
  const request = await requestOf(contract);
  service.proxy.forget();
  const { status, text } = await service.client.attempt(contract, { ...request, as: bearer });
  expect({ status: status < 300, text }).toEqual({ status: true, text });
  const units = (isWrite: boolean) =>
    service.proxy.calls
      .filter((call) => call.isWrite === isWrite)
      .reduce((sum, call) => sum + (call.units ?? Number.NaN), 0);
  return [units(false), units(true)];
};

describe('Capacity units per request, after a cached authorization', () => {
  it.each(endpoints.map((contract) => [contract.id, contract] as const))('%s', async (id, contract) => {
    expect(await unitsOf(contract)).toEqual(facts[id].units);
  });
});
