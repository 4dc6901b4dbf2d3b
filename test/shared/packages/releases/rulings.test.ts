import fc from 'fast-check';
import { decisionOn, gateFor, isEnforced } from '../../../../shared/packages/releases/open-gate.ts';
import { rulingOn, verdictsOn } from '../../../../shared/packages/releases/rulings.ts';
import type { ReleaseGate } from '../../../../shared/table/repositories/release-gate.ts';
import type { RemoteSource, Verdict } from '../../../../shared/table/repositories/verdicts.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 0, 1);

const verdict = (fields: Partial<Verdict>): Verdict => ({
  package: 'axios',
  verdict: 'block',
  versions: ['*'],
  reason: 'hijacked',
  expiresAt: null,
  decidedAt: '2025-12-31T00:00:00.000Z',
  decidedBy: 'somebody',
  ...fields,
});

const stateOf = (verdicts: readonly Verdict[], version = '1.0.0', name = 'axios') =>
  rulingOn({ verdicts }, name, version)?.state;

const allow = { verdict: 'allow' } as const;

const gate: ReleaseGate = {
  mode: 'enforce',
  minimumAgeHours: 72,
  frozenAt: null,
  untimed: 'firstSeen',
  exempt: [],
  withdrawnUpstream: 'hold',
};

const source = (verdicts: readonly Verdict[] | undefined, releaseGate: ReleaseGate | null = gate): RemoteSource => ({
  repositoryType: 'remote',
  repositoryId: 'r',
  workspaceId: 'w',
  name: 'npmjs',
  packageType: 'npm',
  countShare: 0,
  createdAt: '',
  createdBy: '',
  remoteRepositoryUrl: 'https://registry.example',
  remoteRepositoryUsername: null,
  passwordCiphertext: null,
  isRemoteCacheEnabled: true,
  fileCacheTimeTillRevalidation: null,
  metadataCacheTimeTillRevalidation: null,
  releaseGate,
  ...(verdicts && { verdicts }),
});

describe('A verdict', () => {
  it('on versions counts before one on a name, and that before one on the beginning of names', () => {
    const [version, name, beginning] = [{ versions: ['1.0.0'] }, {}, { package: 'ax*' }];
    expect(stateOf([verdict(name), verdict({ ...version, ...allow })])).toBe('passes');
    expect(stateOf([verdict({ ...name, ...allow }), verdict(version)])).toBe('blocked');
    expect(stateOf([verdict({ ...name, ...allow }), verdict(version)], '2.0.0')).toBe('passes');
    expect(stateOf([verdict(beginning), verdict({ ...name, ...allow })])).toBe('passes');
    expect(stateOf([verdict({ ...beginning, ...version }), verdict({ ...name, ...allow })])).toBe('blocked');
  });

  it('that blocks counts before one that is as exact and allows', () => {
    const both = [verdict({ package: 'axios*', ...allow }), verdict({ package: 'a*' })];
    expect([stateOf(both), stateOf(both.toReversed())]).toEqual(['blocked', 'blocked']);
  });

  it('says nothing of other names and versions', () => {
    expect(stateOf([verdict({})], '1.0.0', 'axios-mock')).toBeUndefined();
    expect(stateOf([verdict({ package: 'axios-*' })])).toBeUndefined();
    expect(stateOf([verdict({ versions: ['1.0.0'] })], '1.0.01')).toBeUndefined();
    expect(stateOf([])).toBeUndefined();
  });

  it('counts until it ends, and its end is told', () => {
    const expiresAt = new Date(now + 1).toISOString();
    const ending = [verdict({ expiresAt })];
    expect(verdictsOn(ending, 'axios', now)).toEqual(ending);
    expect(verdictsOn(ending, 'axios', now + 1)).toEqual([]);
    expect(rulingOn({ verdicts: ending }, 'axios', '1.0.0')).toMatchObject({
      until: now + 1,
      why: expect.stringContaining('hijacked'),
    });
  });

  it('may concern any name in an index of several packages', () => {
    const two = [verdict({}), verdict({ package: 'left*' })];
    expect(verdictsOn(two, '', now)).toEqual(two);
    expect(verdictsOn(two, 'left-pad', now)).toEqual(two.slice(1));
  });

  it('decides before the gate does, whatever the name is exempt from', () => {
    const young = { id: '1.0.0', version: '1.0.0', publishedAt: now - hour };
    const decided = (verdicts: readonly Verdict[], settings: Partial<ReleaseGate> = {}) => {
      const open = gateFor(source(verdicts, { ...gate, ...settings }), 'axios');
      return open && decisionOn({ ...open, now }, 'axios', young).state;
    };
    expect(decided([])).toBe('held');
    expect(decided([verdict(allow)])).toBe('passes');
    expect(decided([verdict({})], { exempt: ['axios'] })).toBe('blocked');
    expect(decided([], { exempt: ['axios'] })).toBeUndefined();
  });

  it('holds without a gate, and where a gate only observes', () => {
    for (const releaseGate of [null, { ...gate, mode: 'observe' as const }]) {
      const open = gateFor(source([verdict({})], releaseGate), 'axios');
      const held = open && decisionOn(open, 'axios', { id: '1.0.0', version: '1.0.0' });
      if (!open || !held || held.state === 'passes') throw new Error('The verdict does not hold.');
      expect([held.state, isEnforced(open, held)]).toEqual(['blocked', true]);
    }
  });

  it('is never forgotten by a request that did not read it', () => {
    expect(() => gateFor(source(undefined, null), 'axios')).toThrow('The verdicts on packages were not read');
    expect(gateFor(source([], null), 'axios')).toBeUndefined();
  });

  it('is the one that a plain search through all ranks finds', () => {
    const some = fc.record({
      package: fc.constantFrom('axios', 'ax*', 'axios*', 'other'),
      verdict: fc.constantFrom('block' as const, 'allow' as const),
      versions: fc.constantFrom(['*'], ['1.0.0'], ['1.0.0', '2.0.0']),
    });
    const ranks = [
      ({ versions }: Verdict) => versions.includes('1.0.0'),
      ({ package: name, versions }: Verdict) => name === 'axios' && versions[0] === '*',
      ({ package: name, versions }: Verdict) => name.endsWith('*') && versions[0] === '*',
    ];
    fc.assert(
      fc.property(fc.array(some, { maxLength: 6 }), (generated) => {
        const all = generated.map(verdict);
        const own = all.filter((each) => each.package !== 'other');
        const first = ranks.map((rank) => own.filter(rank)).find((found) => found.length > 0);
        const expected = first && (first.some((each) => each.verdict === 'block') ? 'blocked' : 'passes');
        expect(stateOf(all)).toBe(expected);
      }),
    );
  });
});
