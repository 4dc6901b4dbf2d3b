import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { typeLines } from '../../../infra/api/console-page.ts';
import type { LinesToPaste } from '../../../shared/package-lines.ts';
import { type PackageType, packageTypes } from '../../../shared/package-types.ts';

interface Target {
  readonly workspace?: string;
  readonly repository?: string;
  readonly name?: string;
  readonly version?: string;
}

interface LinesOfConsole {
  readonly linesOf: (type: PackageType, target: object) => readonly LinesToPaste[];
  readonly publicUpstreamOf: (type: PackageType) => string;
}

/** The lines at an address of the service. */
let consoleAt: (origin: string) => LinesOfConsole;
let linesOf: LinesOfConsole['linesOf'];

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '..', '..', '..', 'functions', 'console', 'app', 'lines.ts')],
    bundle: true,
    write: false,
    format: 'cjs',
    logLevel: 'warning',
    plugins: [typeLines],
  });
  // The app is for browsers: this is the same module as there, with the lines of all package types.
  consoleAt = (origin) => {
    const module = { exports: {} as LinesOfConsole };
    const location = { origin, pathname: '/' };
    runInNewContext(outputFiles[0]?.text ?? '', { module, exports: module.exports, URL, location });
    return module.exports;
  };
  ({ linesOf } = consoleAt('https://stockroom.example'));
});

const place = { workspace: 'acme', repository: 'all', takesVersions: true, isRemote: false };

/** The texts of all lines of a type. */
const textOf = (type: PackageType, target: Target): string =>
  linesOf(type, { ...place, ...target })
    .map(({ text }) => text)
    .join('\n');

/** Names and versions that a shell or a client would read as more than that. */
const hostile = [
  '$(touch x)',
  '1.0.0; touch x #',
  '`touch x`',
  "'; touch x; '",
  '"; touch x; "',
  '1.0.0 && touch x',
  '1.0.0\ntouch x',
  'a|touch x',
  'a>x',
  'a x',
  '{a,b}',
  'a!b',
  '*',
  '\\x',
  '</version>',
  '--registry=https://example.com',
  '-x',
  '.',
  '#x',
  '~x',
  '',
];

describe('The lines of the console to paste', () => {
  it.each(packageTypes.filter((type) => type !== 'universal'))(
    'have no name and no version of %s that a shell reads',
    (type) => {
      for (const text of hostile) {
        expect([text, textOf(type, { name: text, version: '1.0.0' })]).toEqual([
          text,
          textOf(type, { version: '1.0.0' }),
        ]);
        expect([text, textOf(type, { name: 'demo', version: text })]).toEqual([text, textOf(type, { name: 'demo' })]);
      }
    },
  );

  it('have names and versions as publishers write them', () => {
    for (const [type, name, version, line] of [
      ['npm', '@acme/ui', '1.0.0-beta.1', 'npm install @acme/ui@1.0.0-beta.1'],
      ['pypi', 'demo_x', '1.0+ubuntu.1', 'pip install demo_x==1.0+ubuntu.1'],
      ['go', 'github.com/a/b~c/v2', 'v2.0.0+incompatible', 'go get github.com/a/b~c/v2@v2.0.0+incompatible'],
      ['conan', 'zlib', '1.3@acme/stable#c0ffee', 'conan install --requires="zlib/1.3@acme/stable" --remote stockroom'],
      ['debian', 'libstdc++6', '1:2.0~rc1', 'apt-get update && apt-get install libstdc++6'],
      ['composer', 'acme/demo', 'dev-main', 'composer require acme/demo:dev-main'],
    ] as const)
      expect(textOf(type, { name, version }).split('\n')).toContain(line);
  });

  it('say the address of a universal file, whatever its name', () => {
    for (const [name, version, path] of [
      ['tools/formatter', '1.0.0', 'tools/formatter/1.0.0'],
      ['$(touch x)', "a'b!*", '%24%28touch%20x%29/a%27b%21%2A'],
      ['a/`b`', '1"; x', 'a/%60b%60/1%22%3B%20x'],
      [undefined, undefined, '<package>/<version>'],
    ] as const)
      expect(
        textOf('universal', { ...(name && { name }), ...(version && { version }) }).match(/all\/[^\n]*(?=\/<file>")/g),
      ).toEqual([`all/${path}`, `all/${path}`]);
  });

  it('say the address of a repository, whatever stands in that of the page', () => {
    for (const type of packageTypes) {
      const text = textOf(type, { workspace: '$(touch x)', repository: "a';x" });
      expect(text).not.toMatch(/touch x|a';x/);
      expect(textOf(type, { workspace: 'acme-', repository: '-all' })).toContain('acme-/-all');
    }
  });

  it.each([
    ['debian', 'apt · Set up a client'],
    ['rpm', 'dnf · Set up a client'],
  ] as const)('never put the token into a file of %s that others may read', (type, title) => {
    const set =
      linesOf(type, place)
        .find((each) => each.title === title)
        ?.text.split('\n') ?? [];
    const root = mkdtempSync(join(tmpdir(), 'stockroom-lines-'));
    for (const folder of ['apt/keyrings', 'apt/auth.conf.d', 'apt/sources.list.d', 'yum.repos.d'])
      mkdirSync(join(root, folder), { recursive: true });
    const files = () =>
      readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true }).flatMap((each) =>
        each.isFile() ? [join(each.parentPath, each.name)] : [],
      );
    const withToken = () => files().filter((path) => readFileSync(path, 'utf8').includes('str_pat_secret'));
    for (const line of set) {
      const script = `umask 022; curl() { while [ "$1" != -o ]; do shift; done; : > "$2"; }; ${line.replaceAll('/etc/', `${root}/`)}`;
      execFileSync('/bin/sh', ['-ec', script], { env: { ...process.env, STOCKROOM_TOKEN: 'str_pat_secret' } });
      expect(withToken().map((path) => statSync(path).mode & 0o077)).toEqual(withToken().map(() => 0));
    }
    expect(withToken()).toHaveLength(1);
    // What apt reads as another user must not be closed with it.
    expect(files().filter((path) => (statSync(path).mode & 0o004) !== 0)).toHaveLength(files().length - 1);
    rmSync(root, { recursive: true });
  });

  it('lead apt to where a package was published, and to a key where the repository has one', () => {
    const target = { name: 'demo', version: 'bookworm/contrib/1.0-1_amd64' };
    const own = textOf('debian', target);
    expect(own).toContain(
      '[signed-by=/etc/apt/keyrings/acme-all.asc] https://stockroom.example/debian/acme/all bookworm contrib"',
    );
    expect(own).toContain('/pool/bookworm/contrib/');
    expect(textOf('debian', { name: 'demo', version: 'main/d/demo/1.0-1_amd64' })).not.toContain('/all main d"');
    expect(textOf('debian', {})).toContain('https://stockroom.example/debian/acme/all stable main"');
    const remote = linesOf('debian', { ...place, ...target, isRemote: true })
      .map(({ text }) => text)
      .join('\n');
    expect(remote).not.toContain('key.asc');
    expect(remote).toContain(
      '[signed-by=/usr/share/keyrings/<upstream>.gpg] https://stockroom.example/debian/acme/all stable main"',
    );
  });

  it('propose no upstream of Debian, whose lists are too long for the virtual repository beside it', () => {
    const { publicUpstreamOf } = consoleAt('https://stockroom.example');
    expect(publicUpstreamOf('debian')).toBe('');
    expect(publicUpstreamOf('npm')).toBe('https://registry.npmjs.org/');
  });

  it('say of each file who reads it, where a client expands no variable in another', () => {
    const text = (type: PackageType, title: string) => linesOf(type, place).find((each) => each.title === title)?.text;
    expect(text('npm', '.npmrc')).toBe('registry=https://stockroom.example/npm/acme/all/');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm and pnpm read the variable.
    expect(text('npm', '~/.npmrc')).toBe('//stockroom.example/npm/acme/all/:_authToken=${STOCKROOM_TOKEN}');
    expect(text('go', '~/.netrc')).toBe('machine stockroom.example login token password <token>');
  });

  it('say what a client needs at an address without TLS, and only there', () => {
    const plain = consoleAt('http://127.0.0.1:8080').linesOf;
    for (const [type, needed] of [
      ['go', '# Needs https'],
      ['composer', 'composer config secure-http false'],
      ['nuget', 'value="http://127.0.0.1:8080/nuget/acme/all/v3/index.json" allowInsecureConnections="true" />'],
    ] as const) {
      expect(
        plain(type, place)
          .map(({ text }) => text)
          .join('\n'),
      ).toContain(needed);
      expect(textOf(type, {})).not.toContain(needed.slice(-20));
    }
  });

  it('name both halves of a package of Maven, and publish a file of it', () => {
    const dependency = (group: string, artifact: string, version: string) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
    expect(textOf('maven', {})).toContain(dependency('<group>', '<artifact>', '<version>'));
    const known = textOf('maven', { name: 'org.acme:app', version: '1.0' });
    expect(known).toContain(dependency('org.acme', 'app', '1.0'));
    expect(known).toContain(
      'mvn deploy:deploy-file -Durl=https://stockroom.example/maven/acme/all -DrepositoryId=stockroom -DgroupId=org.acme -DartifactId=app -Dversion=1.0 -Dfile=<file>',
    );
  });
});
