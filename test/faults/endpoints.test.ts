import { setTimeout as pause } from 'node:timers/promises';
import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import { addWorkspaceMember } from '../../functions/members/contracts.ts';
import { createNpmToken } from '../../functions/npm/contracts.ts';
import { createUpload } from '../../functions/packages/contracts.ts';
import { type Contract, isPaged } from '../../shared/http/contract.ts';
import { looseDueDate } from '../../shared/table/queues/loose-sweeps.ts';
import type { Answer } from '../harness/client.ts';
import { inBatches } from '../harness/concurrency.ts';
import { type Make, type Request, statusForAdmin } from '../harness/endpoint-facts.ts';
import { type Fixture, otherWays, validRequest } from '../harness/fixture.ts';
import { allCases, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { changesOf, snapshot } from '../harness/snapshot.ts';
import { type Fault, isCount, isPossible } from '../harness/table-calls.ts';
import { freeUploadSlots } from '../harness/uploads.ts';

/**
 * `npm run test:faults` lets each way through a use case meet every fault at every call. In `npm test` each way meets the loss of a
 * reply, which is the one that could do its write twice; of the other faults, each meets some in turn, others every day. A sixth of the
 * endpoints that write are there each day; of those that only read, and of the ways beside the plain one, a ninth is. With ALL_CASES,
 * three times as many are.
 */
const allFaults = process.env.FAULTS === 'all';
const days = allCases ? 1 : 3;
/** All endpoints at once wait for minutes while each of their calls hangs. */
const waitMilliseconds = allFaults ? 600_000 : 120_000;
const writeMilliseconds = allFaults ? 600_000 : 60_000;

/** Whether it is the turn of one of several cases, as far as the index of a part goes: one that follows another has another turn. */
const isInTurn = (at: number, { turn }: Pick<Part, 'turn'>, of: number, count = 1): boolean =>
  allFaults || (at + turn + today) % of < count;

/** The faults that do not end and meet each call of its own; a call that hangs takes seconds, so it usually meets the writes alone. */
const eachCallOf: readonly Fault[] = allFaults ? ['server-error', 'hang'] : ['server-error'];

const service = useService();

/** An endpoint with one kind of request, in a workspace of its own: all run at once and none meets another. */
interface Part {
  readonly contract: Contract;
  readonly fixture: Fixture;
  readonly make: Make;
  readonly isPlain: boolean;
  /** The index among the plain ways, or among the others. */
  readonly turn: number;
  /** One that may be sent as often as one likes, because it changes nothing and makes the same calls each time. */
  readonly repeatable: Request | undefined;
  /** What the request does when nothing fails. */
  readonly expected: {
    readonly status: number;
    readonly operations: readonly string[];
    /** The positions of the writes among them, without the counts of passwords. */
    readonly writes: readonly number[];
    readonly changes: string[];
  };
}

/** A fixture with one user beside the system admin, who is no other fixture's: deletions would shorten a list of tokens. */
const buildSmallStage = async (): Promise<Fixture> => {
  const { client, world } = service;
  const [systemAdmin, workspace] = await Promise.all([world.user({ userRole: 'system-admin' }), world.workspace()]);
  const [repository, universal, targetUser] = await Promise.all([
    world.repository(workspace),
    world.repository(workspace, undefined, 'universal'),
    world.member(workspace),
  ]);
  const levels = { viewer: targetUser, deployer: targetUser, manager: targetUser };
  const members = { member: targetUser, ...levels, workspaceAdmin: targetUser };
  return {
    client,
    world,
    workspace,
    repository,
    universal,
    systemAdmin,
    targetUser,
    stranger: targetUser,
    adminElsewhere: targetUser,
    ...members,
  };
};

const send = async ({ contract, fixture }: Pick<Part, 'contract' | 'fixture'>, request: Request): Promise<Answer> =>
  service.client.attempt(contract, { ...request, as: fixture.systemAdmin.bearer });

/** What costs time is done a few at a time; to wait costs nothing, so all can do it at once. */
const aFewAtOnce = <T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> => inBatches(items, 4, run);

/** The valid request, for a page of a list: these tests make users and workspaces, and a whole list would take more and more calls. */
const validPage = async (contract: Endpoint, fixture: Fixture): Promise<Request> => {
  const request = await validRequest(contract, fixture);
  return isPaged(contract) ? { ...request, query: { limit: 10, ...request.query } } : request;
};

type Unlearnt = Omit<Part, 'expected' | 'repeatable'>;

/** Makes the first request, which may start the function and look names up that later ones know. */
const warmUp = async <W extends Omit<Unlearnt, 'fixture'>>(way: W): Promise<W & Unlearnt> => {
  const part = { ...way, fixture: await buildSmallStage() };
  await send(part, await part.make(part.fixture));
  return part;
};

const hourMilliseconds = 3_600_000;
/** A test takes less, and so does what all learn. */
const testMilliseconds = 60_000;
let preparedFor = looseDueDate();

/**
 * Lets the hour last for a test. In each hour, the first file of no version makes one more write, which prepares its package:
 * when the hour has turned, that is done before anything is counted.
 */
const prepareForTheHour = async (parts: readonly Unlearnt[]): Promise<void> => {
  const left = hourMilliseconds - (Date.now() % hourMilliseconds);
  if (left < testMilliseconds) await pause(left);
  if (looseDueDate() === preparedFor) return;
  await aFewAtOnce(parts, async (part) => send(part, await part.make(part.fixture)));
  preparedFor = looseDueDate();
};

/** The calls for a part, but for those that the SDK gave up and made again: on a busy machine, some are answered too late. */
const callsFor = ({ contract }: Unlearnt) =>
  service.proxy.callsOf(contract.id).filter(({ isAbandoned }) => !isAbandoned);

/** Whether a request makes the same calls when it is sent again. A document that the process has rendered takes fewer. */
const isAlike = async (part: Unlearnt, request: Request, operations: readonly string[]): Promise<boolean> => {
  service.proxy.forget();
  await send(part, request);
  const again = callsFor(part).map(({ operation }) => operation);
  return again.join() === operations.join();
};

/** Sends the requests one after the other, because what changes meanwhile is taken for the doing of the request. */
const learn = async <P extends Unlearnt>(parts: readonly P[]): Promise<(P & Part)[]> => {
  const requests = await aFewAtOnce(parts, async ({ make, fixture }) => make(fixture));
  const learnt: (P & Part)[] = [];
  const table = new Map(await snapshot());
  for (const [index, part] of parts.entries()) {
    const request = requests[index] as Request;
    service.proxy.forget();
    const { status, text } = await send(part, request);
    if (status >= 300 && status !== statusForAdmin(part.contract))
      throw new Error(`${part.contract.id} has no valid request: ${text}`);
    const calls = callsFor(part);
    const operations = calls.map((call) => call.operation);
    const writes = calls.flatMap((call, position) => (call.isWrite && !isCount(call) ? [position] : []));
    const written = service.proxy.calls.flatMap((call) => (call.isWrite ? call.keys : []));
    const changes = await changesOfRequests(table, written);
    const repeatable = changes.length === 0 && (await isAlike(part, request, operations)) ? request : undefined;
    learnt.push({ ...part, repeatable, expected: { status, operations, writes, changes } });
  }
  return learnt;
};

/**
 * The valid requests, then those that take another way through their use case, in rounds of at most one for each endpoint:
 * a round can run at once, because a fault is meant for one endpoint.
 */
const rounds: Part[][] = [];
const plain = (): Part[] => rounds[0] ?? [];

/** Endpoints whose plain way writes nothing, and another one does. */
const writesOtherwise: ReadonlySet<string> = new Set([addWorkspaceMember.id, createNpmToken.id]);

beforeAll(async () => {
  const ways = endpoints.flatMap((contract) => {
    const valid: Make = (fixture) => validPage(contract, fixture);
    // A request that waits for another function makes as many calls as it waits: the tests of that function cover it.
    const others = contract.invokes ? [] : otherWays(contract);
    return [valid, ...others].map((make, round) => ({ contract, make, round }));
  });
  const isTaken = ({ contract }: (typeof ways)[number], at: number, of: number) =>
    allFaults || writesOtherwise.has(contract.id) || (at + today) % (days * of) === 0;
  const plainWays = ways
    .filter(({ round }) => round === 0)
    .filter((way, at) => isTaken(way, at, way.contract.method === 'GET' ? 3 : 2));
  const others = ways.filter(({ round }) => round > 0).filter((way, at) => isTaken(way, at, 3));
  const warm = await aFewAtOnce([...plainWays, ...others], async (way) => {
    const isPlain = way.round === 0;
    return warmUp({ ...way, isPlain, turn: (isPlain ? plainWays : others).indexOf(way) });
  });
  await prepareForTheHour(warm);
  const learnt = await learn(warm);
  const inOrder = learnt.toSorted((one, other) => one.round - other.round || rankOf(one) - rankOf(other));
  rounds.push(...Map.groupBy(inOrder, ({ round }) => round).values());
}, 240_000);

beforeEach(async () => {
  const parts = rounds.flat();
  await aFewAtOnce(
    parts.filter(({ contract }) => contract.id === createUpload.id),
    async ({ fixture: { workspace, systemAdmin } }) => freeUploadSlots(workspace, systemAdmin),
  );
  await prepareForTheHour(parts);
}, 120_000);

const positionOfWrite = ({ expected }: Part): number => expected.writes[0] ?? -1;

const positions = [0, 1, 2, 3, 4, 5];

/** The operations of those of a part's calls that can meet the fault. */
const meeting = (fault: Fault, { expected }: Part): readonly string[] =>
  expected.operations.filter((operation) => isPossible(fault, operation));

/** The parts whose call at this position can meet the fault. */
const affected = (parts: readonly Part[], fault: Fault, position: number): Part[] =>
  parts.filter(({ expected: { operations } }) => {
    const operation = operations[position];
    return operation !== undefined && isPossible(fault, operation);
  });

interface Observed {
  readonly part: Part;
  readonly position: number | undefined;
  readonly answer: Answer;
  readonly milliseconds: number;
  /** The operations of its calls. */
  readonly operations: readonly string[];
}

/** What requests changed. What becomes of an import is left out: its worker writes that at its own time. */
const changesOfRequests = async (...[table, written]: Parameters<typeof changesOf>): Promise<string[]> =>
  (await changesOf(table, written))
    .filter((change) => !change.startsWith('changed ADVISORY'))
    .map((change) => change.replace(/^(added ADVISORYIMPORT#<id>).*/s, '$1'));

const isSlow = (fault: Fault): boolean => ['hang', 'throttle', 'conflict', 'unprocessed'].includes(fault);

/** Whether a call that meets the fault again and again is tried as long as the request has time. */
const isUntilTheEnd = (fault: Fault): boolean => ['conflict', 'unprocessed'].includes(fault);

/** The place of an upload is drawn by lot. One that was taken costs a look and the write once more, which are left out. */
const asDrawn = ({ expected }: Part, operations: readonly string[]): readonly string[] => {
  if (expected.operations.includes('Query') || !operations.includes('Query')) return operations;
  const writes = operations.filter((operation) => operation === 'TransactWriteItems');
  const others = operations.filter((operation) => !['Query', 'TransactWriteItems'].includes(operation));
  return [...others, ...writes.slice(writes.length / 2)];
};

/** A table that answers such calls late is asked less often in that time. */
const lateMilliseconds = 1_000;

/** Lists come first: one makes more calls if what it lists is deleted meanwhile. */
const rankOf = ({ contract }: Pick<Part, 'contract'>): number => (isPaged(contract) ? 0 : 1);

/** The lists, and then the others. Where each waits as long as it can, nothing is listed or deleted, so all wait at once. */
const groupsOf = (isWaiting: boolean, parts: readonly Part[]): readonly (readonly Part[])[] =>
  isWaiting ? [parts] : [0, 1].map((rank) => parts.filter((part) => rankOf(part) === rank));

/** Parts that run at once, none twice, and which call of each meets the fault; each call does if there is no position. */
interface Wave {
  readonly parts: readonly Part[];
  readonly positionOf: ((part: Part) => number) | undefined;
}

const newRequest = async ({ repeatable, make, fixture }: Part): Promise<Request> => repeatable ?? make(fixture);

/**
 * Runs wave after wave while calls of each part meet the fault, so many times. What the calls may have written is looked at
 * before and after.
 */
const runWith = async (fault: Fault, times: number, waves: readonly Wave[], requestOf = newRequest) => {
  if (waves.length === 0) return { observed: [], changes: [] };
  const prepared: (Wave & { readonly requests: readonly Request[] })[] = [];
  for (const wave of waves) prepared.push({ ...wave, requests: await aFewAtOnce(wave.parts, requestOf) });
  const table = new Map(await snapshot());
  const observed: Observed[] = [];
  const written = new Set<string>();
  for (const { parts, positionOf, requests } of prepared) {
    service.proxy.forget();
    const isWaiting = times === Number.POSITIVE_INFINITY && isUntilTheEnd(fault);
    if (isWaiting) service.proxy.answerMilliseconds = lateMilliseconds;
    for (const part of parts) {
      // Calls that cannot meet this fault are not counted.
      const earlier = part.expected.operations.slice(0, positionOf?.(part) ?? 0);
      const after = earlier.filter((operation) => isPossible(fault, operation)).length;
      service.proxy.inject({ fault, functionId: part.contract.id, after, times, eachCall: positionOf === undefined });
    }
    const observe = async (part: Part): Promise<Observed> => {
      const start = performance.now();
      const answer = await send(part, requests[parts.indexOf(part)] as Request);
      const milliseconds = performance.now() - start;
      const position = positionOf?.(part);
      const operations = callsFor(part).map(({ operation }) => operation);
      return { part, position, answer, milliseconds, operations: asDrawn(part, operations) };
    };
    for (const group of groupsOf(isWaiting || fault === 'hang', parts))
      observed.push(...(isSlow(fault) ? await Promise.all(group.map(observe)) : await aFewAtOnce(group, observe)));
    service.proxy.heal();
    for (const { isWrite, keys } of service.proxy.calls) if (isWrite) for (const key of keys) written.add(key);
  }
  return { observed, changes: await changesOfRequests(table, written) };
};

const whole = (parts: readonly Part[]): string[] => parts.flatMap(({ expected }) => expected.changes).toSorted();

describe('A fault of the table that ends, at each call of each endpoint', () => {
  it('meets the one write of each endpoint that writes', () => {
    const writing = rounds.flat().filter(({ expected }) => expected.changes.length > 0);
    for (const { contract, expected } of writing)
      expect([contract.id, expected.writes.length]).toEqual([contract.id, 1]);
    const ids = new Set(writing.map(({ contract }) => contract.id));
    const silent = plain().filter(({ contract: { id, method } }) => method !== 'GET' && !ids.has(id));
    // These only sign, say what would happen, pass a question on, or have but a sentence.
    const mayBeSilent = [
      'packages/create-upload-urls',
      'packages/check-version',
      'trusts/check-trust',
      'npm/check-npm-packages',
      'composer/check-composer-packages',
      'npm/update-npm-account',
      'gems/create-gem-key',
    ];
    const present = new Set(plain().map(({ contract }) => contract.id));
    expect(silent.map(({ contract }) => contract.id).toSorted()).toEqual(
      mayBeSilent.filter((id) => present.has(id)).toSorted(),
    );
    for (const { expected } of rounds.flat()) expect(expected.operations.length).toBeLessThanOrEqual(positions.length);
  });

  const transientFaults = [
    { fault: 'drop', times: 1 },
    { fault: 'commit-then-drop', times: 1 },
    { fault: 'throttle', times: 1 },
    { fault: 'conflict', times: 2 },
    { fault: 'server-error', times: 1 },
  ] as const;

  const alwaysMet: Fault = 'commit-then-drop';
  const metInTurn: readonly Fault[] = [
    ...transientFaults.map(({ fault }) => fault).filter((fault) => fault !== alwaysMet),
    'unprocessed',
  ];

  /** Each way meets one of those faults in turn; beside it, the plain ways meet one batch that is read in part. */
  const isToMeet = (fault: Fault, part: Part): boolean => {
    if (allFaults || fault === alwaysMet) return meeting(fault, part).length > 0;
    const kinds = metInTurn.filter((each) => !(part.isPlain && each === 'unprocessed'));
    const possible = kinds.filter((each) => meeting(each, part).length > 0);
    const at = possible.indexOf(fault);
    return at >= 0 && isInTurn(at, part, possible.length);
  };

  /** Whether the part is to meet a batch that is read in part at this position: at one of them in turn. */
  const isToReadInPart = (position: number, part: Part): boolean => {
    if (!part.isPlain && !isToMeet('unprocessed', part)) return false;
    const possible = positions.filter((each) => part.expected.operations[each] === 'BatchGetItem');
    return isInTurn(possible.indexOf(position), part, possible.length);
  };

  /** Runs the waves; each request succeeds after the `repeated` calls, and is done once. */
  const expectDone = async (
    { fault, times }: { readonly fault: Fault; readonly times: number },
    waves: readonly Wave[],
    repeated: (part: Part) => readonly string[],
  ): Promise<void> => {
    const { observed, changes } = await runWith(fault, times, waves);
    const parts = waves.flatMap((wave) => wave.parts);
    expect(
      observed.map(({ part, answer, operations }) => [part.contract.id, answer.status, operations.toSorted().join()]),
    ).toEqual(
      parts.map((part) => {
        const { status, operations } = part.expected;
        return [part.contract.id, status, [...operations, ...repeated(part)].toSorted().join()];
      }),
    );
    expect(changes).toEqual(whole(parts));
  };

  it.each(transientFaults)(
    '$fault of every call × $times: each request succeeds, and is done once',
    async ({ fault, times }) => {
      const waves = rounds.map((round) => ({
        parts: round.filter((part) => isToMeet(fault, part)),
        positionOf: undefined,
      }));
      await expectDone({ fault, times }, waves, (part) =>
        Array.from({ length: times }, () => meeting(fault, part)).flat(),
      );
    },
    waitMilliseconds,
  );

  // What is left of a batch is another call.
  it('unprocessed × 1: each request succeeds, and is done once', async () => {
    for (const position of positions) {
      const waves = rounds.map((round) => ({
        parts: affected(round, 'unprocessed', position).filter((part) => isToReadInPart(position, part)),
        positionOf: () => position,
      }));
      await expectDone({ fault: 'unprocessed', times: 1 }, waves, () => ['BatchGetItem']);
    }
  }, 120_000);
});

describe('A table that does not recover', () => {
  const requests = new Map<Part, Promise<Request>>();

  /**
   * What is refused changes nothing, so the next fault may meet the same request. Another way may be one for names that the function
   * does not know yet: its requests are new.
   */
  const sameRequest = (part: Part): Promise<Request> => {
    if (!part.isPlain) return newRequest(part);
    const request = requests.get(part) ?? newRequest(part);
    requests.set(part, request);
    return request;
  };

  const isLate = ({ milliseconds }: Observed): boolean => milliseconds >= 9_000;

  /** A request that is late beside all the others is made again without them. */
  const expectUnavailable = async (fault: Fault, waves: readonly Wave[]) => {
    const { observed, changes } = await runWith(fault, Number.POSITIVE_INFINITY, waves, sameRequest);
    const alone = observed.filter(isLate).map(({ part, position }) => ({
      parts: [part],
      positionOf: position === undefined ? undefined : () => position,
    }));
    const again = await runWith(fault, Number.POSITIVE_INFINITY, alone, sameRequest);
    for (const { part, position, answer } of [...observed, ...again.observed]) {
      const at = { id: part.contract.id, position };
      expect({ ...at, code: answer.code }).toEqual({ ...at, code: 'SERVICE_UNAVAILABLE' });
    }
    expect(again.observed.filter(isLate).map(({ part, position }) => [part.contract.id, position])).toEqual([]);
    expect([...changes, ...again.changes]).toEqual([]);
  };

  /** The parts that write, at their write. */
  const writing = (round: readonly Part[]): Wave => ({
    parts: round.filter((part) => positionOfWrite(part) >= 0),
    positionOf: positionOfWrite,
  });

  /** Each other way meets one of the two faults that its write meets for good. */
  const othersFor = (fault: 'server-error' | 'commit-then-drop'): Part[][] => {
    const at = fault === 'server-error' ? 0 : 1;
    return rounds.slice(1).map((round) => round.filter((part) => isInTurn(at, part, 2)));
  };

  // What is quick comes first: on its first failure a function reads its source map, all at once would take seconds.
  it.each(eachCallOf)(
    '%s at each call: 503 within 9 s, nothing written',
    async (fault) =>
      expectUnavailable(fault, [
        ...positions.map((position) => ({
          parts: affected(plain(), fault, position).filter((part) => isInTurn(position, part, 2)),
          positionOf: () => position,
        })),
        ...othersFor('server-error').map(writing),
      ]),
    waitMilliseconds,
  );

  const atWrites = ['hang', 'drop', 'conflict', 'throttle'] as const;

  // Each endpoint meets two of them, another two every day.
  it.each(atWrites)(
    '%s at each write: 503 within 9 s, nothing written',
    async (fault) => {
      const met = plain().filter((part) => isInTurn(atWrites.indexOf(fault), part, 4, 2));
      await expectUnavailable(fault, [writing(met)]);
    },
    writeMilliseconds,
  );

  it(
    'unprocessed keys in the last batch that each reads: 503 within 9 s, nothing written',
    async () => {
      const positionOf = ({ expected }: Part): number => expected.operations.lastIndexOf('BatchGetItem');
      const parts = plain().filter((part) => positionOf(part) >= 0);
      if (allCases) expect(new Set(parts.map(positionOf)).size).toBeGreaterThan(1);
      await expectUnavailable('unprocessed', [{ parts: parts.filter((part) => isInTurn(0, part, 2)), positionOf }]);
    },
    writeMilliseconds,
  );

  it(
    'commit-then-drop at each write: 503, and what was asked is done once and whole',
    async () => {
      const waves = [plain(), ...othersFor('commit-then-drop')].map(writing);
      const { observed, changes } = await runWith('commit-then-drop', Number.POSITIVE_INFINITY, waves);
      for (const { answer } of observed) expect(answer.code).toBe('SERVICE_UNAVAILABLE');
      expect(changes).toEqual(whole(waves.flatMap(({ parts }) => parts)));
    },
    writeMilliseconds,
  );
});
