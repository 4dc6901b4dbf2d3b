import { endpoints } from '../../functions/endpoints.ts';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Request } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { allForms, today } from '../harness/sampling.ts';
import { reachingLoopback, useService } from '../harness/service.ts';

/** While an operator restores or moves the table, nothing may be written: neither what a client asks for nor what reading leaves. */
const environment: Record<string, string> = { ...reachingLoopback };
const service = useService({ environment });
const sentence =
  /^The service accepts no changes for now, .* Nobody can sign in to the console meanwhile, and tokens go on to work for reads\. Reading works\. Try again later\.$/;

/** The setting starts each function anew: `npm test` asks a third of the endpoints, others every day, and `npm run test:matrix` all. */
const isAsked = (_: Contract, at: number): boolean => allForms || (at + today) % 3 === 0;

const setReadOnly = async (isReadOnly: boolean): Promise<void> => {
  if (isReadOnly) environment.READ_ONLY = 'true';
  else delete environment.READ_ONLY;
  await service.runner.reload();
  service.proxy.forget();
};

let fixture: Fixture;
const requests: [contract: Contract, request: Request][] = [];
beforeAll(async () => {
  fixture = await buildFixture(service);
  for (const contract of endpoints.filter(isAsked)) requests.push([contract, await validRequest(contract, fixture)]);
  await setReadOnly(true);
}, 90_000);

const attempt = (contract: Contract, request: Request, as: string | undefined) =>
  service.client.attempt(contract, { ...request, as });

/** Every write that reached the table, the counts of wrong passwords among them. */
const writes = () => service.proxy.calls.filter(({ isWrite }) => isWrite);

describe('A service that is read-only', () => {
  it('refuses every change with 503, says why, and writes nothing', async () => {
    for (const [contract, request] of requests.filter(([{ method }]) => method !== 'GET')) {
      const { status, text, headers } = await attempt(contract, request, fixture.systemAdmin.bearer);
      const { code, detail } = JSON.parse(text) as { code?: string; detail?: string };
      expect([contract.id, status, code]).toEqual([contract.id, 503, 'SERVICE_UNAVAILABLE']);
      expect(detail).toMatch(sentence);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(writes()).toEqual([]);
  }, 90_000);

  it('answers every request that reads, and does not note the use of a token or a wrong password', async () => {
    service.runner.clearAuthorizerCache();
    service.proxy.forget();
    for (const [contract, request] of requests.filter(([{ method }]) => method === 'GET')) {
      const { status, text } = await attempt(contract, request, fixture.systemAdmin.bearer);
      expect([contract.id, status < 400, text]).toEqual([contract.id, true, text]);
    }
    const wrong = `Basic ${Buffer.from(`${fixture.member.username}:wrong-password`).toString('base64')}`;
    expect((await attempt(getCurrentUser, {}, wrong)).status).toBe(401);
    expect(writes()).toEqual([]);
  }, 90_000);

  it('shows a stranger no more than before', async () => {
    const request = await validRequest(createLocalRepository, fixture);
    const invalid = { ...request, body: { name: 7 } };
    expect((await attempt(createLocalRepository, request, fixture.stranger.bearer)).status).toBe(404);
    expect((await attempt(createLocalRepository, invalid, fixture.systemAdmin.bearer)).status).toBe(400);
    expect((await attempt(createLocalRepository, request, undefined)).status).toBe(401);
  });

  it('accepts changes again once it is not', async () => {
    await setReadOnly(false);
    const request = await validRequest(createLocalRepository, fixture);
    expect((await attempt(createLocalRepository, request, fixture.systemAdmin.bearer)).status).toBe(201);
    expect(writes()).not.toEqual([]);
  });
});
