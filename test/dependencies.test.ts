import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };

interface PackageRule {
  readonly matchPackageNames?: readonly string[];
}

interface LockedPackage {
  readonly integrity?: string;
  /** Part of the tarball of another package, which has the hash. */
  readonly inBundle?: boolean;
}

const lock = JSON.parse(readFileSync(join(__dirname, '..', 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, LockedPackage>>;
};

const { dependencies, devDependencies, optionalDependencies, overrides } = packageJson;
const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides });

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

  // npm writes a package without its hash where the registry it reached has only its name, as for binaries of other platforms.
  it('have their hashes in the lock file, each of them, for every platform', () => {
    const unhashed = Object.entries(lock.packages).filter(
      ([path, { integrity, inBundle }]) => path !== '' && !integrity && !inBundle,
    );
    expect(unhashed.map(([path]) => path)).toEqual([]);
  });

  it.each(patterns)('%s, which a rule for updates names, is one of them', (pattern) => {
    expect(versions.filter(([name]) => matches(pattern, name))).not.toEqual([]);
  });
});
