import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { definitions } from '../../functions/package-definitions.ts';
import type { TypeFacts } from '../../shared/packages/sources/type-facts.ts';
import type { PackageTypeDefinition } from '../../shared/packages/types/package-type.ts';

/** What a type says of itself that is not as for most. */
const factsOf = ({ name, root, upstream }: PackageTypeDefinition): TypeFacts | undefined => {
  const { urlPrefix, lonePassword, challenges, login } = upstream;
  const isPlain = urlPrefix === '' && lonePassword === 'as basic' && challenges === 'none' && login === undefined;
  const facts = { urlPrefix, lonePassword, challenges, ...(login !== undefined && { login }) };
  return isPlain && root === `/${name}/` ? undefined : { root, upstream: facts };
};

/** What every bundle knows of the package types that are not as most, as JSON. */
export const typeFacts = (): string =>
  JSON.stringify(Object.fromEntries(definitions.map((definition) => [definition.name, factsOf(definition)])));

/** How the module of a package type imports its format. */
const formatOfType = /^\.\/format\.ts$/;

/** Lets a bundle load the formats: each is a file of its own in it. It comes before `builtTypes`. */
export const loadedFormats: Plugin = {
  name: 'loaded-formats',
  setup({ onResolve }) {
    onResolve({ filter: formatOfType }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
  },
};

/** The module that loads the formats, which are grammars of files. No other module of a bundle needs them. */
const formatsModule = /\/functions\/package-formats\.ts$/;

/**
 * The list of package types as a bundle has it: what each type says of itself, without the contracts of its endpoints, and its
 * format only where files of any type are published.
 */
export const builtTypes: Plugin = {
  name: 'built-types',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.\/package-types\.ts$/ }, ({ path, resolveDir, importer }) => ({
      path: join(resolveDir, path),
      suffix: formatsModule.test(importer) ? '?format' : '',
      sideEffects: false,
    }));
    // What may be loaded later is kept whole, with all that it imports. So a bundle that loads no format does not even see it.
    onResolve({ filter: formatOfType }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined));
    onLoad({ filter: /\/functions\/package-types\.ts$/ }, async ({ path, suffix }) => {
      const types: Readonly<Record<string, object>> = await import(pathToFileURL(path).href);
      const lines = Object.entries(types).flatMap(([name, module]) => {
        const parts = ['definition', ...(suffix === '?format' && 'format' in module ? ['format'] : [])];
        const imports = parts.map((part) => `import { ${part} as ${part}_${name} } from './${name}/type.ts';`);
        const members = parts.map((part) => `${part}: ${part}_${name}`);
        return imports.concat(`export const ${name} = { ${members.join(', ')} };`);
      });
      return { contents: lines.join('\n'), loader: 'js' };
    });
  },
};
