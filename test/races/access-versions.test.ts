import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { getRepository } from '../../functions/repositories/contracts.ts';
import type { PermissionLevel, WorkspaceRole } from '../../shared/access.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { environment } from '../../shared/config.ts';
import { ApiError } from '../../shared/errors.ts';
import { authorize } from '../../shared/http/authorization.ts';
import { principalOfToken } from '../../shared/http/principal.ts';
import { Table } from '../../shared/table/client.ts';
import { grantKeys } from '../../shared/table/identity/grant-shards.ts';
import { grant, inlineGrantsMax, revoke } from '../../shared/table/identity/grants.ts';
import { removeMember, setMember } from '../../shared/table/identity/memberships.ts';
import { rotateToken } from '../../shared/table/identity/token-rotation.ts';
import { insertToken, type PersonalToken, removeToken } from '../../shared/table/identity/tokens.ts';
import { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, membershipKey } from '../../shared/table/keys.ts';
import { inTable } from '../harness/retry.ts';
import { numbersFrom, roundsOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { insertGrants } from '../harness/stored-grants.ts';
import { storedWorkspace } from '../harness/stored-items.ts';
import type { Actor, Named } from '../harness/world.ts';

jest.setTimeout(3_600_000);

const service = useService();

/** Orders of reads and changes; `npm run test:races` tries 10,000. */
const schedules = Number(process.env.ACCESS_SCHEDULES ?? roundsOf(60));
const seed = Number(process.env.ACCESS_SEED ?? Date.now() % 1_000_000);
const requestsOfEach = 9;
const changesOfEach = 5;
const atOnceMax = 4;

let workspace: Named;
let repository: Named;

beforeAll(async () => {
  process.env[environment.remembersAccess] = 'true';
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace);
});

afterAll(() => {
  delete process.env[environment.remembersAccess];
});

/** Lets one read of one item happen, whenever the schedule wants it. */
type Turn = () => Promise<void>;

/** The table of one request, whose reads of several items are as far apart as those of DynamoDB may be. */
class SlowTable extends Table {
  private readonly turn: Turn;
  private readonly below: (max: number) => number;
  /** The items that the request has read. */
  reads = 0;

  constructor(turn: Turn, below: (max: number) => number) {
    super();
    this.turn = turn;
    this.below = below;
  }

  override async readWanted(wanted: (loaded: IdentityMap) => readonly Key[]): Promise<IdentityMap> {
    const loaded = new IdentityMap();
    for (;;) {
      const left = [...loaded.missing(wanted(loaded)).values()];
      if (left.length === 0) return loaded;
      while (left.length > 0) {
        await this.turn();
        await this.read(left.splice(this.below(left.length), 1), loaded);
        this.reads += 1;
      }
    }
  }
}

type Outcome = PermissionLevel | 'refused';

/** What decides about a user, as the changes have left it. */
interface State {
  readonly role: WorkspaceRole | undefined;
  readonly level: PermissionLevel | undefined;
  readonly hasToken: boolean;
}

const outcomeIn = ({ role, level, hasToken }: State): Outcome => {
  if (!hasToken || !role) return 'refused';
  return (role === 'admin' ? 'canManage' : level) ?? 'refused';
};

/**
 * What a request may answer during which these were the states, one after the other. Several reads of a request show it the token of one
 * moment and the level of another.
 */
const possibleIn = (states: readonly State[]): ReadonlySet<string> => {
  const hadToken = states.some(({ hasToken }) => hasToken);
  const levels = states.map((state) => outcomeIn({ ...state, hasToken: hadToken }));
  return new Set(states.length > 1 ? ['refused', ...levels] : levels);
};

/** A user whose rights change, and who asks for the repository. */
class Holder {
  /** What decided after each change, with the present state as the last. */
  readonly history: State[] = [{ role: 'member', level: undefined, hasToken: true }];
  private readonly actor: Actor;
  private token: PersonalToken;
  private readonly hasManyGrants: boolean;

  constructor(actor: Actor, token: PersonalToken, hasManyGrants: boolean) {
    this.actor = actor;
    this.token = token;
    this.hasManyGrants = hasManyGrants;
  }

  get state(): State {
    return this.history.at(-1) as State;
  }

  private become(change: Partial<State>): void {
    this.history.push({ ...this.state, ...change });
  }

  async renewToken(): Promise<void> {
    const { userId, username } = this.actor;
    const fields = { userId, username, name: 'ci', expirationDate: null };
    this.token = await inTable((table) => insertToken(table, newToken(), fields));
    this.become({ hasToken: true });
  }

  private async membership() {
    const key = membershipKey(workspace.id, this.actor.userId);
    return (await new Table().read([key])).find(key);
  }

  private async setRole(role: WorkspaceRole): Promise<void> {
    const { userId, username } = this.actor;
    const stored = await storedWorkspace(workspace.id);
    await setMember(new Table(), stored, { userId, username, role }, await this.membership());
    const isNew = this.state.role !== 'member' || role !== 'member';
    this.become({ role, ...(isNew && { level: undefined }) });
    if (this.hasManyGrants && isNew && role === 'member') await this.grantMany();
  }

  /** So many that they are in shards. */
  async grantMany(): Promise<void> {
    const grants = Array.from({ length: inlineGrantsMax + 1 }, () => randomUUID());
    await insertGrants(
      workspace.id,
      this.actor.userId,
      grants.map((repositoryId) => ({ repositoryId, level: 'canView' as const })),
    );
  }

  private async setLevel(level: PermissionLevel | undefined): Promise<void> {
    if (this.state.role !== 'member') return;
    const { userId } = this.actor;
    const keys = [membershipKey(workspace.id, userId), ...grantKeys(workspace.id, userId, [repository.id])];
    const [table, loaded] = [new Table(), await new Table().read(keys)];
    if (level) await grant(table, workspace.id, userId, [{ repositoryId: repository.id, level }], loaded);
    else await revoke(table, workspace.id, userId, [repository.id], loaded);
    this.become({ level });
  }

  /** The changes, of which each is over when its promise is. */
  readonly changes = {
    grant: async () => this.setLevel('canView'),
    'grant more': async () => this.setLevel('canManage'),
    revoke: async () => this.setLevel(undefined),
    promote: async () => this.setRole('admin'),
    demote: async () => this.setRole('member'),
    remove: async () => {
      const membership = await this.membership();
      if (!membership) return;
      await removeMember(new Table(), await storedWorkspace(workspace.id), membership);
      this.become({ role: undefined, level: undefined });
    },
    'revoke the token': async () => {
      if (!this.state.hasToken) return;
      await removeToken(new Table(), this.token);
      this.become({ hasToken: false });
    },
    'replace the token': async () => {
      if (!this.state.hasToken) return;
      const rotation = { secret: newToken(), expirationDate: null, overlapSeconds: 0 };
      await rotateToken(new Table(), this.token, rotation);
      this.become({ hasToken: false });
    },
  };

  async ask(table: Table): Promise<Outcome> {
    const principal = principalOfToken(this.token);
    const path = { workspace: workspace.id, repository: repository.id };
    try {
      const { caller } = await authorize({ contract: getRepository, principal, path, alsoWanted: () => [] }, table);
      return caller.level ?? 'refused';
    } catch (error) {
      if (error instanceof ApiError) return 'refused';
      throw error;
    }
  }
}

/** A request under way. It stands still until the schedule gives it a turn. */
class Request {
  private arrived = Promise.withResolvers<void>();
  private allowed = Promise.withResolvers<void>();
  private readonly holder: Holder;
  private readonly since: number;
  isOver = false;
  /** What is wrong with its answer. */
  complaint: string | undefined;

  constructor(holder: Holder, below: (max: number) => number) {
    this.holder = holder;
    this.since = holder.history.length - 1;
    const turn = async () => {
      this.arrived.resolve();
      await this.allowed.promise;
    };
    void holder.ask(new SlowTable(turn, below)).then(
      (outcome) => this.end(outcome),
      (error: unknown) => this.end(String(error)),
    );
  }

  private end(outcome: string): void {
    const possible = possibleIn(this.holder.history.slice(this.since));
    if (!possible.has(outcome)) this.complaint = `${outcome} instead of ${[...possible].join(' or ')}`;
    this.isOver = true;
    this.arrived.resolve();
  }

  /** Lets it read one more item, and waits until it wants the next one or has its answer. */
  async step(): Promise<void> {
    await this.arrived.promise;
    if (this.isOver) return;
    const { allowed } = this;
    this.arrived = Promise.withResolvers();
    this.allowed = Promise.withResolvers();
    allowed.resolve();
    await this.arrived.promise;
  }
}

/** Some requests and changes in an order that follows from the numbers. Returns what is wrong with an answer. */
const run = async (holder: Holder, below: (max: number) => number): Promise<string | undefined> => {
  if (!holder.state.hasToken) await holder.renewToken();
  let [requests, changes] = [requestsOfEach, changesOfEach];
  const under: Request[] = [];
  while (requests + changes + under.length > 0) {
    const choice = below(10);
    if (changes > 0 && choice < 2) {
      changes -= 1;
      const all = Object.values(holder.changes);
      await all[below(all.length)]?.();
    } else if (requests > 0 && under.length < atOnceMax && choice < 5) {
      requests -= 1;
      under.push(new Request(holder, below));
    } else {
      const request = under[below(under.length)];
      // Others stand still meanwhile, sometimes until this one has its answer.
      for (let steps = below(8); steps >= 0; steps -= 1) await request?.step();
      if (request?.isOver) under.splice(under.indexOf(request), 1);
      if (request?.complaint) return request.complaint;
    }
  }
  return undefined;
};

const newHolder = async (hasManyGrants: boolean): Promise<Holder> => {
  const actor = await service.world.member(workspace);
  const { userId, username } = actor;
  const fields = { userId, username, name: 'ci', expirationDate: null };
  const holder = new Holder(actor, await inTable((table) => insertToken(table, newToken(), fields)), hasManyGrants);
  if (hasManyGrants) await holder.grantMany();
  return holder;
};

describe('What a process remembers of a caller, whatever the order in which items are read and changed', () => {
  it.each([
    ['the membership', false],
    ['shards', true],
  ] as const)('is what the table has, for requests that begin after a change: grants in %s', async (_, hasMany) => {
    const holder = await newHolder(hasMany);
    for (let round = 0; round < schedules / 2; round += 1) {
      const complaint = await run(holder, numbersFrom(seed + round));
      expect({ seed: seed + round, complaint }).toEqual({ seed: seed + round, complaint: undefined });
    }
  });

  it('is not what a slow request has read before a change that another one has seen', async () => {
    const holder = await newHolder(false);
    /** The membership, the version, then the token and the repository. */
    const membershipFirst = (count: number) => (count === 4 ? 3 : 0);
    const answer = async (): Promise<Outcome> => holder.ask(new SlowTable(async () => undefined, membershipFirst));
    await holder.changes.grant();
    expect([await answer(), await answer()]).toEqual(['canView', 'canView']);
    await holder.changes['grant more']();
    // It sees the version, and has read nothing of what the version covers.
    const seeing = new Request(holder, membershipFirst);
    await seeing.step();
    await seeing.step();
    // It has read the membership and the version.
    const slow = new Request(holder, membershipFirst);
    await slow.step();
    await slow.step();
    await holder.changes.revoke();
    expect(await answer()).toBe('refused');
    while (!slow.isOver) await slow.step();
    expect(slow.complaint).toBeUndefined();
    expect(await answer()).toBe('refused');
    while (!seeing.isOver) await seeing.step();
    expect(await answer()).toBe('refused');
  });

  it('ends with its token, when that expires', async () => {
    const actor = await service.world.member(workspace, 'admin');
    const { userId, username } = actor;
    const expirationDate = new Date(Date.now() + 1_500).toISOString();
    const fields = { userId, username, name: 'ci', expirationDate };
    const holder = new Holder(actor, await inTable((table) => insertToken(table, newToken(), fields)), false);
    const ask = async () => {
      const table = new SlowTable(
        async () => undefined,
        () => 0,
      );
      return [await holder.ask(table), table.reads];
    };
    expect([await ask(), await ask(), await ask()]).toEqual([
      ['canManage', 4],
      ['canManage', 4],
      ['canManage', 2],
    ]);
    await pause(1_600);
    expect(await ask()).toEqual(['refused', 2]);
  });
});
