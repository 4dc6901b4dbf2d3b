import { definitionOf } from '../../functions/package-definitions.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { namesVersion } from '../../shared/packages/releases/gate-of.ts';

const hex = 'a'.repeat(64);

/** What a rule says, what an index has, and whether the one is about the other. */
const rules: readonly (readonly [PackageType, string, string, boolean])[] = [
  ['npm', 'v1.1.0', 'v1.1.0', true],
  ['npm', '1.1.0', 'v1.1.0', true],
  ['npm', '1.1.0', '=1.1.0', true],
  ['npm', '1.1.0', '1.1.0+b1', true],
  ['npm', '1.1.0', '1.1.0-b1', false],
  ['npm', '1.1', '1.1.0', false],
  ['pypi', '1.1', '1.1.0', true],
  ['pypi', '1.1.post0', '1.1', false],
  ['pypi', '1.1', '1.1+local', false],
  ['pypi', 'unknown', 'unknown', true],
  ['cargo', '1.1.0', '1.1.0', true],
  ['composer', '1.2.0', '1.2', true],
  ['composer', '1.5.0-RC1', '1.5.0.0-rc1', true],
  ['composer', '1.5.0', '1.5.0-RC1', false],
  ['go', '2.0.0', 'v2.0.0+incompatible', true],
  ['go', 'v2.0.0+incompatible', 'v2.0.0', false],
  ['go', 'v2.0.0', 'v2.0.1', false],
  ['helm', '1.1.0', 'v1.1.0', true],
  ['helm', 'v1.1', '1.1.0', true],
  ['helm', '1.1.0', '1.1.0+a', false],
  ['helm', '1.1.0-rc.1', 'v1.1.0-rc.1', true],
  ['helm', '1.1.0', '1.1.0-rc.1', false],
  ['nuget', '1.1', '1.1.0', true],
  ['docker', hex, `sha256:${hex}`, true],
  ['docker', `sha256:${hex}`, hex, false],
  ['docker', 'latest', 'latest', true],
  ['conan', '1.0', '1.0#r1', true],
  ['conan', '1.0', '1.0#r1:p1#r2', true],
  ['conan', '1.0#r1', '1.0#r1:p1#r2', true],
  ['conan', '1.0#r1:p1', '1.0#r1:p1#r2', true],
  ['conan', '1.0#r1:p1', '1.0#r1:p10#r2', false],
  ['conan', '1.0#r1', '1.0#r10', false],
  ['conan', '1.0@_/_#r1', '1.0#r1:p1#r2', true],
  ['conan', '1.0@', '1.0#r1', true],
  ['conan', '1.0', '1.0@acme/stable#r1', true],
  ['conan', '1.0', '1.0@acme', true],
  ['conan', '1.0', '1.0@_/_', true],
  ['conan', '1.0', '1.0.1@acme/stable#r1', false],
  ['conan', '1.0#r1', '1.0@acme/stable#r1', false],
  ['conan', '1.0@_/_', '1.0@acme/stable#r1', false],
  ['conan', '1.0@_/_', '1.0#r1', true],
  ['conan', '1.0@_/_', '1.0', true],
  ['conan', '1.0@', '1.0@acme/stable#r1', false],
  ['conan', '1.0@acme', '1.0@acme/stable#r1', false],
  ['conan', '1.0@acme/stable', '1.0@acme/stable#r1', true],
  ['maven', '1.0', '1.0', true],
];

describe('A rule on a version', () => {
  it.each(rules)('of %s, %s, is about %s of an index: %s', (type, rule, version, expected) => {
    expect(namesVersion(rule, version, definitionOf(type).spelling.versions)).toBe(expected);
  });

  it.each([
    ['npm', '1.1'],
    ['npm', 'latest'],
    ['npm', ' 1.1.0'],
    ['npm', '1.1.x'],
    ['helm', '^1.0'],
    ['helm', '1.0.0.0'],
    ['conan', '1.0#'],
    ['conan', '1.0@acme/stable#a:b#c#d'],
    ['conan', '^1.0'],
    ['docker', 'sha256:abc'],
    ['docker', '-latest'],
    ['pypi', '1.x'],
  ] as const)('of %s cannot be %j', (type, text) => {
    expect(definitionOf(type).spelling.versions?.normalize(text)).toBeUndefined();
  });
});
