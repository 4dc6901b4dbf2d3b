import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type ModuleItem, parseSync } from '@swc/core';

const root = join(__dirname, '..', '..');

/** An import or a re-export of a file. */
export interface Import {
  /** A path from the root of the project, or the name of a package. */
  readonly target: string;
  readonly names: readonly string[];
  /** Gone when the program runs. */
  readonly isTypeOnly: boolean;
}

/** A TypeScript file of the project. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** Exported functions whose first parameter is the table: what they do, they do to it. */
  readonly tableFunctions: readonly string[];
}

const importOf = (item: ModuleItem, path: string): Import | undefined => {
  if (item.type === 'ImportDeclaration') {
    const named = item.specifiers.map((specifier) => ({
      name: specifier.local.value,
      isType: specifier.type === 'ImportSpecifier' && specifier.isTypeOnly,
    }));
    return {
      target: targetOf(item.source.value, path),
      names: named.map(({ name }) => name),
      isTypeOnly: item.typeOnly || (named.length > 0 && named.every(({ isType }) => isType)),
    };
  }
  const source =
    item.type === 'ExportNamedDeclaration' || item.type === 'ExportAllDeclaration' ? item.source : undefined;
  return source ? { target: targetOf(source.value, path), names: [], isTypeOnly: false } : undefined;
};

const targetOf = (specifier: string, path: string): string =>
  specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier;

const tableFunction = /^export const (\w+) = (?:async )?(?:<[^(]*>)?\(\s*table: Table\b/gm;

const read = (path: string): SourceFile => {
  const text = readFileSync(join(root, path), 'utf8');
  const { body } = parseSync(text, { syntax: 'typescript', target: 'es2024' });
  return {
    path,
    text,
    imports: body.flatMap((item) => importOf(item, path) ?? []),
    tableFunctions: [...text.matchAll(tableFunction)].map(([, name = '']) => name),
  };
};

/** All TypeScript files of the project. */
export const sourceFiles: readonly SourceFile[] = globSync('{functions,infra,shared,test}/**/*.ts', { cwd: root })
  .toSorted()
  .map(read);
