import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { getConsolePage } from '../../functions/console/contracts.ts';
import { endpoints } from '../../functions/endpoints.ts';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { getReferencePage } from '../../functions/system/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { respond as respondBytes } from '../../shared/http/answers/bytes.ts';
import { respond as respondFile } from '../../shared/http/answers/file.ts';
import { respond as respondJson } from '../../shared/http/answers/json.ts';
import { respond as respondList } from '../../shared/http/answers/list.ts';
import { respond as respondRedirect } from '../../shared/http/answers/redirect.ts';
import type { Answered, Responder } from '../../shared/http/built-contract.ts';
import { type AnswerKind, answersOf, type Contract } from '../../shared/http/contract.ts';
import { checkAgainstBrowsers, policy } from '../harness/answer-rules.ts';
import type { Request } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';

const service = useService();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
}, 90_000);

type Header = readonly [string, string];

/** What browsers say of a request that a page of another site sends. */
const foreign: readonly Header[] = [
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['origin', 'http://localhost'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['sec-fetch-site', 'same-site'],
];

const send = (contract: Contract, { params, body }: Request, as: string | undefined, ...headers: Header[]) =>
  service.client.sendTo(
    contract,
    {
      headers: [...(as === undefined ? [] : [['Authorization', as] as const]), ...headers],
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
    params,
  );

const changing = endpoints
  .filter(({ method, id }) => method !== 'GET' || id === 'conan/get-conan-token')
  .map((contract, turn) => [contract, turn] as const);

describe('A page of another site', () => {
  it.each(changing.map(([contract, turn]) => [contract.id, contract, turn] as const))(
    'cannot call %s: 403 CROSS_SITE_REQUEST, whatever the body is, and nothing is written',
    async (id, contract, turn) => {
      const request = await validRequest(contract, fixture);
      for (const header of sampleOf(foreign, today + turn)) {
        service.proxy.forget();
        const json: Header = ['Content-Type', 'application/json'];
        const answers = [
          await send(contract, request, fixture.systemAdmin.bearer, header, json),
          await send(contract, { ...request, body: undefined }, fixture.systemAdmin.bearer, header),
        ];
        for (const { status, code } of answers)
          expect([header, status, code]).toEqual([header, 403, 'CROSS_SITE_REQUEST']);
        expect(service.proxy.callsOf(id)).toEqual([]);
      }
    },
  );

  it('can read, as every client can: browsers do not give it the answer', async () => {
    const answers = await Promise.all(
      foreign.map((header) => send(getCurrentUser, {}, fixture.systemAdmin.bearer, header)),
    );
    for (const { status, headers } of answers)
      expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });

  it('learns with a wrong credential what every stranger does', async () => {
    const request = await validRequest(createLocalRepository, fixture);
    const { status, code } = await send(createLocalRepository, request, undefined, ...foreign);
    expect([status, code]).toEqual([401, 'UNAUTHENTICATED']);
  });
});

it('A page of the service itself can change something, as the reference page does', async () => {
  const { origin } = new URL(service.runner.url);
  const headers: Header[] = [
    ['Content-Type', 'application/json'],
    ['Origin', origin],
    ['Sec-Fetch-Site', 'same-origin'],
  ];
  const { status } = await send(
    createLocalRepository,
    await validRequest(createLocalRepository, fixture),
    fixture.systemAdmin.bearer,
    ...headers,
  );
  expect(status).toBe(201);
});

/** How each kind of answer is sent, and a result of that kind for each of its media types. */
const kinds: { readonly [Kind in AnswerKind['kind']]: Responder } = {
  json: respondJson,
  list: respondList,
  file: respondFile,
  bytes: respondBytes,
  redirect: respondRedirect,
};

const resultsOf = (answer: AnswerKind): readonly unknown[] => {
  if (answer.kind === 'bytes')
    return answer.mediaTypes.map((mediaType) => ({ kind: 'bytes', mediaType, content: '<html/>', etag: '"1"' }));
  if (answer.kind === 'file') return [gzipSync('<html/>')];
  if (answer.kind === 'list') return [{ entries: [] }];
  if (answer.kind === 'redirect') return [{ kind: 'redirect', location: 'https://store.example' }];
  return [typeof answer.success === 'number' ? {} : { status: 200, result: {} }];
};

const event = {
  httpMethod: 'GET',
  path: '/',
  headers: {},
  requestContext: { path: '/' },
} as APIGatewayProxyEvent;

describe('An answer in a browser', () => {
  it.each(endpoints.map((contract) => [contract.id, contract] as const))('of %s runs nothing', (_, contract) => {
    for (const answer of answersOf(contract))
      for (const result of resultsOf(answer)) {
        const answered = { contract: { ...contract, answer }, event, requestId: 'id', page: {} } as Answered;
        const { headers = {}, body } = kinds[answer.kind](answered, result);
        const sent = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
        );
        checkAgainstBrowsers({ headers: sent, text: body }, contract);
      }
  });

  it('has another policy of the two pages alone, and that lets no other page embed them', () => {
    const others = endpoints.filter((contract: Contract) =>
      answersOf(contract).some((answer) => answer.kind === 'file' && answer.headers?.['Content-Security-Policy']),
    );
    const pages = [getReferencePage, getConsolePage];
    expect(others.map(({ id }) => id)).toEqual(pages.map(({ id }) => id));
    for (const { answer } of pages) expect(answer.headers['Content-Security-Policy']).toBe("frame-ancestors 'none'");
    expect(policy).toContain('sandbox');
  });

  it('is refused by the rules of the tests if it could run', () => {
    const text = '<html/>';
    const page = { 'content-type': 'application/xml', 'content-security-policy': policy };
    expect(() => checkAgainstBrowsers({ headers: page, text })).toThrow('lets browsers show application/xml');
    expect(() => checkAgainstBrowsers({ headers: { 'content-type': 'text/plain' }, text })).toThrow('undefined');
  });
});
