import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import type { PermissionLevel } from '../../shared/access.ts';
import type { Answers } from '../harness/callers.ts';
import { facts, type Request } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { createVirtual } from '../harness/repositories.ts';
import { allForms, sampleOf, shareOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';

const service = useService();

/** The endpoints about packages of a repository: those of each package type, and those of all types. */
const aboutPackages = endpoints.filter(
  ({ id, path }) => /^(?:npm|universal|packages)\//.test(id) && path.includes('{repository}'),
);

/** Whoever has a level on the virtual repositories, on their children, or on both. */
type Holder = 'onVirtual' | 'onChildren';
type Levels = Readonly<Partial<Record<Holder, PermissionLevel>>>;

/** The levels of a caller, and whose answers that gives at the virtual repository and at a child. */
const holders: readonly (Levels & { readonly atVirtual: keyof Answers; readonly atChild: keyof Answers })[] = [
  { onVirtual: 'canView', atVirtual: 'viewer', atChild: 'member' },
  { onVirtual: 'canDeploy', atVirtual: 'deployer', atChild: 'member' },
  { onVirtual: 'canManage', atVirtual: 'manager', atChild: 'member' },
  { onChildren: 'canView', atVirtual: 'member', atChild: 'viewer' },
  { onChildren: 'canDeploy', atVirtual: 'member', atChild: 'deployer' },
  { onChildren: 'canManage', atVirtual: 'member', atChild: 'manager' },
  { onVirtual: 'canView', onChildren: 'canManage', atVirtual: 'viewer', atChild: 'manager' },
  { onVirtual: 'canDeploy', onChildren: 'canManage', atVirtual: 'deployer', atChild: 'manager' },
  { onVirtual: 'canManage', onChildren: 'canView', atVirtual: 'manager', atChild: 'viewer' },
];

/** All of them, or a third in turn: two with a single level, and one whose levels differ. */
const holdersOf = (turn: number) => holders.filter((_, at) => allForms || (at + turn + today) % 3 === 0);

const otherCallers = ['workspaceAdmin', 'systemAdmin', 'member', 'stranger', 'adminElsewhere'] as const;

const titleOf = ({ onVirtual, onChildren }: Levels): string =>
  [onVirtual && `${onVirtual} on the virtual repository`, onChildren && `${onChildren} on its children`]
    .filter(Boolean)
    .join(', ');

let atChild: Fixture;
let atVirtual: Fixture;
const actors = new Map<Levels, Actor>();

beforeAll(async () => {
  atChild = await buildFixture(service);
  const { workspace, repository, universal, world } = atChild;
  const [otherNpm, otherUniversal] = await Promise.all([
    world.repository(workspace),
    world.repository(workspace, undefined, 'universal'),
  ]);
  const virtuals = await Promise.all([
    createVirtual(service, workspace, [otherNpm, repository], { uploadLocalRepositoryId: repository.id }),
    createVirtual(service, workspace, [otherUniversal, universal], {
      packageType: 'universal',
      uploadLocalRepositoryId: universal.id,
    }),
  ]);
  atVirtual = { ...atChild, repository: virtuals[0], universal: virtuals[1] };
  const places: Record<Holder, readonly Named[]> = {
    onVirtual: virtuals,
    onChildren: [repository, universal, otherNpm, otherUniversal],
  };
  for (const levels of holders) {
    const member = await world.member(workspace);
    actors.set(levels, member);
    for (const holder of ['onVirtual', 'onChildren'] as const)
      for (const place of levels[holder] ? places[holder] : [])
        await world.grant(workspace, place, member, levels[holder] ?? 'canView');
  }
});

/** What was refused or only read changed nothing, so the next one at the address sends the same request. */
const unusedRequests = new Map<string, Request>();
const requestFor = async (contract: Endpoint, fixture: Fixture, answer: string): Promise<Request> => {
  if (/^[23]/.test(answer) && contract.method !== 'GET') return validRequest(contract, fixture);
  const address = `${contract.id} ${fixture.repository.id}`;
  const request = unusedRequests.get(address) ?? (await validRequest(contract, fixture));
  unusedRequests.set(address, request);
  return request;
};

/** Sends a valid request, and expects the answer that somebody with this standing gets at the address. */
const expectAnswer = async (
  contract: Endpoint,
  fixture: Fixture,
  standing: keyof Answers,
  as: string | undefined,
): Promise<void> => {
  const answer = facts[contract.id].answers[standing];
  const request = await requestFor(contract, fixture, answer);
  service.proxy.forget();
  const { status, code } = await service.client.attempt(contract, { ...request, as });
  // A virtual repository holds nothing that could be deleted as a whole.
  const isAllowed = answer.startsWith('2');
  const expected =
    contract.id === deleteContent.id && fixture === atVirtual && isAllowed ? '400 REPOSITORY_READ_ONLY' : answer;
  expect([status, code].filter(Boolean).join(' ')).toBe(expected);
  if (status >= 400) expect(service.proxy.writes.filter(({ functionId }) => functionId !== 'authorizer')).toEqual([]);
};

describe('Packages through a virtual repository', () => {
  it('are what all these endpoints are about', () => {
    expect(new Set(aboutPackages.map(({ access }) => access))).toEqual(
      new Set(['repository-viewer', 'repository-deployer', 'repository-manager']),
    );
    expect(aboutPackages.length).toBeGreaterThan(15);
  });

  describe.each(
    shareOf(Array.from(aboutPackages.entries()), 3).map(([turn, contract]) => [contract.id, contract, turn] as const),
  )('%s', (_, contract, turn) => {
    it.each(holdersOf(turn).map((levels) => [titleOf(levels), levels] as const))(
      'the level at the address decides: %s',
      async (_title, levels) => {
        const as = actors.get(levels)?.bearer;
        await expectAnswer(contract, atVirtual, levels.atVirtual, as);
        await expectAnswer(contract, atChild, levels.atChild, as);
      },
    );

    it('is open to admins, and unknown to everybody else', async () => {
      for (const caller of sampleOf(otherCallers, turn + today, 2))
        await expectAnswer(contract, atVirtual, caller, atVirtual[caller].bearer);
      await expectAnswer(contract, atVirtual, 'unknown', undefined);
    });
  });
});
