import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Everything that the bundles and the templates are made from; the local runner is not. */
const sources = [
  '{functions,shared}/**/*.*',
  'infra/*.ts',
  'infra/{api,edge,operation}/**/*.*',
  'package-lock.json',
  'package.json',
  'cdk.json',
  'tsconfig.json',
];

/** The files that the service is made from, and those of `others`: patterns below the project's root, as the answers are. */
export const sourceFiles = (others: readonly string[] = []): readonly string[] =>
  globSync([...sources, ...others], { cwd: projectRoot }).toSorted();

/** A digest of the sources, in 16 hex digits. `variant` says what is made of them; `others` are patterns of more sources. */
export const digestOfSources = (variant: string, others: readonly string[] = []): string => {
  const hash = createHash('sha256').update(`${process.version} ${variant}`);
  for (const file of sourceFiles(others)) hash.update(`\n${file}\n`).update(readFileSync(join(projectRoot, file)));
  return hash.digest('hex').slice(0, 16);
};
