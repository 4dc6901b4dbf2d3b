import fc from 'fast-check';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { endpointsNamed } from '../hostile/named-endpoints.ts';
import { type RawRequest, rawRequests, send } from '../hostile/raw-requests.ts';

/** `npm run test:hostile:packages` sends many more to all endpoints about packages; `npm test` some to six of them, others every day. */
const requestsPerEndpoint = 20;
const attacked = sampleOf(endpointsNamed(['packages']), today, 6);

const service = useService({ hasDoor: true });
let fixture: Fixture;

beforeAll(async () => {
  fixture = await buildFixture(service);
});

const errorsSince = (begin: number): readonly string[] =>
  service.logs.slice(begin).filter((line) => line.includes('"level":"ERROR"'));

describe.each(attacked.map((contract) => [contract.id, contract] as const))('%s behind a door', (_, contract) => {
  it('fails at no bytes, ends no thread, and goes on', async () => {
    const lines = service.logs.length;
    const valid = await validRequest(contract, fixture);
    const sent = fc.asyncProperty(rawRequests(contract, valid, fixture), async (request: RawRequest) => {
      const statuses = await send(service.runner.url, request);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      // A part of a request, at least its first line, is worth an answer.
      if (request.bytes.length > 0 && !request.hangsUp) expect(statuses).not.toEqual([]);
    });
    await fc.assert(sent, { numRuns: requestsPerEndpoint });
    expect((await service.client.call(getCurrentUser, { as: fixture.systemAdmin.bearer })).status).toBe(200);
    expect(errorsSince(lines)).toEqual([]);
  });
});
