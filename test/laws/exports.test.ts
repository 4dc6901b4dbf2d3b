import { dirname, join } from 'node:path';
import { sourceFiles } from './source-files.ts';

/** An import of a whole file: what is taken of it is not in the text of the import. */
const wholeImport = /(?:\bimport\(|\* (?:as \S+ )?from )\s*['"`](\.[^'"`]+\.ts)['"`]/g;

/** The ends of the paths of files that are imported whole: a name in a path of generated code stands for any. */
const whole = sourceFiles.flatMap(({ path, text }) =>
  [...text.matchAll(wholeImport)].map(([, target = '']) => join(dirname(path), target).replace(/^.*\}/, '')),
);

/** Files of which the code that a build generates names parts. */
const named = /^(?:shared\/(?:front\/|http\/(?:requests\/|door-steps\.ts))|functions\/(?:door|console\/app\/main)\.ts)/;

describe('Exports', () => {
  it('of the product are used in another file: what only its own file uses has no keyword', () => {
    const looked = sourceFiles.filter(
      ({ path }) => !path.startsWith('test/') && !named.test(path) && !whole.some((end) => path.endsWith(end)),
    );
    expect(looked.length).toBeGreaterThan(800);
    const unused = looked.flatMap(({ path, exportedValues }) => {
      const importers = sourceFiles.filter(({ imports }) => imports.some(({ target }) => target === path));
      return exportedValues
        .filter((name) => name !== 'handler' && !importers.some(({ identifiers }) => identifiers.has(name)))
        .map((name) => `${path}: ${name}`);
    });
    expect(unused).toEqual([]);
  });
});
