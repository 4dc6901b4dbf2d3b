import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { compareVersions, isVersion } from '../../functions/cargo/versions.ts';

/** `npm run test:orders`: needs cargo, which fetches the crate semver. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);

const folder = mkdtempSync(join(tmpdir(), 'stockroom-orders-'));

/** Says of each line with two versions whether they are versions, and their order. */
const program = `use semver::Version;
fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (one, other) = line.split_once('\\t').unwrap();
        let (one, other) = (Version::parse(one).ok(), Version::parse(other).ok());
        let order = match (&one, &other) { (Some(a), Some(b)) => a.cmp_precedence(b) as i8, _ => 0 };
        println!("{} {} {}", one.is_some(), other.is_some(), order);
    }
}
`;

const manifest = '[package]\nname = "orders"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\nsemver = "1"\n';

beforeAll(async () => {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'Cargo.toml'), manifest);
  writeFileSync(join(folder, 'src/main.rs'), program);
  await promisify(execFile)('cargo', ['build', '--quiet'], { cwd: folder });
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true }));

const number = fc.constantFrom(
  '0',
  '1',
  '2',
  '10',
  '9007199254740993',
  '18446744073709551615',
  '18446744073709551616',
  '01',
);
const identifier = fc.constantFrom(
  '0',
  '1',
  '11',
  '9007199254740993',
  '99999999999999999999',
  'a',
  'A',
  'a-b',
  '-',
  '01',
  '0a',
  '',
);
const identifiers = fc.array(identifier, { maxLength: 3 }).map((each) => each.join('.'));
const versions = fc
  .tuple(fc.array(number, { minLength: 3, maxLength: 3 }), fc.option(identifiers), fc.option(identifiers), fc.nat(30))
  .map(([release, prerelease, build, flaw]) => {
    const whole =
      release.join('.') + (prerelease === null ? '' : `-${prerelease}`) + (build === null ? '' : `+${build}`);
    return ['v', ' ', '='][flaw] === undefined ? whole : ['v', ' ', '='][flaw] + whole;
  });

it('the crate semver agrees on what is a version, and on the order of versions', async () => {
  const valid = versions.filter(isVersion);
  const any = fc.oneof(valid, versions);
  const generated = fc.sample(fc.tuple(any, any), pairs);
  const child = spawn(join(folder, 'target/debug/orders'), { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(generated.map((pair) => `${pair.join('\t')}\n`).join(''));
  const lines = (await text(child.stdout)).trim().split('\n');
  expect(lines).toHaveLength(pairs);
  let ordered = 0;
  for (const [at, line] of lines.entries()) {
    const [one = '', other = ''] = generated[at] ?? [];
    const areVersions = isVersion(one) && isVersion(other);
    const order = areVersions ? Math.sign(compareVersions(one, other)) : 0;
    ordered += Math.abs(order);
    expect([one, other, line]).toEqual([one, other, `${isVersion(one)} ${isVersion(other)} ${order}`]);
  }
  expect(ordered).toBeGreaterThan(pairs / 4);
}, 120_000);
