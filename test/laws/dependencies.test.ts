import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minVersion, subset } from 'semver';
import packageJson from '../../package.json' with { type: 'json' };

interface PackageRule {
  readonly matchPackageNames?: readonly string[];
}

interface LockedPackage {
  readonly integrity?: string;
  readonly engines?: { readonly node?: string };
  /** Part of the tarball of another package, which has the hash. */
  readonly inBundle?: boolean;
}

const lock = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, LockedPackage>>;
};

const { dependencies, devDependencies, optionalDependencies, overrides } = packageJson;
const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides });

const { packageRules } = JSON.parse(readFileSync(join(__dirname, '..', '..', '.github', 'renovate.json'), 'utf8')) as {
  packageRules: PackageRule[];
};
const patterns = [...new Set(packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames))];

/** Whether a pattern of Renovate, which is a name or a glob, is about a package. */
const matches = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/\*+/g, '.+')}$`).test(name);

const root = join(__dirname, '..', '..');
const sources = globSync('{functions,infra,shared}/**/*.ts', { cwd: root }).map((path) =>
  readFileSync(join(root, path), 'utf8'),
);

/** What the code uses of Node that older ones lack, and which have it, by Node's own documentation. */
const featuresOfNode: readonly (readonly [name: string, pattern: RegExp, since: string])[] = [
  ['TypeScript without a flag', /^import .+ from '\..+\.ts';$/m, '^22.18.0 || >=23.6.0'],
  ['import.meta.main', /\bimport\.meta\.main\b/, '^22.18.0 || >=24.2.0'],
  ['Argon2', /^import \{ argon2\b.+ from 'node:crypto';$/m, '>=24.7.0'],
];

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

  it('install without a warning on each Node that package.json allows, which the README names', () => {
    const ours = packageJson.engines.node;
    const others = Object.entries(lock.packages).filter(
      ([, { engines }]) => typeof engines?.node === 'string' && !subset(ours, engines.node),
    );
    expect(others.map(([path]) => path)).toEqual([]);
    expect(lock.packages['']?.engines?.node).toBe(ours);
    const oldest = minVersion(ours)?.version.replace(/\.0$/, '');
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`Node ${oldest} or newer and npm`);
  });

  it.each(featuresOfNode)('run on each Node that package.json allows, as each of them has %s', (_, pattern, since) => {
    expect(sources.some((text) => pattern.test(text))).toBe(true);
    expect(subset(packageJson.engines.node, since)).toBe(true);
  });

  it('leave out no Node that has all of these', () => {
    expect(featuresOfNode.some(([, , since]) => subset(since, packageJson.engines.node))).toBe(true);
  });

  it('of the workflows are named by their commits, which nobody can move', () => {
    const folder = join(__dirname, '..', '..', '.github', 'workflows');
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const uses = texts.flatMap((text) => [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action));
    expect(uses).not.toEqual([]);
    for (const action of uses) expect(action).toMatch(/^(?:\.\/|[\w./-]+@[0-9a-f]{40}$)/);
  });

  it('run no script when they are installed, but for three that bring programs', () => {
    expect(packageJson.allowScripts).toEqual({ node: true, esbuild: true, '@swc/core': true });
  });

  it('of the checks get a credential that only reads, is not left in the clone, and is none of strangers', () => {
    const text = readFileSync(join(root, '.github', 'workflows', 'ci.yml'), 'utf8');
    expect(text.match(/^permissions:\n(?: .+\n)+/m)?.[0]).toBe('permissions:\n  contents: read\n');
    expect(text.match(/^ +permissions:/m)).toBeNull();
    expect(text).toContain('persist-credentials: false');
    expect(text).not.toContain('pull_request_target');
  });

  it.each(patterns)('%s, which a rule for updates names, is one of them', (pattern) => {
    expect(versions.filter(([name]) => matches(pattern, name))).not.toEqual([]);
  });
});
