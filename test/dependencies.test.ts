import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };

interface PackageRule {
  readonly matchPackageNames?: readonly string[];
}

const { dependencies, devDependencies, optionalDependencies } = packageJson;
const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

const { packageRules } = JSON.parse(readFileSync(join(__dirname, '..', '.github', 'renovate.json'), 'utf8')) as {
  packageRules: PackageRule[];
};
const patterns = [...new Set(packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames))];

/** Whether a pattern of Renovate, which is a name or a glob, is about a package. */
const matches = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/\*+/g, '.+')}$`).test(name);

describe('the dependencies', () => {
  it.each(versions)('%s has an exact version', (_, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(patterns)('%s, which a rule for updates names, is one of them', (pattern) => {
    expect(versions.filter(([name]) => matches(pattern, name))).not.toEqual([]);
  });
});
