import fc from 'fast-check';
import { chartFile, chartPath, isChartName, parsePath, provenanceFile } from '../../../functions/helm/paths.ts';
import { compareVersions, isFullVersion, parseVersion } from '../../../functions/helm/versions.ts';
import type { OrderedVersion } from '../../../shared/packages/formats/semver-order.ts';

/** `npm run test:names` asks for a million. */
const numRuns = Number(process.env.NAME_RUNS ?? 300);
jest.setTimeout(30_000 + numRuns);

/** The expression of semver.org for a version, as it is published there. */
const published =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

const number = fc.oneof(
  fc.nat(30).map(String),
  fc.constantFrom('0', '00', '01', '18446744073709551615', '18446744073709551616'),
);
const identifier = fc.oneof(number, fc.stringMatching(/^[0-9A-Za-z-]{0,4}$/));
const identifiers = fc.array(identifier, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));

/** Texts that are versions, or nearly. */
const versionText = fc
  .tuple(
    fc.constantFrom('', '', 'v', 'V', 'vv', ' '),
    fc.array(number, { minLength: 1, maxLength: 4 }),
    fc.option(identifiers),
    fc.option(identifiers),
  )
  .map(
    ([prefix, numbers, prerelease, build]) =>
      `${prefix}${numbers.join('.')}${prerelease === null ? '' : `-${prerelease}`}${build === null ? '' : `+${build}`}`,
  );

const fullVersion = versionText.filter(isFullVersion);
const looseVersion = versionText.filter((text) => parseVersion(text) !== undefined);
const chartName = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z0-9._-]{1,12}$/),
    // Names that end like a version, or begin like one.
    fc
      .tuple(fc.stringMatching(/^[a-z.-]{1,4}$/), fullVersion)
      .map(([word, version]) => `${word}-${version.replaceAll('+', '_')}`),
  )
  .filter(isChartName);

const parsed = (text: string): OrderedVersion => {
  const version = parseVersion(text);
  if (!version) throw new Error(`${text} is no version.`);
  return version;
};

describe('The name of a chart', () => {
  it.each(['a', 'web', 'my-chart', 'my.chart_2', 'Web', '-', '0', 'a'.repeat(250)])('may be %s', (name) => {
    expect(isChartName(name)).toBe(true);
  });

  it.each(['', '.', '..', 'a/b', 'a b', 'a+b', 'a%2fb', 'a\\b', 'a\n', 'é', 'a#b', 'a'.repeat(251)])(
    'is never %j',
    (name) => {
      expect(isChartName(name)).toBe(false);
    },
  );
});

describe('A version', () => {
  it('is full exactly if semver.org says so, with or without a v before it', () => {
    fc.assert(
      fc.property(versionText, (text) => {
        const numbers = text.match(/^v?(\d+)\.(\d+)\.(\d+)/)?.slice(1) ?? [];
        const fits = numbers.every((digits) => BigInt(digits) < 2n ** 64n) && text.length <= 256;
        return isFullVersion(text) === (published.test(text.replace(/^v/, '')) && fits);
      }),
      { numRuns },
    );
  });

  it('has a place in one order of all', () => {
    fc.assert(
      fc.property(looseVersion, looseVersion, looseVersion, (one, two, three) => {
        const [a, b, c] = [parsed(one), parsed(two), parsed(three)];
        const sign = (x: OrderedVersion, y: OrderedVersion) => Math.sign(compareVersions(x, y));
        const isSymmetric = sign(a, b) + sign(b, a) === 0 && sign(a, a) === 0;
        return isSymmetric && (sign(a, b) > 0 || sign(b, c) > 0 || sign(a, c) <= 0);
      }),
      { numRuns },
    );
  });

  it.each([
    [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
    ],
    ['0.9', 'v1', '1.0.1', '1.2', '1.10', '2.0.0-0', '2', '18446744073709551615.0.0'],
  ])('is ordered as the specification and helm say', (...versions) => {
    const shuffled = versions.toReversed().toSorted((one, other) => compareVersions(parsed(one), parsed(other)));
    expect(shuffled).toEqual(versions);
  });
});

describe('The path of a file', () => {
  it('leads to its version alone, whatever name and version are, and so does that of its provenance', () => {
    fc.assert(
      fc.property(chartName, looseVersion, (name, version) => {
        const path = chartPath(name, version);
        const [file, provenance] = [parsePath(path), parsePath(`${path}.prov`)];
        expect(file).toEqual({ kind: 'file', name, version, file: chartFile(name, version) });
        expect(provenance).toEqual({ kind: 'file', name, version, file: provenanceFile(name, version) });
      }),
      { numRuns },
    );
  });

  it('is never that of another version, and means the same in every encoding', () => {
    fc.assert(
      fc.property(chartName, fullVersion, fc.nat(300), (name, version, at) => {
        const stem = `${name}-${version}`;
        // Every way to divide the name of the file into a chart and a version.
        const places = Array.from(stem.matchAll(/-/g), ({ index }) => index);
        const pairs = places.map((place) => [stem.slice(0, place), stem.slice(place + 1)] as const);
        const valid = pairs.filter((pair) => isChartName(pair[0]) && parseVersion(pair[1]) !== undefined);
        expect(new Set(valid.map((pair) => chartPath(...pair))).size).toBe(valid.length);
        const path = chartPath(name, version);
        const letter = path[at % path.length] ?? '';
        const encoded = `%${letter.charCodeAt(0).toString(16)}`;
        if (/[/%]/.test(path.slice(Math.max(0, (at % path.length) - 2), (at % path.length) + 1))) return;
        const spelled = path.slice(0, at % path.length) + encoded + path.slice((at % path.length) + 1);
        expect(parsePath(spelled)).toEqual(parsePath(path));
      }),
      { numRuns },
    );
  });

  it('leaves its folder in no spelling, and no path fails', () => {
    const part = fc.oneof(
      fc.constantFrom(
        'charts',
        'index.yaml',
        '.',
        '..',
        '%2e%2e',
        '%2f',
        '%5c',
        '%252f',
        '%00',
        '%',
        '',
        'api',
        '-1.0.0.tgz',
      ),
      fc.stringMatching(/^[a-z%./\\-]{0,6}$/),
      fullVersion.map((version) => `a-${version}.tgz`),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const path = parsePath(parts.join('/'));
        if (path.kind !== 'file') return;
        expect(isChartName(path.name)).toBe(true);
        expect([chartFile(path.name, path.version), provenanceFile(path.name, path.version)]).toContain(path.file);
        expect(`${path.name}${path.version}${path.file}`).not.toMatch(/[/\\%#\s]|\.\.$/);
      }),
      { numRuns },
    );
  });
});
