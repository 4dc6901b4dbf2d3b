import { shareOf } from '../harness/sampling.ts';
import type { Service } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';

/** A call of a function that changes something: a transaction of the table, or a write of the object store. */
export type ChangingCall = 'transaction' | 'PUT' | 'DELETE';

/** A function that is killed at one of the calls by which it changes something. */
export interface Kill {
  readonly when: 'before' | 'after';
  readonly call: ChangingCall;
  /** How many such calls of the table and of the object store came before. */
  readonly tableCalls: number;
  readonly storeCalls: number;
}

const isChange = (method: string): method is 'PUT' | 'DELETE' => method === 'PUT' || method === 'DELETE';

/**
 * The kills of what a function did since the proxies forgot: one before and one after each call that changed something. At a
 * read it would leave what it leaves before the next change.
 */
export const killsOf = ({ proxy, store }: Service, functionId: string): Kill[] => {
  // On a starved machine, the SDK tires of waiting for an answer and calls again: one change, two calls.
  const writes = proxy.callsOf(functionId).filter(({ isWrite, isAbandoned }) => isWrite && !isAbandoned);
  const unknown = writes.filter(({ operation }) => operation !== 'TransactWriteItems');
  if (unknown.length > 0) throw new Error(`A kill cannot meet ${unknown[0]?.operation}.`);
  const changes: { readonly call: ChangingCall; readonly startedAt: number }[] = [
    ...writes.map(({ startedAt }) => ({ call: 'transaction' as const, startedAt })),
    ...store.calls.flatMap(({ method, startedAt }) => (isChange(method) ? [{ call: method, startedAt }] : [])),
  ];
  return changes
    .toSorted((one, other) => one.startedAt - other.startedAt)
    .flatMap(({ call }, at, all) => {
      const tableCalls = all.slice(0, at).filter((each) => each.call === 'transaction').length;
      const kill = { call, tableCalls, storeCalls: at - tableCalls };
      return [
        { ...kill, when: 'before' as const },
        { ...kill, when: 'after' as const },
      ];
    });
};

/** Runs something that a kill meets: nothing that the function does from there on reaches the table or the object store. */
export const runKilled = async <T>(
  { proxy, store }: Service,
  functionId: string,
  { when, call, tableCalls, storeCalls }: Kill,
  run: () => Promise<T>,
): Promise<T> => {
  const last = when === 'after' ? 1 : 0;
  const inTable = { functionId, operation: 'TransactWriteItems' };
  const isOfTable = call === 'transaction';
  if (isOfTable) proxy.inject({ ...inTable, fault: 'commit-then-drop', after: tableCalls, times: last });
  else store.inject({ changes: true, fault: 'commit-then-drop', after: storeCalls, times: last });
  proxy.inject({ ...inTable, fault: 'drop', after: tableCalls + (isOfTable ? last : 0) });
  store.inject({ changes: true, fault: 'drop', after: storeCalls + (isOfTable ? 0 : last) });
  try {
    return await run();
  } finally {
    proxy.heal();
    store.heal();
  }
};

/** What a test kills: something that a function does, on what was made for it. */
export interface KilledAction<Prepared> {
  readonly functionId: string;
  readonly prepare: () => Promise<Prepared>;
  /** Returns whether it was done, as far as who asked for it can say. */
  readonly act: (prepared: Prepared) => Promise<boolean>;
  /** What must hold whenever the deed ended, killed or not. */
  readonly check: (prepared: Prepared) => Promise<void>;
}

/** What is expected of the kills of a deed. */
interface Expected {
  /** The calls by which the deed changes something. */
  readonly calls: readonly Kill['call'][];
  /** Set if some of them are made at once, in any order. */
  readonly atOnce?: boolean;
  /** So many of them come before those to kill. */
  readonly skipped?: number;
  /** Throws unless what the deed is not about is as it was. */
  readonly bystander: () => Promise<void>;
}

/** Kills a deed everywhere, or at every third of the places, others each day: nothing is half visible, nothing is lost, and who repeats it succeeds. */
export const killEverywhere = async <Prepared>(
  service: Service,
  { functionId, prepare, act, check }: KilledAction<Prepared>,
  { calls, atOnce = false, skipped = 0, bystander }: Expected,
): Promise<void> => {
  const first = await prepare();
  service.proxy.forget();
  service.store.forget();
  expect(await act(first)).toBe(true);
  const kills = killsOf(service, functionId);
  const made = kills.filter(({ when }) => when === 'before').map(({ call }) => call);
  expect(atOnce ? made.toSorted() : made).toEqual(atOnce ? calls.toSorted() : calls);
  await check(first);
  for (const kill of shareOf(kills.slice(2 * skipped), 3)) {
    const prepared = await prepare();
    service.proxy.forget();
    service.store.forget();
    await runKilled(service, functionId, kill, async () => act(prepared));
    const isHit = [...service.proxy.callsOf(functionId), ...service.store.calls].some(
      ({ status }) => status === undefined,
    );
    expect({ kill, isHit, broken: await brokenContent(service) }).toEqual({ kill, isHit: true, broken: [] });
    await check(prepared);
    expect({ kill, isDone: await act(prepared), broken: await brokenContent(service) }).toEqual({
      kill,
      isDone: true,
      broken: [],
    });
    await check(prepared);
    await bystander();
  }
};
