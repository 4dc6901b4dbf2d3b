import { inflateSync } from 'node:zlib';
import { readFullName } from '../../../functions/gems/full-names.ts';
import { readGemspec } from '../../../functions/gems/gemspec.ts';
import { dumpGemspec } from '../../../functions/gems/gemspec-dump.ts';
import { infoText } from '../../../functions/gems/info-lines.ts';
import { platformOf } from '../../../functions/gems/platforms.ts';
import { sha256 } from '../../harness/bytes.ts';
import { refusalOf } from '../../harness/format-refusals.ts';
import { metadataYaml } from '../../types/gems.ts';

const read = (yaml: string) => readGemspec(Buffer.from(yaml));
const plain = metadataYaml({ name: 'tool', version: '1.0.0', needs: { rake: '>= 1.0, < 3' } });

/** What old versions of RubyGems wrote: an object as platform, a dependency at development, and the same list twice. */
const old = `--- !ruby/object:Gem::Specification
name: tool
version: !ruby/object:Gem::Version
  version: 1.2.3
platform: !ruby/object:Gem::Platform
  cpu: x86_64
  os: linux
  version:
authors: &1
- !binary |-
  w4RkYQ==
email: *1
date: 2011-05-01 00:00:00 +02:00
dependencies:
- !ruby/object:Gem::Dependency
  name: rspec
  requirement: &id001 !ruby/object:Gem::Requirement
    none: false
    requirements:
    - - ~>
      - !ruby/object:Gem::Version
        version: '2.0'
  type: :development
  prerelease: false
  version_requirements: *id001
`;

// `npm run test:orders` compares gemspecs with what RubyGems itself makes of the same gems.
describe('The metadata of a gem', () => {
  it('are read with tags, aliases and binary texts', () => {
    expect(read(old)).toMatchObject({
      name: 'tool',
      version: '1.2.3',
      platform: 'x86_64-linux',
      date: '2011-05-01',
      authors: ['Äda'],
      email: ['Äda'],
      dependencies: [{ name: 'rspec', type: 'development', requirements: [['~>', '2.0']] }],
      requiredRubyVersion: [['>=', '0']],
      summary: null,
    });
  });

  it('are texts, whatever they look like', () => {
    const { version, summary } = read(
      plain.replace("version: '1.0.0'", 'version: 1.10').replace('summary: A gem of a test', 'summary: true'),
    );
    expect([version, summary]).toEqual(['1.10', 'true']);
  });

  it('have in the compact index what an installation needs, and nothing of development', () => {
    expect(infoText(read(old), 'abc')).toBe('1.2.3-x86_64-linux |checksum:abc');
    expect(infoText(read(plain), 'abc')).toBe('1.0.0 rake:>= 1.0&< 3|checksum:abc,ruby:>= 2.7');
  });

  it('become the same gemspec on each machine, with what is needed', () => {
    const dumped = dumpGemspec(read(plain));
    expect(sha256(dumped)).toBe('3d7d9426f71fa5632848a311a50bdf4220cffa484e4cbddad3b202c3a36bb023');
    const text = inflateSync(dumped).toString('latin1');
    expect(text.startsWith('\u0004\bu:\u0017Gem::Specification')).toBe(true);
    expect(text).toContain('rake');
  });

  it.each([
    ['an operator that is none', plain.replace('">="', '"=>"')],
    ['an operator in capitals', plain.replace('">="', '"GE"')],
    ['no version', plain.replace("version: '1.0.0'", 'version: x')],
    ['a text as list', plain.replace('authors:\n- Acme', 'authors: Acme')],
    ['a list as text', plain.replace('homepage: https://gems.example', 'homepage:\n- a')],
    ['a dependency without a name', plain.replace('name: rake', "name: ''")],
    ['an alias before its anchor', plain.replace('name: tool', 'name: *1')],
    ['a list that is too long', `${plain}licenses:\n${'- MIT\n'.repeat(1001)}`],
    ['a list that an alias repeats', `${plain}licenses: &1\n${'- MIT\n'.repeat(1001)}authors: *1\n`],
  ])('are refused with %s', (_, yaml) => {
    expect(refusalOf(() => read(yaml))).toMatch(/^malformed: The metadata of the gem (?:must|has) /);
  });
});

describe('The full name of a gem', () => {
  it.each([
    ['tool-1.0.0', 'tool', '1.0.0', undefined],
    ['a-b-1.0', 'a-b', '1.0', undefined],
    ['tool-1.0.0.pre.1-java', 'tool', '1.0.0.pre.1', 'java'],
    ['net-ssh-7.0-x86_64-linux-musl', 'net-ssh', '7.0', 'x86_64-linux-musl'],
    ['a-1-2.0', 'a-1', '2.0', undefined],
    ['a-1b-2.0-arm64-darwin-22', 'a-1b', '2.0', 'arm64-darwin-22'],
    ['a-1-tool-2.0.0', 'a-1-tool', '2.0.0', undefined],
    ['a-1-tool-2.0.0.pre.1-x86_64-linux-musl', 'a-1-tool', '2.0.0.pre.1', 'x86_64-linux-musl'],
    ['a-1-x-tool-2.0-x86_64-darwin-22', 'a-1-x-tool', '2.0', 'x86_64-darwin-22'],
    ['a-1-2-tool-3-4', 'a-1-2-tool-3', '4', undefined],
    ['tool-1.0-x86-mswin32-60', 'tool', '1.0', 'x86-mswin32-60'],
    ['tool-1.0-java-1.8', 'tool', '1.0', 'java-1.8'],
    ['tool-1.0-universal-rubinius-1.2', 'tool', '1.0', 'universal-rubinius-1.2'],
    ['tool-1.0-weird-2_x', 'tool', '1.0', 'weird-2_x'],
  ])('%s is %s in the version %s', (text, name, version, platform) => {
    expect(readFullName(text)).toEqual({ name, version, platform });
  });

  it.each(['tool', 'tool-', '-1.0', 'tool-a', 'to ol-1.0', 'tool-1.0-', 'tool-1.0--java'])('%s is none', (text) => {
    expect(readFullName(text)).toBeUndefined();
  });
});

describe('A platform', () => {
  it.each([
    ['x86_64-linux', 'x86_64', 'linux', null],
    ['i686-linux', 'x86', 'linux', null],
    ['x86_64-linux-musl', 'x86_64', 'linux', 'musl'],
    ['arm64-darwin-22', 'arm64', 'darwin', '22'],
    ['universal-darwin19', 'universal', 'darwin', '19'],
    ['java', null, 'java', null],
    ['mswin32', 'x86', 'mswin32', null],
    ['x64-mingw-ucrt', 'x64', 'mingw', 'ucrt'],
    ['x64-mswin64_140', 'x64', 'mswin64', '140'],
    ['x-y', 'x', 'unknown', null],
  ])('%s is read as RubyGems does', (text, cpu, os, version) => {
    expect(platformOf(text)).toEqual({ cpu, os, version });
  });
});
