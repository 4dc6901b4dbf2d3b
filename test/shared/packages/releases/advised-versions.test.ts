import fc from 'fast-check';
import { order as ofCargo } from '../../../../functions/cargo/versions.ts';
import { order as ofComposer } from '../../../../functions/composer/versions.ts';
import { order as ofConan } from '../../../../functions/conan/versions.ts';
import { order as ofGems } from '../../../../functions/gems/versions.ts';
import { order as ofGo } from '../../../../functions/go/versions.ts';
import { order as ofMaven } from '../../../../functions/maven/versions.ts';
import { order as ofNpm } from '../../../../functions/npm/versions.ts';
import { order as ofPypi } from '../../../../functions/pypi/version-order.ts';
import { order as ofNuget } from '../../../../shared/packages/nupkg/versions.ts';
import { blockedBy, blocksLevel, concerns } from '../../../../shared/packages/releases/advised-versions.ts';
import { type AdvisoryEvent, levels } from '../../../../shared/table/repositories/advisories.ts';
import { advisoriesOn, pageBytesMax, pagesMax, pagesOf } from '../../../../shared/table/repositories/advisory-pages.ts';
import type { ReleaseGate } from '../../../../shared/table/repositories/release-gate.ts';
import { advisory } from '../../../gates/stored-advisories.ts';

const orders = { ofCargo, ofComposer, ofConan, ofGems, ofGo, ofMaven, ofNpm, ofNuget, ofPypi };

type Numbers = readonly [number, number, number];

const numbers: fc.Arbitrary<Numbers> = fc.tuple(fc.nat(3), fc.nat(12), fc.nat(3));

const compareNumbers = (one: Numbers, other: Numbers): number =>
  one[0] - other[0] || one[1] - other[1] || one[2] - other[2];

/** A range of these numbers as a publisher writes it: introductions and ends in turn, each above the one before. */
const bounds = fc
  .uniqueArray(numbers, { minLength: 1, maxLength: 6, selector: String })
  .map((all) => all.toSorted(compareNumbers));
const ends = fc.infiniteStream(fc.constantFrom('fixed' as const, 'last_affected' as const, 'limit' as const));

/** What the range says, interval by interval. */
const isBetween = (version: Numbers, all: readonly Numbers[], kinds: readonly string[]): boolean =>
  all.some((start, at) => {
    if (at % 2 === 1 || compareNumbers(version, start) < 0) return false;
    const end = all[at + 1];
    if (!end) return true;
    const compared = compareNumbers(version, end);
    return kinds[at + 1] === 'last_affected' ? compared <= 0 : compared < 0;
  });

describe.each(Object.entries(orders))('The range of an advisory, in the order %s', (_name, order) => {
  it('has exactly the versions that the intervals of its events have, in whatever order these stand', () => {
    fc.assert(
      fc.property(bounds, ends, numbers, fc.infiniteStream(fc.nat()), (all, endings, version, places) => {
        const kinds = all.map((_, at) => (at % 2 === 0 ? 'introduced' : endings.next().value)) as AdvisoryEvent[0][];
        const events = all.map((each, at) => [kinds[at] ?? 'introduced', each.join('.')] as const);
        const shuffled = events
          .map((event) => ({ event, place: places.next().value }))
          .toSorted((one, other) => one.place - other.place)
          .map(({ event }) => event);
        const asked = advisory({ ranges: [shuffled] });
        expect(concerns(asked, version.join('.'), order)).toBe(isBetween(version, all, kinds));
      }),
      { numRuns: 500 },
    );
  });

  it('that begins with 0 has every version, also a text that is none', () => {
    for (const version of ['0.0.0', '1.2.3', 'a text']) expect(concerns(advisory(), version, order)).toBe(true);
  });
});

describe('An advisory', () => {
  it('is about the versions that it lists, in each spelling of the type', () => {
    expect(concerns(advisory({ versions: ['1.0'] }), '1.0.0', ofPypi)).toBe(true);
    expect(concerns(advisory({ versions: ['1.0.0'] }), 'v1.0.0', ofGo)).toBe(true);
    expect(concerns(advisory({ versions: ['1.0.0'] }), '1.0.0-java', ofGems)).toBe(true);
    expect(concerns(advisory({ versions: ['1.0'] }), '1.0@user/channel#0123', ofConan)).toBe(true);
    expect(concerns(advisory({ versions: ['1.0.0'] }), '1.0.1', ofNpm)).toBe(false);
    expect(concerns(advisory({ versions: ['one text'] }), 'another text', ofNpm)).toBe(false);
    expect(concerns(advisory({ versions: ['one text'] }), 'one text', ofNpm)).toBe(true);
  });

  it('says nothing with a bound that is no version', () => {
    for (const events of [
      [['introduced', 'a text']],
      [
        ['introduced', '0'],
        ['introduced', 'a text'],
      ],
    ] as const)
      expect(concerns(advisory({ ranges: [events] }), '1.0.0', ofNpm)).toBe(false);
  });

  it('orders a prerelease below its release', () => {
    const ranges = [[['introduced', '1.0.0'] as const, ['fixed', '2.0.0'] as const]];
    expect(concerns(advisory({ ranges }), '2.0.0-rc.1', ofNpm)).toBe(true);
    expect(concerns(advisory({ ranges }), '1.0.0-rc.1', ofNpm)).toBe(false);
  });

  it('has a branch of Composer in no range with a bound, as Composer itself', () => {
    const [introduced, end] = [['introduced', '0'] as const, ['fixed', '1.3.0'] as const];
    const isAbout = (range: readonly AdvisoryEvent[], version: string) =>
      concerns(advisory({ ranges: [range] }), version, ofComposer);
    for (const version of ['dev-main', 'master', 'DEV-feature/1.0']) {
      expect(isAbout([introduced], version)).toBe(true);
      for (const kind of ['fixed', 'last_affected', 'limit'] as const)
        expect(isAbout([introduced, [kind, '1.3.0']], version)).toBe(false);
      expect(isAbout([['introduced', '1.0.0']], version)).toBe(false);
    }
    for (const version of ['1.2.9', '1.2.x-dev', '1.3.0-RC1']) expect(isAbout([introduced, end], version)).toBe(true);
    for (const version of ['1.3.0', '1.x-dev']) expect(isAbout([introduced, end], version)).toBe(false);
    const named = advisory({ versions: ['dev-master'] });
    for (const version of ['dev-master', 'master']) expect(concerns(named, version, ofComposer)).toBe(true);
    for (const version of ['dev-main', '1.0.0']) expect(concerns(named, version, ofComposer)).toBe(false);
  });

  it('blocks what it says now, also where it said something else before', () => {
    const gate = {} as ReleaseGate;
    const blocks = (version: string) => {
      const pages = pagesOf('npm', 'changed', [advisory({ versions: [version], ranges: [] })]);
      return ['1.0.0', '2.0.0'].filter((each) => blockedBy(pages, gate, ofNpm)?.(each));
    };
    expect([blocks('1.0.0'), blocks('2.0.0')]).toEqual([['1.0.0'], ['2.0.0']]);
  });

  it('blocks by its level: malware always, and a vulnerability from the severity on that the gate names', () => {
    const blocked = (blockSeverity?: 'critical' | 'high' | null) =>
      levels.filter((level) => blocksLevel({ blockSeverity } as ReleaseGate, level));
    expect(blocked()).toEqual(['malware']);
    expect(blocked(null)).toEqual(['malware']);
    expect(blocked('critical')).toEqual(['malware', 'critical']);
    expect(blocked('high')).toEqual(['malware', 'critical', 'high']);
  });
});

describe('The pages of advisories on a name', () => {
  const version = fc.string({ minLength: 1, maxLength: 255 });
  const some = fc.array(
    fc.record({
      id: fc.uuid(),
      versions: fc.array(version, { maxLength: 200 }),
      severity: fc.constantFrom('critical' as const, 'low' as const, null),
      kind: fc.constantFrom('malware' as const, 'vulnerability' as const),
    }),
    { maxLength: 20 },
  );

  it('are small, begin with malware, and have all that they were made of', () => {
    fc.assert(
      fc.property(some, (all) => {
        const pages = pagesOf('npm', 'name', all.map(advisory));
        for (const { list } of pages) expect(Buffer.byteLength(list)).toBeLessThanOrEqual(pageBytesMax + 2);
        expect(pages.slice(1).flatMap(({ further }) => further)).toEqual([]);
        expect(pages[0]?.further.length).toBe(pages.length - 1);
        const found = advisoriesOn(pages);
        const levelsFound = found.map(({ kind, severity }) =>
          levels.indexOf(kind === 'malware' ? kind : (severity ?? 'unknown')),
        );
        expect(levelsFound).toEqual(levelsFound.toSorted((one, other) => one - other));
        expect(new Map(found.map((each) => [each.id, each]))).toEqual(
          new Map(all.map((each) => [each.id, advisory(each)])),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('have an advisory whole that is longer than a page', () => {
    const versions = Array.from({ length: 300 }, (_, at) => `1.0.${at}`.padEnd(250, '0'));
    const ranges = versions.map((each) => [['introduced', each] as const]);
    const long = advisory({ versions, ranges });
    const pages = pagesOf('npm', 'name', [long]);
    expect(pages.length).toBeGreaterThan(1);
    expect(advisoriesOn(pages)).toEqual([long]);
  });

  it('are at most ninety, of which none leaves malware out for a vulnerability', () => {
    const long = Array.from({ length: 90 }, (_, at) => `${at}`.padEnd(250, '.0'));
    const many = Array.from({ length: 200 }, (_, at) =>
      advisory({ id: `GHSA-${at}`, kind: 'vulnerability', severity: 'low', versions: long }),
    );
    const pages = pagesOf('npm', 'name', [...many, advisory({ versions: ['1.0.0'] })]);
    expect(pages.length).toBe(pagesMax);
    expect(advisoriesOn(pages.slice(0, 1))[0]?.id).toBe('MAL-2026-1');
  });
});
