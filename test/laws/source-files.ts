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
  readonly isReExport: boolean;
}

/** A TypeScript file of the project. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** Exported functions whose first parameter is the table: what they do, they do to it. */
  readonly tableFunctions: readonly string[];
  /** Names of the types, interfaces and classes that it exports. */
  readonly exportedTypes: readonly string[];
  /** Names of the constants, functions and classes that it exports. */
  readonly exportedValues: readonly string[];
  /** Every name that is declared or used in it. */
  readonly identifiers: ReadonlySet<string>;
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
      isReExport: false,
    };
  }
  const source =
    item.type === 'ExportNamedDeclaration' || item.type === 'ExportAllDeclaration' ? item.source : undefined;
  return source ? { target: targetOf(source.value, path), names: [], isTypeOnly: false, isReExport: true } : undefined;
};

const targetOf = (specifier: string, path: string): string =>
  specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier;

const tableFunction = /^export const (\w+) = (?:async )?(?:<[^(]*>)?\(\s*table: Table\b/gm;

const exportedTypeOf = (item: ModuleItem): string[] => {
  if (item.type !== 'ExportDeclaration') return [];
  const { declaration } = item;
  if (declaration.type === 'ClassDeclaration') return [declaration.identifier.value];
  const isType = declaration.type === 'TsInterfaceDeclaration' || declaration.type === 'TsTypeAliasDeclaration';
  return isType ? [declaration.id.value] : [];
};

const exportedValuesOf = (item: ModuleItem): string[] => {
  if (item.type !== 'ExportDeclaration') return [];
  const { declaration } = item;
  if (declaration.type === 'ClassDeclaration' || declaration.type === 'FunctionDeclaration')
    return [declaration.identifier.value];
  if (declaration.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id }) => [...identifiersIn({ ...id, typeAnnotation: undefined })]);
};

const identifiersIn = (node: unknown, found = new Set<string>()): Set<string> => {
  if (typeof node !== 'object' || node === null) return found;
  if ('type' in node && node.type === 'Identifier' && 'value' in node) found.add(String(node.value));
  for (const child of Object.values(node)) identifiersIn(child, found);
  return found;
};

const read = (path: string): SourceFile => {
  const text = readFileSync(join(root, path), 'utf8');
  const { body } = parseSync(text, { syntax: 'typescript', target: 'es2024' });
  return {
    path,
    text,
    imports: body.flatMap((item) => importOf(item, path) ?? []),
    exportedTypes: body.flatMap(exportedTypeOf),
    exportedValues: body.flatMap(exportedValuesOf),
    identifiers: identifiersIn(body),
    tableFunctions: [...text.matchAll(tableFunction)].map(([, name = '']) => name),
  };
};

/** All TypeScript files of the project. */
export const sourceFiles: readonly SourceFile[] = globSync('{functions,infra,shared,test}/**/*.ts', { cwd: root })
  .toSorted()
  .map(read);
