import { type Endpoint, endpoints } from '../functions/endpoints.ts';
import { answersOf, type Contract, successStatuses } from '../shared/http/contract.ts';
import { buildFixture, type Fixture, validRequest } from './harness/fixture.ts';
import { useService } from './harness/service.ts';
import type { Actor } from './harness/world.ts';

const service = useService();
let fixture: Fixture;

beforeAll(async () => {
  fixture = await buildFixture(service);
});

const creations = endpoints.filter((contract) => answersOf(contract).flatMap(successStatuses).includes(201));

/** The path of an endpoint as an expression that its addresses match. */
const patternOf = ({ path }: Contract): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** The endpoint that answers GET at an address: the one with the fewest parameters in its path. */
const readerOf = (location: string): Contract => {
  const parameters = ({ path }: Contract): number => path.split('{').length;
  const [reader] = endpoints
    .filter((contract) => contract.method === 'GET' && patternOf(contract).test(location))
    .toSorted((one, other) => parameters(one) - parameters(other));
  if (!reader) throw new Error(`No endpoint answers GET ${location}.`);
  return reader;
};

/** A request that creates: whoever is a member already is only changed. */
const creationOf = async (contract: Endpoint) => {
  const request = await validRequest(contract, fixture);
  if (contract.id !== 'members/add-workspace-member') return request;
  return { ...request, body: { userId: (await service.world.user()).userId } };
};

const create = async (contract: Endpoint, { bearer: as }: Actor) => {
  const { status, text, headers } = await service.client.attempt(contract, { ...(await creationOf(contract)), as });
  expect({ status, text }).toEqual({ status: 201, text });
  return { created: JSON.parse(text) as Record<string, unknown>, location: String(headers.location) };
};

describe('The Location of what was created', () => {
  it('is there for each endpoint that creates', () => {
    expect(creations.length).toBeGreaterThan(7);
    const without = creations.filter((contract) =>
      answersOf(contract).every((answer) => answer.kind !== 'json' || answer.location === undefined),
    );
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it.each(creations.map((contract) => [contract.id, contract] as const))(
    'leads whoever may call %s to what was created',
    async (_, contract) => {
      const { stranger, workspaceAdmin, systemAdmin } = fixture;
      const callers = { user: [stranger, systemAdmin], 'workspace-admin': [workspaceAdmin, systemAdmin] };
      for (const caller of callers[contract.access as keyof typeof callers] ?? [systemAdmin]) {
        const { created, location } = await create(contract, caller);
        const headers = [['Authorization', caller.bearer]] as const;
        const { status, text } = await service.client.sendTo(readerOf(location), { path: location, headers });
        expect({ status, text }).toEqual({ status: 200, text });
        const { token: _secret, ...lasting } = created;
        expect(JSON.parse(text)).toMatchObject(lasting);
      }
    },
  );
});
