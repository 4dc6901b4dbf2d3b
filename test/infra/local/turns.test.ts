import { CallNotBegun, type Turn, Turns } from '../../../infra/local/turns.ts';

const make = () => {
  const turns = new Turns({ callsAtOnceMax: 1, waitingMax: 2, waitingBytesMax: 100 });
  const order: string[] = [];
  /** A call that ends when it is told to. */
  const call = (name: string, turn: Turn = { bytes: 1 }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ended = turns.take(turn, async () => {
      order.push(name);
      await promise;
    });
    ended.catch(() => {});
    return { ended, end: resolve };
  };
  return { turns, order, call };
};

describe('The turns of calls', () => {
  it('come in the order of the calls, and nobody has one after the last', async () => {
    const { turns, order, call } = make();
    const calls = ['first', 'second', 'third'].map((name) => call(name));
    expect([order, turns.isIdle]).toEqual([['first'], false]);
    for (const { ended, end } of calls) {
      end();
      await ended;
    }
    expect([order, turns.isIdle]).toEqual([['first', 'second', 'third'], true]);
  });

  it('are refused to a call for which too many wait, or too many bytes, unless it is patient', async () => {
    const { order, call } = make();
    const first = call('first');
    await expect(call('large', { bytes: 101 }).ended).rejects.toBeInstanceOf(CallNotBegun);
    const second = call('second', { bytes: 90 });
    await expect(call('beyond', { bytes: 11 }).ended).rejects.toBeInstanceOf(CallNotBegun);
    const third = call('third', { bytes: 10 });
    await expect(call('fourth', { bytes: 0 }).ended).rejects.toBeInstanceOf(CallNotBegun);
    const patient = call('patient', { bytes: 1_000, isPatient: true });
    for (const { end } of [first, second, third, patient]) end();
    await patient.ended;
    expect(order).toEqual(['first', 'second', 'third', 'patient']);
    const [again, next] = [call('again'), call('next', { bytes: 100 })];
    again.end();
    next.end();
    await next.ended;
  });

  it('pass a call whose caller has gone, and leave one that runs alone', async () => {
    const { order, call } = make();
    const [caller, other] = [new AbortController(), new AbortController()];
    const first = call('first', { bytes: 1, signal: caller.signal });
    const [gone, full] = [call('gone', { bytes: 90, signal: other.signal }), call('full')];
    other.abort();
    caller.abort();
    await expect(gone.ended).rejects.toThrow('The caller has gone.');
    await expect(call('too late', { bytes: 1, signal: other.signal }).ended).rejects.toThrow('The caller has gone.');
    const next = call('next', { bytes: 90 });
    for (const { end } of [first, full, next]) end();
    await Promise.all([first.ended, full.ended, next.ended]);
    expect(order).toEqual(['first', 'full', 'next']);
  });
});
