import { needsIn } from '../../../functions/conan/manifest.ts';

const hash = '0'.repeat(32);

describe('The archives that a manifest names', () => {
  it.each([
    ['no file', [], false, false],
    ['the recipe alone', ['conanfile.py'], false, false],
    ['an exported file', ['conanfile.py', 'conandata.yml'], true, false],
    ['sources', ['conanfile.py', 'export_source/a.txt'], false, true],
    ['both', ['a: b.txt', 'conanfile.py', 'export_source/a.txt'], true, true],
  ])('with %s', (_, files, isExported, hasSources) => {
    const lines = files.map((file) => `${file}: ${hash}`);
    for (const text of [['1795465121', ...lines, ''].join('\n'), ['1795465121', ...lines].join('\n')])
      expect(needsIn(text)).toEqual({ export: isExported, sources: hasSources });
  });

  it.each(['', 'x\n', '-1\n', `1795465121\nconanfile.py ${hash}\n`, `1795465121\nconanfile.py: ${hash}0\n`])(
    '%j is no manifest',
    (text) => {
      expect(() => needsIn(text)).toThrow('The conanmanifest.txt must have a time in its first line');
    },
  );
});
