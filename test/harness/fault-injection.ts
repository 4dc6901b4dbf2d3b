import { type Kill, killsOf, runKilled } from './kills.ts';
import type { Service } from './service.ts';
import { brokenContent } from './stored-packages.ts';

/** What a test kills: something that a function does, on what was made for it. */
export interface Deed<Prepared> {
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
  /** So many of them come before those to kill. */
  readonly skipped?: number;
  /** Throws unless what the deed is not about is as it was. */
  readonly bystander: () => Promise<void>;
}

/** Kills a deed everywhere: nothing is half visible, nothing is lost, and who repeats it succeeds. */
export const killEverywhere = async <Prepared>(
  service: Service,
  { functionId, prepare, act, check }: Deed<Prepared>,
  { calls, skipped = 0, bystander }: Expected,
): Promise<void> => {
  const first = await prepare();
  service.proxy.forget();
  service.store.forget();
  expect(await act(first)).toBe(true);
  const kills = killsOf(service, functionId);
  expect(kills.filter(({ when }) => when === 'before').map(({ call }) => call)).toEqual(calls);
  await check(first);
  for (const kill of kills.slice(2 * skipped)) {
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
