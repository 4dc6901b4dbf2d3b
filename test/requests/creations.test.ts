import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import { answersOf, type Contract, jsonBodyOf, successStatuses } from '../../shared/http/contract.ts';
import { without } from '../../shared/packages/formats/json-objects.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { useService } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';

const service = useService();
let fixture: Fixture;

beforeAll(async () => {
  fixture = await buildFixture(service);
});

/** What was published has a link in the answer for each file, an upload session is only completed, and that of a browser only renewed. */
const withoutLocation: ReadonlySet<string> = new Set([
  'packages/publish-package',
  'packages/create-upload',
  'packages/publish-upload',
  'sessions/create-session',
]);

/** What a PUT creates is at the address of the request (RFC 9110 section 15.3.2), so it needs no Location. */
const creations = endpoints.filter(
  (contract) =>
    // The clients of package types look for no Location.
    contract.path.startsWith('/1/') &&
    contract.method === 'POST' &&
    answersOf(contract).flatMap(successStatuses).includes(201) &&
    !withoutLocation.has(contract.id),
);

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

type Fields = Readonly<Record<string, unknown>>;

/** A request that creates: whoever is a member already is only changed, and users rotate their own tokens. */
const creationOf = async (contract: Endpoint, caller: Actor) => {
  const request = await validRequest(contract, fixture);
  if (contract.id === 'tokens/rotate-personal-access-token') {
    const { tokenId } = await service.world.token(caller);
    return { ...request, params: { tokenId } };
  }
  if (contract.id !== 'members/add-workspace-member') return request;
  return { ...request, body: { userId: (await service.world.user()).userId } };
};

/** What only the answer to a creation shows. */
const shownOnce = ['token', 'replaces', 'replacedUntil'] as const;

/** What an import of advisories changes while it goes on. */
const ofProgress = ['state', 'problem', 'phase', 'position', 'entries', 'changed', 'unchanged', 'removed'] as const;

const create = async (contract: Endpoint, caller: Actor, further: Fields = {}) => {
  const { body, ...request } = await creationOf(contract, caller);
  const sent = { ...request, body: { ...further, ...(body as Fields) }, as: caller.bearer };
  const { status, text, headers } = await service.client.attempt(contract, sent);
  expect({ status, text }).toEqual({ status: 201, text });
  return { created: JSON.parse(text) as Fields, location: String(headers.location) };
};

describe('The Location of what was created', () => {
  it('is there for each endpoint that creates by POST', () => {
    expect(creations.length).toBeGreaterThan(7);
    const unlinked = creations.filter((contract) =>
      answersOf(contract).every((answer) => answer.kind !== 'json' || answer.location === undefined),
    );
    expect(unlinked.map(({ id }) => id)).toEqual([]);
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
        expect(JSON.parse(text)).toMatchObject(without(created, ...shownOnce, ...ofProgress));
      }
    },
  );
});

describe('An optional field', () => {
  const optionalFieldsOf = (contract: Contract): string[] => {
    const { properties = {}, required = [] } = jsonBodyOf(contract) ?? {};
    return Object.keys(properties).filter((name) => !required.includes(name));
  };
  const withOptionalFields = creations.filter((contract) => optionalFieldsOf(contract).length > 0);

  it.each(withOptionalFields.map((contract) => [contract.id, contract] as const))(
    'that is null is as good as absent: %s',
    async (_, contract) => {
      const nulls = Object.fromEntries(optionalFieldsOf(contract).map((name) => [name, null]));
      const [withNulls, plain] = [
        await create(contract, fixture.systemAdmin, nulls),
        await create(contract, fixture.systemAdmin),
      ];
      const chosen = ({ created }: typeof plain) =>
        Object.entries(created).filter(
          ([name]) => !/^(?:.*[iI]d|name|.*Name|username|token|createdAt|replaces)$/.test(name),
        );
      expect(chosen(withNulls)).toEqual(chosen(plain));
      expect(Object.keys(withNulls.created)).toEqual(Object.keys(plain.created));
    },
  );
});
