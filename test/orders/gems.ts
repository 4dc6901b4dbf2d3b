import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readGemspec } from '../../functions/gems/gemspec.ts';
import { dumpGemspec } from '../../functions/gems/gemspec-dump.ts';
import { platformOf, platformText } from '../../functions/gems/platforms.ts';
import { compareVersions, isPrerelease, isVersion, versionKeyOf } from '../../functions/gems/versions.ts';
import { gemOf, metadataYaml } from '../types/gems.ts';

/** `npm run test:orders`: what RubyGems itself says of versions. It needs ruby. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);

const ask = (script: string, input: unknown): unknown => {
  const options = { input: JSON.stringify(input), maxBuffer: 1 << 28 };
  const program = `require 'json'; input = JSON.parse($stdin.read); puts JSON.generate(${script})`;
  return JSON.parse(execFileSync('ruby', ['-e', program], options).toString());
};

const number = fc.oneof(fc.constantFrom('0', '00', '1', '01', '2', '10'), fc.nat(300).map(String));
const word = fc.constantFrom('a', 'b', 'rc', 'pre', 'beta', 'A', 'RC', 'z');
const segment = fc.oneof(
  { weight: 4, arbitrary: number },
  word,
  fc.tuple(word, number).map((parts) => parts.join('')),
  fc.tuple(number, word).map((parts) => parts.join('')),
  fc.tuple(word, number, word).map((parts) => parts.join('')),
);
const version = fc
  .tuple(number, fc.array(segment, { maxLength: 5 }))
  .map(([first, others]) => [first, ...others].join('.'));

it('every version is one for RubyGems, a prerelease or not', () => {
  const texts = fc.sample(
    fc.oneof(version, fc.string({ maxLength: 8 }), fc.stringMatching(/^[0-9a-z.-]{1,8}$/)),
    pairs,
  );
  // A built gem has no hyphen in its version, and no blanks around it.
  const theirs = ask(
    'input.map { |text| Gem::Version.correct?(text) && !text.match?(/[-\\s]|\\A\\z/) ? Gem::Version.new(text).prerelease? : nil }',
    texts,
  ) as (boolean | null)[];
  const different = texts.filter((text, at) => (isVersion(text) ? isPrerelease(text) : null) !== theirs[at]);
  expect(different).toEqual([]);
}, 300_000);

it('two versions have the order of Gem::Version, and the same key if they are equal alone', () => {
  const near = fc
    .tuple(version, fc.constantFrom('.0', '.0.0', '.a', '.0.a', '.a.0', ''))
    .map(([each, end]) => [each, each + end] as const);
  const couples = fc.sample(fc.oneof(fc.tuple(version, version), near), pairs);
  const theirs = ask('input.map { |a, b| Gem::Version.new(a) <=> Gem::Version.new(b) }', couples) as number[];
  const different = couples.filter(
    ([one, other], at) =>
      Math.sign(compareVersions(one, other)) !== theirs[at] ||
      (versionKeyOf(one) === versionKeyOf(other)) !== (theirs[at] === 0),
  );
  expect(different).toEqual([]);
  const keys = couples.map(([one]) => versionKeyOf(one));
  const equal = ask(
    'input.map { |a, b| Gem::Version.new(a) == Gem::Version.new(b) }',
    couples.map(([one], at) => [one, keys[at]]),
  );
  expect((equal as boolean[]).every(Boolean)).toBe(true);
}, 300_000);

it('a platform has the name of Gem::Platform', () => {
  const cpus = ['x86_64', 'i386', 'i686', 'x86', 'arm64', 'universal', 'java', 'jruby', 'mswin32', 'x64'];
  const systems = [
    'linux',
    'linux-musl',
    'darwin',
    'darwin-22',
    'darwin19',
    'mingw32',
    'mingw-ucrt',
    'java',
    'java-1.8',
  ];
  const others = ['mswin64-140', 'mswin32_60', 'freebsd13', 'aix5', 'solaris2.10', 'openbsd7.0', 'cygwin', 'unknown'];
  const texts = [...cpus, ...cpus.flatMap((cpu) => [...systems, ...others].map((system) => `${cpu}-${system}`))];
  const theirs = ask('input.map { |text| Gem::Platform.new(text).to_a.compact.join("-") }', texts);
  expect(texts.map((text) => platformText(platformOf(text)))).toEqual(theirs);
}, 300_000);

/** The fields of both specifications that differ, of the gem and the gemspec in each pair of files. */
const differences = `
input.flat_map { |gem, spec|
  require 'rubygems/package'
  # Its own Marshal form loses the licenses.
  theirs, ours = Marshal.load(Marshal.dump(Gem::Package.new(gem).spec)), Marshal.load(Zlib::Inflate.inflate(File.binread(spec)))
  fields = %i[rubygems_version specification_version name version date summary required_ruby_version required_rubygems_version email authors description homepage licenses metadata full_name]
  fields.reject { |field| ours.send(field) == theirs.send(field) } +
    (ours.dependencies.map { |d| [d.name, d.requirement, d.type] } == theirs.dependencies.map { |d| [d.name, d.requirement, d.type] } ? [] : [:dependencies]) +
    (ours.platform.to_s == theirs.platform.to_s ? [] : [:platform])
}`;

it('a gemspec is what RubyGems reads of the gem', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-gems-'));
  const line = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !/\p{Cc}|\p{Cf}/u.test(text));
  const fields = fc.record({ summary: line, description: line, key: line, value: line });
  const needs = fc.dictionary(
    fc.constantFrom('rake', 'rack', 'x_y', 'a-b'),
    fc.constantFrom('>= 0', '~> 1.0', '>= 1.a, < 3', '!= 2'),
  );
  const gems = fc.sample(fc.tuple(version, fields, needs, fc.constantFrom('ruby', 'java', 'x86_64-linux')), 300);
  try {
    const files = gems.map(([each, { summary, description, key, value }, needed, platform], at) => {
      const gem = { name: 'tool', version: each, platform, needs: needed };
      const metadata = metadataYaml(gem)
        .replace('summary: A gem of a test', () => `summary: ${JSON.stringify(summary)}`)
        .replace('description: A gem of a test', () => `description: ${JSON.stringify(description)}`)
        .replace('metadata: {}', () => `metadata:\n  ${JSON.stringify(`k${key}`)}: ${JSON.stringify(value)}`);
      const paths = [join(folder, `${at}.gem`), join(folder, `${at}.rz`)] as const;
      writeFileSync(paths[0], gemOf(gem, metadata));
      writeFileSync(paths[1], dumpGemspec(readGemspec(Buffer.from(metadata))));
      return paths;
    });
    expect(ask(differences, files)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 300_000);
