import fc from 'fast-check';
import {
  cutoffOf,
  gateOf,
  millisecondsOf,
  type Release,
  timeText,
} from '../../../../shared/packages/releases/gate-of.ts';
import { allPass, joinTimes, releaseTimesOf, withSeen } from '../../../../shared/packages/releases/release-times.ts';
import type { ReleaseGate } from '../../../../shared/table/repositories/release-gate.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);

const open: ReleaseGate = {
  mode: 'enforce',
  minimumAgeHours: 0,
  frozenAt: null,
  untimed: 'firstSeen',
  exempt: [],
  withdrawnUpstream: 'hold',
};

const time = fc.integer({ min: 0, max: 1_000 }).map((hours) => start + hours * hour);
const gates: fc.Arbitrary<ReleaseGate> = fc.record({
  mode: fc.constant('enforce' as const),
  minimumAgeHours: fc.integer({ min: 0, max: 300 }),
  frozenAt: fc.option(time.map((at) => new Date(at).toISOString())),
  untimed: fc.constantFrom('firstSeen', 'hold', 'pass'),
  exempt: fc.subarray(['axios', 'left*', 'axios@1.0.0', 'axios@2.0.0']),
  withdrawnUpstream: fc.constant('hold' as const),
});
const releases: fc.Arbitrary<Release> = fc
  .record({
    version: fc.constantFrom('1.0.0', '2.0.0', '3.0.0'),
    publishedAt: fc.option(time, { nil: undefined }),
    seenAt: fc.option(time, { nil: undefined }),
  })
  .map((release) => ({ id: release.version, ...release }));
const names = fc.constantFrom('axios', 'left-pad', 'other');
const untimedOf = (ids: readonly string[]) => ids.map((id) => ({ id, publishedAt: undefined }));

const isHeld = (name: string, release: Release, gate: ReleaseGate, now: number): boolean =>
  gateOf(name, release, gate, { now }).state === 'held';

const stateAt = (gate: Partial<ReleaseGate>, release: Partial<Release>, now = start) =>
  gateOf('axios', { id: '1.0.0', version: '1.0.0', ...release }, { ...open, ...gate }, { now });

describe('A release gate', () => {
  it('holds a version back until it is old enough, and says until when', () => {
    const publishedAt = start - 71 * hour;
    expect(stateAt({ minimumAgeHours: 72 }, { publishedAt })).toMatchObject({ state: 'held', until: start + hour });
    expect(stateAt({ minimumAgeHours: 72 }, { publishedAt }, start + hour)).toEqual({ state: 'passes' });
    expect(stateAt({ minimumAgeHours: 0 }, { publishedAt: start + hour })).toEqual({ state: 'passes' });
  });

  it.each([
    ['published', { publishedAt: start }],
    ['first seen', { seenAt: start }],
    ['published', { publishedAt: start, isAuthorsTime: true, seenAt: start - hour }],
    ['first seen', { publishedAt: start - hour, isAuthorsTime: true, seenAt: start }],
  ] as const)('says that a version was %s when its age began: %j', (word, release) => {
    expect(stateAt({ minimumAgeHours: 72 }, release, start + hour)).toMatchObject({
      why: `it was ${word} on ${new Date(start).toISOString()}, and passes when it is 72 hours old`,
    });
  });

  it('holds back for good what was published after a date', () => {
    const frozenAt = new Date(start).toISOString();
    const later = { publishedAt: start + 1 };
    expect(stateAt({ frozenAt }, later, start + 9_000 * hour)).toEqual({
      state: 'held',
      rule: 'frozenAt',
      why: expect.stringContaining(frozenAt),
    });
    expect(stateAt({ frozenAt }, { publishedAt: start })).toEqual({ state: 'passes' });
  });

  it.each([
    ['firstSeen', undefined, 'passes'],
    ['firstSeen', start - hour, 'held'],
    ['firstSeen', start - 73 * hour, 'passes'],
    ['hold', start - 73 * hour, 'held'],
    ['pass', start - hour, 'passes'],
  ] as const)('with %s, a version without a time that was first seen at %s: %s', (untimed, seenAt, state) => {
    expect(stateAt({ minimumAgeHours: 72, untimed }, { seenAt }).state).toBe(state);
  });

  it.each([
    [['axios'], 'passes'],
    [['axi*'], 'passes'],
    [['axios@1.0.0'], 'passes'],
    [['axios@1.0.1', 'axio', 'xios*'], 'held'],
  ] as const)('with %j exempt, 1.0.0 of axios: %s', (exempt, state) => {
    expect(stateAt({ minimumAgeHours: 72, exempt }, { publishedAt: start }).state).toBe(state);
  });

  it('never holds a version back that it let through before, as the clock goes on', () => {
    fc.assert(
      fc.property(names, releases, gates, time, time, (name, release, gate, one, other) => {
        const [now, later] = [Math.min(one, other), Math.max(one, other)];
        expect(isHeld(name, release, gate, later) && !isHeld(name, release, gate, now)).toBe(false);
      }),
    );
  });

  it('passes whatever was published until its cutoff', () => {
    fc.assert(
      fc.property(names, releases, gates, time, (name, release, gate, now) => {
        const { publishedAt } = release;
        if (publishedAt !== undefined && publishedAt <= cutoffOf(gate, now))
          expect(isHeld(name, release, gate, now)).toBe(false);
      }),
    );
  });

  it('needs no look at a document whose times say that all of it passes', () => {
    const some = fc.uniqueArray(releases, { selector: ({ id }) => id });
    fc.assert(
      fc.property(names, some, gates, time, (name, listed, gate, now) => {
        const own = listed.map((release) => ({ ...release, seenAt: undefined }));
        const times = releaseTimesOf(own, { all: untimedOf(['1.0.0']), seen: {} }, now);
        const seen = own.map((release) => ({ ...release, seenAt: times.seen[release.id] }));
        if (allPass({ gate, now }, times))
          expect(seen.filter((release) => isHeld(name, release, gate, now))).toEqual([]);
      }),
    );
  });
});

it('A time of an upstream leaves room for the hours of a gate', () => {
  expect(millisecondsOf('2026-01-01T00:00:00Z')).toBe(start);
  const none = ['+275760-09-13T00:00:00.000Z', '+010000-01-01T00:00:00Z', 'tomorrow', '', 5, undefined];
  expect(none.map(millisecondsOf)).toEqual(none.map(() => undefined));
  const gate = { ...open, minimumAgeHours: 8_760 };
  const publishedAt = millisecondsOf('9998-12-31T23:59:59Z');
  const decision = gateOf('axios', { id: '1', version: '1', publishedAt }, gate, { now: start });
  expect(decision.state === 'held' && timeText(decision.until ?? 0)).toBe('9999-12-31T23:59:59.000Z');
});

it('A time of an upstream is one in which registries published', () => {
  const empty = ['0001-01-01T00:00:00Z', 'Mon, 01 Jan 0001 00:00:00 GMT', '0001-01-01 00:00:00 UTC', '1/1/0001'];
  const none = [...empty, '1900-01-01T00:00:00Z', 'Thu, 01 Jan 1970 00:00:00 GMT', '1985-10-26T08:15:00.000Z'];
  expect(none.map(millisecondsOf)).toEqual(none.map(() => undefined));
  const times = ['1990-01-01T00:00:00Z', '2026-01-01T00:00:00.0001Z', '2026-01-01T02:00:00+0200'];
  expect(times.map(millisecondsOf)).toEqual([Date.UTC(1990, 0), start, start]);
});

it('A gate knows a freeze of any year', () => {
  const frozenAt = '1980-01-01T00:00:00Z';
  expect(cutoffOf({ ...open, frozenAt }, start)).toBe(Date.parse(frozenAt));
});

describe('The times of a document', () => {
  const untimed = ['1.0.0', '2.0.0'].map((version) => ({ id: version, version }));

  it('count all versions of the first copy as old', () => {
    expect(releaseTimesOf(untimed, undefined, start)).toEqual({ newest: 0, isTimed: false, seen: {} });
  });

  it('say when a version without a time came, and remember it while it is listed', () => {
    const first = { all: untimedOf(['1.0.0']), seen: {} };
    const { seen } = releaseTimesOf(untimed, first, start);
    expect(seen).toEqual({ '2.0.0': start });
    const next = { all: untimedOf(['1.0.0', '2.0.0']), seen };
    expect(releaseTimesOf(untimed, next, start + hour)).toMatchObject({ newest: start, seen: { '2.0.0': start } });
    expect(releaseTimesOf(untimed.slice(0, 1), next, start + hour).seen).toEqual({});
    expect(releaseTimesOf(untimed, next, start + 8_761 * hour).seen).toEqual({});
  });

  it('say of a version that loses its time when it was published', () => {
    const before = [
      { id: '1.0.0', publishedAt: start - hour },
      { id: '2.0.0', publishedAt: start - 2 * hour },
    ];
    const { seen } = releaseTimesOf(untimed, { all: before, seen: {} }, start);
    expect(seen).toEqual({ '1.0.0': start - hour, '2.0.0': start - 2 * hour });
    const timed = untimed.map((each) => ({ ...each, publishedAt: start - 9_000 * hour }));
    expect(releaseTimesOf(timed, { all: before, seen }, start).seen).toEqual({});
  });

  it('say when a version came whose time its author wrote, which counts no earlier', () => {
    const authored = untimed.map((each) => ({
      ...each,
      publishedAt: start - 9_000 * hour,
      isAuthorsTime: true as const,
    }));
    const first = { all: untimedOf(['1.0.0']), seen: {} };
    const times = releaseTimesOf(authored, first, start);
    expect(times).toEqual({ newest: start, isTimed: true, seen: { '2.0.0': start } });
    const gate = { ...open, minimumAgeHours: 72 };
    const states = withSeen(authored, times).map((each) => gateOf('axios', each, gate, { now: start + hour }).state);
    expect(states).toEqual(['passes', 'held']);
  });

  it('forget none that a gate may hold back, however many come at once', () => {
    const junk = Array.from({ length: 1_000 }, (_, at) => ({ id: `9.0.${at}`, version: `9.0.${at}` }));
    const first = { all: untimedOf(['1.0.0']), seen: {} };
    const bad = releaseTimesOf(untimed, first, start);
    const flooded = { ...bad, all: untimedOf(['1.0.0', '2.0.0']) };
    const times = releaseTimesOf([...untimed, ...junk], flooded, start + hour);
    expect([Object.keys(times.seen).length, times.seenFloor]).toEqual([1_000, start]);
    const gate = { ...open, minimumAgeHours: 72 };
    const statesAt = (now: number) =>
      withSeen(untimed, times).map((each) => gateOf('axios', each, gate, { now }).state);
    expect(statesAt(start + 2 * hour)).toEqual(['held', 'held']);
    expect(allPass({ gate, now: start + 2 * hour }, times)).toBe(false);
    expect(statesAt(start + 73 * hour)).toEqual(['passes', 'passes']);
    const later = releaseTimesOf(
      untimed,
      { ...times, all: untimedOf([...junk, ...untimed].map(({ id }) => id)) },
      start + 2 * hour,
    );
    expect(later).toEqual({ newest: start, isTimed: false, seen: {}, seenFloor: start });
    expect(joinTimes([later, bad])).toMatchObject({ seenFloor: start });
    expect(releaseTimesOf(untimed, { ...later, all: flooded.all }, start + 8_761 * hour).seenFloor).toBeUndefined();
  });

  it('let nothing pass unseen that has no time, where such versions are held', () => {
    const times = releaseTimesOf(untimed, undefined, start);
    const passes = (held: ReleaseGate['untimed']) => allPass({ gate: { ...open, untimed: held }, now: start }, times);
    expect([passes('hold'), passes('firstSeen'), passes('pass')]).toEqual([false, true, true]);
  });
});
