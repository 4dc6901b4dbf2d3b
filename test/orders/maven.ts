import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { compareVersions } from '../../functions/maven/versions.ts';

const pairCount = Number(process.env.ORDER_PAIRS ?? 10_000);

/** The jar of Maven that compares versions. */
const jarOfMaven = (): string => {
  const [, home = ''] = /^Maven home: (.+)$/m.exec(execFileSync('mvn', ['--version']).toString()) ?? [];
  const [jar] = execFileSync('find', ['-L', home, '-name', 'maven-artifact-*.jar']).toString().split('\n');
  if (!jar) throw new Error('There is no Maven on the PATH: install Maven and Java.');
  return jar;
};

const words = fc.constantFrom(
  ...'0 1 2 10 01 00 a b m rc cr alpha beta milestone snapshot SNAPSHOT ga final sp x foo Final release 20240101 jre v'.split(
    ' ',
  ),
  '123456789012',
  '99999999999999999999999',
  '',
);
const separators = fc.constantFrom('.', '-', '', '.', '-');
const versions = fc
  .array(fc.tuple(words, separators), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.flat().slice(0, -1).join(''));

/** Similar versions meet more often than any two do. */
const pairs = fc.oneof(
  fc.tuple(versions, versions),
  fc.tuple(versions, words).map(([version, word]) => [version, version.slice(0, -1) + word] as const),
);

const folder = mkdtempSync(join(tmpdir(), 'stockroom-order-'));
afterAll(() => rmSync(folder, { recursive: true }));

test(`the order of ${pairCount} pairs of versions is that of Maven's own ComparableVersion`, () => {
  const jar = jarOfMaven();
  execFileSync('javac', ['-cp', jar, '-d', folder, join(__dirname, 'VersionOrder.java')]);
  const generated = fc.sample(pairs, pairCount);
  const input = generated.map((pair) => `${pair.join('\t')}\n`).join('');
  const output = execFileSync('java', ['-cp', `${folder}:${jar}`, 'VersionOrder'], { input, maxBuffer: 1e8 });
  const theirs = output.toString().trim().split('\n').map(Number);
  expect(theirs).toHaveLength(pairCount);
  expect(new Set(theirs)).toEqual(new Set([-1, 0, 1]));
  const wrong = generated.filter(([one, other], index) => (compareVersions(one, other) || 0) !== theirs[index]);
  expect(wrong).toEqual([]);
}, 120_000);
