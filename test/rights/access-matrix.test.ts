import { endpoints } from '../../functions/endpoints.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { type Answers, callers } from '../harness/callers.ts';
import type { Answer } from '../harness/client.ts';
import { accountHeader, bearerHeader, tokenHeader } from '../harness/credentials.ts';
import { facts, type Request } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { allCases, sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { newPassword } from '../harness/world.ts';

const service = useService();
let fixture: Fixture;
let refused: Readonly<Record<string, readonly (string | undefined)[]>>;

/** Credentials that prove nothing, in each form. */
const worthless = async ({ world, member }: Fixture) => {
  // The wrong passwords are for a user of their own: after ten of them, the right one would be refused too.
  const [disabled, revoked, guessed] = await Promise.all([world.user(), world.user(), world.user()]);
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
      accountHeader(guessed.username, newPassword()),
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

/** Who writes beside the endpoint: the authorizer notes when a token was last used, and the worker goes on with an earlier import. */
const others = new Set(['authorizer', 'importer']);

const probe = (as: string): Promise<Answer> => service.client.call(getCurrentUser, { as });

beforeAll(async () => {
  fixture = await buildFixture(service);
  refused = await worthless(fixture);
});

const worthlessKinds = [
  'a wrong credential',
  'an expired token',
  'a disabled user',
  'a revoked token or an old password',
];

/** No credential or a worthless one, in turn; with ALL_CASES, none and one of the others. */
const kindsOf = (turn: number): readonly string[] =>
  allCases
    ? ['no credential', ...sampleOf(worthlessKinds, turn)]
    : sampleOf(['no credential', ...worthlessKinds], turn + today);

/** Who calls: one of those who may and one of those who may not, others each day; all of them with ALL_CASES. */
const callersOf = (answers: Answers, turn: number): readonly (typeof callers)[number][] =>
  Array.from(Map.groupBy(callers, (caller) => /^[23]/.test(answers[caller])).values()).flatMap((alike) =>
    allCases ? alike : sampleOf(alike, turn + today),
  );

// Each request is sent with every form of a credential, or with one in turn, and so it is with the credentials that prove nothing:
// one authorizer refuses them for all endpoints. The turn goes on with each endpoint and each caller, so that both meet every form.
describe('who may do what', () => {
  describe.each(endpoints.map((contract, turn) => [contract.id, contract, turn] as const))(
    '%s',
    (id, contract, turn) => {
      // What was refused or only read changed nothing, so the next one sends the same request.
      let unusedRequest: Request | undefined;
      const requestFor = async (expected: string): Promise<Request> => {
        if (/^[23]/.test(expected) && contract.method !== 'GET') return validRequest(contract, fixture);
        unusedRequest ??= await validRequest(contract, fixture);
        return unusedRequest;
      };
      const expectAnswer = async (as: string | undefined, expected: string): Promise<void> => {
        const request = await requestFor(expected);
        service.proxy.forget();
        const { status, code } = await service.client.attempt(contract, { ...request, as });
        expect([status, code].filter(Boolean).join(' ')).toBe(expected);
        if (status >= 400) expect(service.proxy.writes.filter(({ functionId }) => !others.has(functionId))).toEqual([]);
      };

      it.each(callersOf(facts[id].answers, turn).map((caller, index) => [caller, turn + index] as const))(
        'answers %s',
        async (caller, at) => {
          for (const as of sampleOf(formsOf(fixture[caller]), at)) await expectAnswer(as, facts[id].answers[caller]);
        },
      );

      it.each(kindsOf(turn))('knows nobody by %s', async (kind) => {
        const credentials = refused[kind] ?? [];
        expect(credentials).not.toHaveLength(0);
        const round = Math.floor(turn / worthlessKinds.length);
        for (const as of sampleOf(credentials, round)) await expectAnswer(as, facts[id].answers.unknown);
      });
    },
  );
});
