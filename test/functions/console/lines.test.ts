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

let linesOf: (type: PackageType, target: object) => readonly LinesToPaste[];

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '..', '..', '..', 'functions', 'console', 'app', 'lines.ts')],
    bundle: true,
    write: false,
    format: 'cjs',
    logLevel: 'warning',
    plugins: [typeLines],
  });
  const module = { exports: {} as { linesOf: typeof linesOf } };
  const location = { origin: 'https://stockroom.example', pathname: '/' };
  // The app is for browsers: this is the same module as there, with the lines of all package types.
  runInNewContext(outputFiles[0]?.text ?? '', { module, exports: module.exports, URL, location });
  ({ linesOf } = module.exports);
});

const place = { workspace: 'acme', repository: 'all', takesVersions: true };

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
});
