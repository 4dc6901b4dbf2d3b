import { askedRelease, datedList } from '../../../../shared/packages/gate/dated-lists.ts';
import { releaseTimesOf, withSeen } from '../../../../shared/packages/releases/release-times.ts';

const now = Date.parse('2026-01-31T09:30:00Z');
/** A version may be called like a member that all objects have: a gate would not know what to make of that. */
const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

const released = (id: string) => ({ id, version: id, publishedAt: undefined });
const timesOf = (ids: readonly string[], earlier: readonly string[], seen = {}) =>
  releaseTimesOf(ids.map(released), { all: earlier.map(released), seen }, now);
const none = { newest: 0, isTimed: false, seen: {} };

describe.each(names)('A release called %s', (name) => {
  it('was first seen when the document first had it, and that stays', () => {
    const { seen, newest } = timesOf([name, '1'], ['1']);
    expect([Object.entries(seen), newest]).toEqual([[[name, now]], now]);
    const kept = { [name]: now - 1_000 };
    expect(Object.entries(timesOf([name], [name], kept).seen)).toEqual([[name, now - 1_000]]);
  });

  it('was not seen without a time where nothing says so', async () => {
    expect(withSeen([released(name)], none)).toEqual([{ ...released(name), seenAt: undefined }]);
    expect(askedRelease(name, undefined, none)).toEqual({ ...released(name), seenAt: undefined });
    const list = { read: async () => ({}), times: none, bytes: 0, revision: '1' };
    const loaded = await datedList(list as never, ['5', '4', '3', '2', '1', name], () => Promise.resolve(undefined));
    expect([...(loaded.releases ?? [])].at(-1)).toEqual({ id: name, version: name, publishedAt: 0 });
  });
});
