import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { bank } from './mutants/bank.ts';
import { plantedIn } from './mutants/mutant.ts';

const root = join(__dirname, '..');

describe('The bank of planted bugs', () => {
  it.each(bank.map((mutant) => [`${mutant.file}: ${mutant.name}`, mutant] as const))('%s', (_, mutant) => {
    const planted = plantedIn(readFileSync(join(root, mutant.file), 'utf8'), mutant);
    // What is no program any more would be caught whatever the suites look at.
    if (mutant.file.endsWith('.ts'))
      expect(() => parseSync(planted, { syntax: 'typescript', target: 'es2024' })).not.toThrow();
    expect(mutant.replacement).not.toBe(mutant.find);
    expect(mutant.suites.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names each bug once', () => {
    const names = bank.map(({ file, name }) => `${file}: ${name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
