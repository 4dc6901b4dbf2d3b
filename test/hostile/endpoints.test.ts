import fc from 'fast-check';
import { endpoints } from '../../functions/endpoints.ts';
import type { Answer } from '../harness/client.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';

/** A quarter of the endpoints, others each day. `npm run test:hostile` sends many more to each, without HTTP. */
const inTurn = shareOf(endpoints, 4);
const requestsPerEndpoint = 8;

const service = useService();
let fixture: Fixture;

beforeAll(async () => {
  fixture = await buildFixture(service);
});

const send = async (contract: (typeof endpoints)[number], request: HostileRequest): Promise<Answer> => {
  const { caller, host, path, headers, body } = request;
  const credential = caller === 'none' ? [] : [['Authorization', fixture[caller].bearer] as const];
  return service.client.sendTo(contract, {
    path,
    headers: [...(host === undefined ? [] : [['Host', host] as const]), ...credential, ...headers],
    ...(body !== undefined && { body }),
  });
};

/** What a function changed: the table accepted its write. */
const writesOf = (functionId: string) =>
  service.proxy.writes.filter((call) => call.functionId === functionId && call.status === 200);

describe.each(inTurn.map((contract) => [contract.id, contract] as const))('%s', (_, contract) => {
  it(
    `answers ${requestsPerEndpoint} hostile requests as its contract says, and a refused one writes nothing`,
    async () => {
      const valid = await validRequest(contract, fixture);
      const property = fc.asyncProperty(hostileRequests(contract, valid), async (request) => {
        service.proxy.forget();
        const { status } = await send(contract, request);
        expect(status).toBeLessThan(500);
        if (status >= 400) expect(writesOf(contract.id)).toEqual([]);
      });
      await fc.assert(property, { numRuns: requestsPerEndpoint });
    },
    60_000 + 100 * requestsPerEndpoint,
  );
});
