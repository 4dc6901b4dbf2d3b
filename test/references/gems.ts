import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readGem } from '../../functions/gems/archive.ts';
import { fullNameOf } from '../../functions/gems/full-names.ts';
import { dumpGemspec } from '../../functions/gems/gemspec-dump.ts';
import { renderSpecs } from '../../functions/gems/specs.ts';

/** `npm run test:references`: what Gem::Package and Marshal.load of RubyGems say of gems that `gem build` makes. */
jest.setTimeout(600_000);

const count = 200;
const folder = mkdtempSync(join(tmpdir(), 'stockroom-gems-'));
afterAll(() => rmSync(folder, { recursive: true }));

const requirement = fc.array(
  fc
    .tuple(fc.constantFrom('>=', '~>', '!=', '<', '='), fc.constantFrom('0', '1.0', '2.10.3', '3.0.0.pre', '1.a'))
    .map((parts) => parts.join(' ')),
  { minLength: 1, maxLength: 3 },
);
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.constantFrom('ä: [x]', "it's", 'yes', '~', '1.0', 'two\nlines', '# no', 'a: b'),
);

const spec = fc.record({
  version: fc.constantFrom('1.0', '1.0.0', '0.1.a', '2.0.0.rc1', '10.20.30', '1'),
  platform: fc.constantFrom('ruby', 'java', 'x86_64-linux', 'x86-mswin32', 'arm64-darwin-22', 'x86_64-linux-musl'),
  date: fc.constantFrom('2026-01-02', '1980-01-02', '2031-12-31'),
  summary: text,
  description: fc.option(text, { nil: undefined }),
  authors: fc.array(text, { minLength: 1, maxLength: 3 }),
  email: fc.option(fc.oneof(text, fc.array(text, { maxLength: 2 })), { nil: undefined }),
  licenses: fc.array(fc.constantFrom('MIT', 'Apache-2.0'), { maxLength: 2 }),
  metadata: fc.dictionary(fc.constantFrom('homepage_uri', 'source_code_uri', 'key'), text, { maxKeys: 2 }),
  needs: fc.dictionary(fc.constantFrom('rake', 'rack', 'a-b', 'c_d'), requirement, { maxKeys: 3 }),
  develops: fc.dictionary(fc.constantFrom('minitest', 'rspec'), requirement, { maxKeys: 2 }),
  ruby: fc.option(requirement, { nil: undefined }),
  rubygems: fc.option(requirement, { nil: undefined }),
});

/** Builds gems of JSON, and says where each is. */
const build = `
require 'json'; require 'rubygems/package'
Gem::DefaultUserInteraction.ui = Gem::SilentUI.new
File.write('file.rb', '')
puts JSON.generate(JSON.parse($stdin.read).each_with_index.map { |each, at|
  spec = Gem::Specification.new do |s|
    s.name = "gem-#{at}"; s.version = each['version']; s.platform = each['platform']; s.date = each['date']; s.summary = each['summary']
    s.description = each['description'] if each['description']
    s.authors = each['authors']; s.licenses = each['licenses']; s.metadata = each['metadata']; s.files = ['file.rb']
    s.email = each['email'] if each['email']
    each['needs'].each { |name, requirements| s.add_runtime_dependency(name, *requirements) }
    each['develops'].each { |name, requirements| s.add_development_dependency(name, *requirements) }
    s.required_ruby_version = each['ruby'] if each['ruby']
    s.required_rubygems_version = each['rubygems'] if each['rubygems']
  end
  Gem::Package.build(spec, true)
})`;

/** Compares what we dump of each gem with what Gem::Package reads of it; of specs, only what Gem::Specification#_dump keeps. */
const compare = `
require 'json'; require 'rubygems/package'; require 'zlib'
kept = %i[rubygems_version specification_version name version date summary required_ruby_version required_rubygems_version
  original_platform dependencies email authors description homepage has_rdoc new_platform licenses metadata platform]
puts JSON.generate(JSON.parse($stdin.read).flat_map { |gem, dump|
  theirs = Marshal.load(Marshal.dump(Gem::Package.new(gem).spec))
  ours = Marshal.load(Zlib.inflate(File.binread(dump)))
  kept.select { |name| theirs.respond_to?(name) }.filter_map { |name|
    one, other = ours.public_send(name), theirs.public_send(name)
    "#{gem} #{name}: #{one.inspect} in place of #{other.inspect}" unless one == other && one.class == other.class
  }
})`;

const ruby = (program: string, input: unknown): unknown =>
  JSON.parse(
    execFileSync('ruby', ['-e', program], {
      cwd: folder,
      input: JSON.stringify(input),
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'ignore'],
    }).toString(),
  );

it(`${count} gems have the specifications that Gem::Package reads, as Marshal.load sees ours`, async () => {
  const wanted = fc.sample(spec, { numRuns: count, seed: 36 });
  const files = ruby(build, wanted) as string[];
  expect(new Set(files).size).toBe(count);
  const dumps: [string, string][] = [];
  for (const file of files) {
    const dump = join(folder, `${file}.dump`);
    writeFileSync(dump, dumpGemspec(await readGem(createReadStream(join(folder, file)))));
    dumps.push([file, dump]);
  }
  process.stderr.write(`gems: ${files.length} gems\n`);
  expect(ruby(compare, dumps)).toEqual([]);
});

it('the lists of names and versions are those that Marshal.load reads, with each gem in its list', async () => {
  const files = ruby(build, fc.sample(spec, { numRuns: 50, seed: 37 })) as string[];
  const specs = await Promise.all(files.map(async (file) => readGem(createReadStream(join(folder, file)))));
  const listed = specs.map((each) => ({
    name: each.name,
    versions: [fullNameOf(each).slice(each.name.length + 1)],
    md5: '',
  }));
  const read = async (which: 'specs' | 'prerelease_specs' | 'latest_specs'): Promise<unknown> => {
    const file = join(folder, which);
    writeFileSync(file, await renderSpecs(listed, which));
    const program = `require 'json'; require 'zlib'; puts JSON.generate(Marshal.load(Zlib.gunzip(File.binread(JSON.parse($stdin.read)))).map { |name, version, platform| [name, version.class.name, version.to_s, platform] })`;
    return ruby(program, file);
  };
  const all = specs.map(({ name, version, platform = 'ruby' }) => [name, 'Gem::Version', version, platform]);
  const isPre = ([, , version = '']: readonly string[]): boolean => /[a-z]/.test(version);
  expect(await read('specs')).toEqual(all.filter((each) => !isPre(each)));
  expect(await read('latest_specs')).toEqual(all.filter((each) => !isPre(each)));
  expect(await read('prerelease_specs')).toEqual(all.filter(isPre));
});
