import { type Day, daysOf } from '../../../functions/console/app/days.ts';

const last = Date.parse('2026-03-02T12:00:00.000Z');
const version = (...sizes: readonly number[]) => ({ files: sizes.map((size) => ({ name: 'a', size })) });

const dayOf = (days: readonly Day[], date: string): Day | undefined => days.find((day) => day.date === date);

describe('The course of usage', () => {
  it('has thirty days, the last of which is today, whatever the month', () => {
    const days = daysOf([], last);
    expect(days).toHaveLength(30);
    expect([days.at(0)?.date, days.at(-2)?.date, days.at(-1)?.date]).toEqual([
      '2026-02-01',
      '2026-03-01',
      '2026-03-02',
    ]);
    expect(days.every(({ came, went }) => came === 0 && went === 0)).toBe(true);
  });

  it('adds up the bytes of all files that came and went on a day in UTC', () => {
    const days = daysOf(
      [
        { recordedAt: '2026-03-02T00:00:00.000Z', before: null, after: version(1, 20) },
        { recordedAt: '2026-03-02T23:59:59.999Z', before: version(300), after: version(4000) },
        { recordedAt: '2026-03-01T23:59:59.999Z', before: { versions: [version(5), version(60)] }, after: null },
        { recordedAt: '2026-01-31T12:00:00.000Z', before: null, after: version(7) },
      ],
      last,
    );
    expect(dayOf(days, '2026-03-02')).toEqual({ date: '2026-03-02', came: 4021, went: 300 });
    expect(dayOf(days, '2026-03-01')).toEqual({ date: '2026-03-01', came: 0, went: 65 });
    expect(days.reduce((sum, { came, went }) => sum + came + went, 0)).toBe(4386);
  });

  it('takes what is no file for nothing', () => {
    const days = daysOf(
      [{ recordedAt: '2026-03-02T00:00:00.000Z', before: { size: '9' }, after: { tags: [9] } }],
      last,
    );
    expect(dayOf(days, '2026-03-02')).toEqual({ date: '2026-03-02', came: 0, went: 0 });
  });
});
