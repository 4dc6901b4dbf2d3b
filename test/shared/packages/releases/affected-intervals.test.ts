import fc from 'fast-check';
import { order } from '../../../../shared/packages/nupkg/versions.ts';
import { concerns } from '../../../../shared/packages/releases/advised-versions.ts';
import { type AffectedInterval, affectedIntervals } from '../../../../shared/packages/releases/affected-intervals.ts';
import { type AdvisoryEvent, eventKinds } from '../../../../shared/table/repositories/advisories.ts';
import { advisory } from '../../../gates/stored-advisories.ts';

const isIn =
  (version: string) =>
  ({ from, to }: AffectedInterval): boolean => {
    const fromIt = from === undefined ? 1 : (order(version, from) ?? -1);
    const toIt = to === undefined ? -1 : (order(version, to.version) ?? 1);
    return fromIt >= 0 && (toIt < 0 || (toIt === 0 && to?.isAffected === true));
  };

describe('The intervals of a range', () => {
  const numbers = fc.constantFrom('1.0.0', '1.1.0-beta', '1.1.0', '2.0.0', '3.0.0');
  const event: fc.Arbitrary<AdvisoryEvent> = fc.oneof(
    fc.constant(['introduced', '0'] as const),
    fc.tuple(fc.constantFrom(...eventKinds), fc.oneof({ weight: 20, arbitrary: numbers }, fc.constant('none'))),
  );

  it('have the versions that the range is about, and no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(event, { maxLength: 6, selector: ([, version]) => version }), (events) => {
        const intervals = affectedIntervals(events, order);
        for (const version of [
          '0.1.0',
          '1.0.0',
          '1.1.0-alpha',
          '1.1.0-beta',
          '1.1.0',
          '2.0.0',
          '2.5.0',
          '3.0.0',
          '4.0.0',
        ])
          expect([version, intervals.some(isIn(version))]).toEqual([
            version,
            events.length > 0 && concerns(advisory({ ranges: [events] }), version, order),
          ]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are none where it ends as it begins', () => {
    const at = (kind: AdvisoryEvent[0]): readonly AdvisoryEvent[] => [
      ['introduced', '1.0.0'],
      [kind, '1.0'],
    ];
    expect(affectedIntervals(at('fixed'), order)).toEqual([]);
    expect(affectedIntervals(at('last_affected'), order)).toEqual([
      { from: '1.0.0', to: { version: '1.0', isAffected: true } },
    ]);
  });
});
