import { randomUUID } from 'node:crypto';
import { type Endpoint, type EndpointId, endpoints } from '../../functions/endpoints.ts';
import { type Contract, isPaged, jsonBodyOf } from '../../shared/http/contract.ts';
import type { Answer, LooseInput } from '../harness/client.ts';
import type { Request } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { createVirtual } from '../harness/repositories.ts';
import { allCases, allForms, sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { trustBody, trustOf } from '../harness/trusts.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

const service = useService();
let fixture: Fixture;
let outsider: Actor;
let own: Named;
let ownRepository: Named;
let ownUniversal: Named;
let ownVirtual: Named;
let foreignVirtual: Named;
let ownTrust: string;

beforeAll(async () => {
  fixture = await buildFixture(service);
  own = await service.world.workspace();
  outsider = await service.world.member(own, 'admin');
  ownRepository = await service.world.repository(own);
  ownUniversal = await service.world.repository(own, undefined, 'universal');
  ownVirtual = await createVirtual(service, own, [ownRepository]);
  foreignVirtual = await createVirtual(service, fixture.workspace, [fixture.repository]);
  ({ id: ownTrust } = await trustOf({ ...fixture, workspace: own, repository: ownRepository }));
});

type Params = NonNullable<LooseInput['params']>;

/** An answer as bytes, but for what differs with each request and for the references that it repeats. */
const bytesOf = ({ status, headers, text }: Answer, references: readonly string[] = []): string => {
  const { date: _date, 'x-amzn-requestid': _ofGateway, 'x-request-id': requestId, ...others } = headers;
  const whole = JSON.stringify([status, Object.entries(others), text.replaceAll(String(requestId), '(request)')]);
  return references.reduce((bytes, reference) => bytes.replaceAll(reference, '(reference)'), whole);
};

/** Asks as the admin of another workspace, and expects that nothing was written. */
const askAsOutsider = async (contract: Contract, input: LooseInput): Promise<Answer> => {
  service.proxy.forget();
  const answer = await service.client.attempt(contract, { ...input, as: outsider.bearer });
  expect(service.proxy.writes.filter(({ functionId }) => functionId !== 'authorizer')).toEqual([]);
  return answer;
};

const absentName = () => uniqueName();
const spellingsOf = ({ id, name }: Named): readonly string[] => [id, id.toUpperCase(), name];

/** Both foreign repositories, each spelling of one or of the other in turn. */
const foreignRepositories = (turn: number): readonly string[] => {
  const [one, other] = [spellingsOf(fixture.repository), spellingsOf(foreignVirtual)];
  return allForms
    ? [...one, ...other]
    : one.map((spelling, at) => ((at + turn) % 2 === 0 ? spelling : (other[at] ?? '')));
};

const requests = new Map<Contract, Promise<Request>>();
/** One for each endpoint: what is refused uses nothing up. */
const requestOf = (contract: Endpoint): Promise<Request> => {
  const request = requests.get(contract) ?? validRequest(contract, fixture);
  requests.set(contract, request);
  return request;
};

const inWorkspaces = endpoints
  .filter(({ path }) => path.includes('{workspace}'))
  .map((each) => [each.id, each] as const);
const turns = new Map(inWorkspaces.map(([id], index) => [id, index]));
const turnOf = (id: EndpointId): number => turns.get(id) ?? 0;
/** What an outsider may ask: each endpoint meets one of these each day, and another one the next day. */
const questions = ['foreign workspace', 'broken rules', 'foreign repository'] as const;
const meeting = (question: (typeof questions)[number]) =>
  inWorkspaces.filter(([id]) => allCases || (turnOf(id) + today) % questions.length === questions.indexOf(question));
const inRepositories = meeting('foreign repository').filter(([, { path }]) => path.includes('{repository}'));
const aboutUsers = inWorkspaces.filter(([, { path }]) => path.includes('{user}'));

/** What to ask for: each value of each parameter. From turn to turn, other workspaces and users come with the same repository. */
const filesIn = (
  workspaces: readonly string[],
  repositories: readonly string[],
  users: readonly string[],
  turn: number,
): Params[] => {
  if (allForms)
    return workspaces.flatMap((workspace) =>
      repositories.flatMap((repository) => users.map((user) => ({ workspace, repository, user }))),
    );
  const at = (values: readonly string[], index: number): string => values[index % values.length] ?? '';
  const length = Math.max(...[workspaces, repositories, users].map((values) => values.length));
  return Array.from({ length }, (_, index) => ({
    workspace: at(workspaces, index + turn),
    repository: at(repositories, index),
    user: at(users, index + Math.floor(index / workspaces.length) + Math.floor(turn / workspaces.length)),
  }));
};

// Each combination of a workspace, a repository and a user is asked for, or each of their spellings, with those of the others in turn.
describe('An admin of another workspace', () => {
  it.each(meeting('foreign workspace'))('cannot tell a foreign workspace from none by %s', async (id, contract) => {
    const request = await requestOf(contract);
    const { userId, username } = fixture.targetUser;
    const places = filesIn(
      spellingsOf(fixture.workspace),
      contract.path.includes('{repository}') ? foreignRepositories(turnOf(id)) : [''],
      contract.path.includes('{user}') ? [userId, username, outsider.userId] : [''],
      turnOf(id),
    );
    const ask = (params: Params) => askAsOutsider(contract, { ...request, params: { ...request.params, ...params } });
    const absent = bytesOf(await ask({ workspace: randomUUID() }));
    const ofRole = contract.access === 'system-admin' ? 'FORBIDDEN' : 'WORKSPACE_NOT_FOUND';
    expect(absent).toMatch(contract.refusal ?? ofRole);
    expect(bytesOf(await ask({ workspace: absentName() }))).toBe(absent);
    for (const place of sampleOf(places, today + turnOf(id))) expect(bytesOf(await ask(place))).toBe(absent);
  });

  it.each(meeting('broken rules'))(
    'learns nothing of a foreign workspace from a body or a query that breaks the rules, by %s',
    async (id, contract) => {
      const request = await requestOf(contract);
      const broken = { query: { nonsense: 'x' }, ...(jsonBodyOf(contract) ? { body: { nonsense: 'x' } } : {}) };
      const ask = (workspace: string) =>
        askAsOutsider(contract, { ...request, ...broken, params: { ...request.params, workspace } });
      const absent = bytesOf(await ask(randomUUID()));
      for (const workspace of sampleOf(spellingsOf(fixture.workspace), turnOf(id)))
        expect(bytesOf(await ask(workspace))).toBe(absent);
    },
  );

  it.each(inRepositories)(
    'cannot tell a foreign repository in the own workspace from none by %s',
    async (id, contract) => {
      const request = await requestOf(contract);
      const ask = (params: Params) =>
        askAsOutsider(contract, { ...request, params: { ...request.params, workspace: own.id, ...params } });
      const absent = bytesOf(await ask({ repository: randomUUID() }));
      expect(absent).toMatch('REPOSITORY_NOT_FOUND');
      for (const repository of [...sampleOf(foreignRepositories(turnOf(id)), today + turnOf(id)), absentName()])
        expect(bytesOf(await ask({ repository }))).toBe(absent);
    },
  );

  it.each(aboutUsers)('cannot tell a member of a foreign workspace from nobody by %s', async (_, contract) => {
    const ask = (user: string) =>
      askAsOutsider(contract, { params: { workspace: own.id, repository: ownRepository.id, user } });
    const absent = bytesOf(await ask(randomUUID()));
    expect(absent).toMatch('MEMBER_NOT_FOUND');
    for (const { userId, username } of [fixture.targetUser, fixture.member, fixture.workspaceAdmin, fixture.manager])
      for (const user of [userId, userId.toUpperCase(), username, absentName()])
        expect(bytesOf(await ask(user))).toBe(absent);
  });

  describe('cannot tell a foreign repository from none in the body', () => {
    const contractOf = (id: string): Contract => {
      const contract = endpoints.find((each) => each.id === id);
      if (!contract) throw new Error(`There is no endpoint ${id}.`);
      return contract;
    };

    const ofRepository = (reference: string) => ({
      repositories: [{ repositoryReference: reference, repositoryPermissionLevel: 'canView' }],
    });

    /** Bodies that name a repository, each with the reference that it names. */
    const cases: readonly [id: EndpointId, bodyOf: (reference: string) => unknown][] = [
      [
        'repositories/create-virtual-repository',
        (reference) => ({ name: 'v', packageType: 'npm', childRepositoryIds: [ownRepository.id, reference] }),
      ],
      ['repositories/update-repository', (reference) => ({ childRepositoryIds: [ownRepository.id, reference] })],
      [
        'repositories/update-repository',
        (reference) => ({ childRepositoryIds: [reference], uploadLocalRepositoryId: reference }),
      ],
      [
        'members/add-member-to-repositories',
        (reference) => ({
          userId: outsider.userId,
          ...ofRepository(reference),
        }),
      ],
      ['tokens/create-workspace-token', (reference) => ({ name: 'ci', ...ofRepository(reference) })],
      [
        'tokens/create-personal-access-token',
        (reference) => ({
          name: 'ci',
          limits: { workspaces: [{ workspaceReference: own.id, repositoryReferences: [reference] }] },
        }),
      ],
      ['trusts/create-trust', (reference) => trustBody({ id: reference }, { name: 'ci' })],
      ['trusts/update-trust', ofRepository],
    ];

    it('are all endpoints whose body names repositories', () => {
      const isNaming = (contract: Contract): boolean =>
        /"\w*[rR]epository(?:Ids?|References?)"/.test(JSON.stringify(jsonBodyOf(contract) ?? {}));
      expect([...new Set(cases.map(([id]) => id))].toSorted()).toEqual(
        endpoints
          .filter(isNaming)
          .map(({ id }) => id)
          .toSorted(),
      );
    });

    it.each(cases)('of %s', async (id, bodyOf) => {
      const ask = async (reference: string) => {
        const params = { workspace: own.id, repository: ownVirtual.id, trust: ownTrust };
        const answer = await askAsOutsider(contractOf(id), { params, body: bodyOf(reference) });
        expect(answer.code).toBe('REQUEST_INVALID');
        return bytesOf(answer, [reference, reference.toLowerCase()]);
      };
      const absent = await ask(randomUUID());
      for (const { id: foreign } of [fixture.repository, foreignVirtual])
        for (const reference of [foreign, foreign.toUpperCase()]) expect(await ask(reference)).toBe(absent);
      const { name } = fixture.repository;
      expect(await ask(name)).toBe(await ask(name.replace(/.$/, '-')));
    });
  });

  it('sees no name and no ID of the foreign workspace in any list', async () => {
    const foreign = [fixture.workspace, fixture.repository, foreignVirtual].flatMap(({ id, name }) => [id, name]);
    const secrets = [
      ...foreign,
      ...[fixture.member, fixture.manager].flatMap(({ userId, username }) => [userId, username]),
    ];
    // Those of a user are refused to everybody else: the access matrix asks for them.
    const isOfWorkspaces = ({ access }: Endpoint) => access !== 'system-admin' && access !== 'oneself';
    for (const contract of endpoints.filter((each) => isPaged(each) && isOfWorkspaces(each))) {
      const place = { workspace: own, repository: ownRepository, universal: ownUniversal };
      const request = await validRequest(contract, { ...fixture, ...place });
      const { status, text } = await askAsOutsider(contract, request);
      expect(status).toBe(200);
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  });
});
