import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { type Mutant, plantedIn } from './mutant.ts';

const root = join(import.meta.dirname, '..', '..');

/** Why a bug cannot be planted, or would prove nothing; undefined if it can. */
export const flawOf = (mutant: Mutant): string | undefined => {
  const missing = mutant.suites.find(({ path }) => !existsSync(join(root, path)));
  if (missing) return `${mutant.file}: '${mutant.name}' names ${missing.path}, which is not there.`;
  if (mutant.replacement === mutant.find) return `${mutant.file}: '${mutant.name}' changes nothing.`;
  try {
    const planted = plantedIn(readFileSync(join(root, mutant.file), 'utf8'), mutant);
    // What is no program any more would be caught whatever the suites look at.
    if (mutant.file.endsWith('.ts')) parseSync(planted, { syntax: 'typescript', target: 'es2024' });
    return undefined;
  } catch (error) {
    return `${mutant.file}: '${mutant.name}' cannot be planted: ${String(error)}`;
  }
};

/** The names that the bank has twice. */
export const namedTwice = (mutants: readonly Mutant[]): string[] => {
  const names = mutants.map(({ file, name }) => `${file}: ${name}`);
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is there twice.`);
};
