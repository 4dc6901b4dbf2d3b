import fc from 'fast-check';
import { type AnyCondition, type Claims, holds, matchesGlob } from '../../../functions/trusts/conditions.ts';
import { providerFacts } from '../../../functions/trusts/providers.ts';
import { cpuMilliseconds } from '../../harness/growth.ts';

/** Independent of the code: which positions of the text each letter of the glob can lead to. */
const globMatches = (glob: string, text: string, stops = ':/'): boolean => {
  let positions = new Set([0]);
  for (const [index, letter] of Array.from(glob).entries()) {
    const reached = new Set<number>();
    for (const position of positions) {
      if (letter !== '*') {
        if (text[position] === letter) reached.add(position + 1);
        continue;
      }
      reached.add(position);
      for (let next = position; next < text.length; next += 1) {
        if (index < glob.length - 1 && stops.includes(text[next] ?? '')) break;
        reached.add(next + 1);
      }
    }
    positions = reached;
  }
  return positions.has(text.length);
};

/** Independent of the code: the meaning of a condition, by the type of the claim. */
const expected = (condition: AnyCondition, claims: Claims): boolean => {
  const entry = Object.entries(claims).find(([name]) => name === condition.claim);
  if (!entry || !['string', 'number', 'boolean'].includes(typeof entry[1])) return false;
  if (typeof entry[1] === 'number' && !(Number.isInteger(entry[1]) && Math.abs(entry[1]) <= 2 ** 53 - 1)) return false;
  const text = `${entry[1] as string | number | boolean}`;
  if ('equals' in condition) return condition.equals === text;
  if ('matches' in condition) return globMatches(condition.matches, text);
  return condition.excludes.every((glob) => !globMatches(glob, text, ' '));
};

// Few letters, so that many pairs match.
const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/'), maxLength: 8 });
const glob = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '*', '*'), maxLength: 7 });
const names = fc.constantFrom('sub', 'ref', '__proto__', 'constructor', 'toString');
const value = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.constantFrom<unknown>(0, 1, -0, 12, 2 ** 53, 1.5, true, false, null, '1', 'true', ['a'], { a: 'a' }),
);
const claims = fc
  .array(fc.tuple(names, value), { maxLength: 4 })
  // As JSON.parse makes them: every name is an own property.
  .map(
    (entries): Claims =>
      JSON.parse(`{${entries.map(([name, of]) => `"${name}":${JSON.stringify(of)}`).join(',')}}`) as Claims,
  );
const conditions: fc.Arbitrary<AnyCondition> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ claim: names, matches: glob }) },
  fc.record({ claim: names, equals: fc.oneof(text, fc.constantFrom('0', '1', '12', 'true', 'false', 'null', '1.5')) }),
  fc.record({ claim: names, excludes: fc.array(glob, { maxLength: 3 }) }),
);

/** A text that comes from the glob, so that half of the pairs match or nearly do. */
const pair = fc.oneof(
  fc.tuple(claims, conditions),
  fc
    .tuple(glob, fc.array(text, { maxLength: 4 }))
    .map(([matches, fillings]): [Claims, AnyCondition] => [
      { sub: matches.split('*').reduce((so, part, index) => so + (fillings[index % 4] ?? '') + part) },
      { claim: 'sub', matches },
    ]),
);

describe('the conditions of a trust', () => {
  it('hold for 10,000 generated pairs of claims and conditions as an independent matcher says', () => {
    const met = { yes: 0, no: 0 };
    fc.assert(
      fc.property(pair, ([of, condition]) => {
        const wanted = expected(condition, of);
        met[wanted ? 'yes' : 'no'] += 1;
        expect(holds(condition, of)).toBe(wanted);
      }),
      { numRuns: 10_000 },
    );
    // Neither answer is rare.
    expect(Math.min(met.yes, met.no)).toBeGreaterThan(1_000);
  });

  it.each([
    ['repo:acme/app:ref:refs/heads/main', 'repo:acme/app:ref:refs/heads/main', true],
    ['repo:acme/app:ref:refs/heads/main', 'repo:acme/app:ref:refs/heads/main2', false],
    ['repo:acme/*', 'repo:acme/app:ref:refs/heads/main', true],
    ['repo:acme/*', 'repo:acme-evil/app:ref:refs/heads/main', false],
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/app:ref:refs/heads/main', true],
    // A branch or an environment with a chosen name does not stand for the end of the glob.
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/app:environment:x:ref:refs/heads/main', false],
    [
      'org/o/project/p/user/*/vcs-origin/github.com/acme/app/*',
      'org/o/project/p/user/u/vcs-origin/github.com/evil/app/vcs-ref/x/vcs-origin/github.com/acme/app/y',
      false,
    ],
  ])('say of %s that the subject %s meets it: %s', (matches, sub, wanted) => {
    expect(holds({ claim: 'sub', matches }, { sub })).toBe(wanted);
  });

  it.each([
    ['main', true],
    ['feature/a', true],
    ['user:main', false],
    ['group/sub:main', false],
    ['a:b:c/d', false],
  ])('of Buildkite without pull requests say of the branch %s: %s', (branch, wanted) => {
    const [condition] = providerFacts.buildkite.excludesPullRequests;
    expect(condition && holds(condition, { build_branch: branch })).toBe(wanted);
  });

  it('take linear time for a glob that a search with steps back would take hours for', () => {
    const matches = `${'*a'.repeat(40)}*b`;
    const before = cpuMilliseconds();
    expect(holds({ claim: 'sub', matches }, { sub: 'a'.repeat(16_000) })).toBe(false);
    expect(cpuMilliseconds() - before).toBeLessThan(1_000);
  });
});

it('Two stars of a glob stand for two places of a text', () => {
  expect(matchesGlob('repo:acme/*x*x', 'repo:acme/x')).toBe(false);
  expect(matchesGlob('repo:acme/*x*x', 'repo:acme/xx')).toBe(true);
});
