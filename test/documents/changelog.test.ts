import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

const changelog = readFileSync(join(__dirname, '..', '..', 'CHANGELOG.md'), 'utf8');
const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
const [first, ...releases] = headings;
const versions = releases.map((heading) => /^\[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/.exec(heading)?.[1]);
const recorded = globSync('released-items/*.json', { cwd: join(__dirname, '..') }).map((file) =>
  basename(file, '.json'),
);

describe('The changelog', () => {
  it('begins with what is not released yet; then come the releases, newest first, each with its date', () => {
    const newestFirst = versions.toSorted((one, other) =>
      String(other).localeCompare(String(one), 'en', { numeric: true }),
    );
    expect(first).toBe('[Unreleased]');
    expect(versions).not.toContain(undefined);
    expect(versions).toEqual(newestFirst);
  });

  it('has the version of package.json as its last release', () => {
    expect(versions[0]).toBe(packageJson.version);
  });

  it('has every release whose items are recorded, but the next one, and the last release has its recording', () => {
    expect(recorded).toContain(packageJson.version);
    const next = recorded.filter((version) => !versions.includes(version));
    expect(next.length).toBeLessThanOrEqual(1);
    for (const version of next)
      expect(version.localeCompare(packageJson.version, 'en', { numeric: true })).toBeGreaterThan(0);
  });
});
