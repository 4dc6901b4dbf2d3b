import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { definitions, ruledTypes } from '../../functions/package-definitions.ts';
import type { UnusualFacts } from '../../shared/packages/sources/type-facts.ts';
import type { PackageTypeDefinition } from '../../shared/packages/types/package-type.ts';

/** What a type says of itself that is not as for most. */
const factsOf = ({ name, root, upstream, ecosystem, versions: { partMark } }: PackageTypeDefinition): UnusualFacts => {
  const { urlPrefix, lonePassword, challenges, login } = upstream;
  const isPlain = urlPrefix === '' && lonePassword === 'as basic' && challenges === 'none' && login === undefined;
  const facts = { urlPrefix, lonePassword, challenges, ...(login !== undefined && { login }) };
  const isRuled = ruledTypes().includes(name);
  return {
    ...(root !== `/${name}/` && { root }),
    ...(!isPlain && { upstream: facts }),
    ...(!isRuled && { isUngated: true }),
    ...(isRuled && ecosystem === undefined && { isUnadvised: true }),
    ...(partMark !== undefined && { partMark }),
  };
};

/** What every bundle knows of the package types that are not as most, as JSON. */
export const typeFacts = (): string =>
  JSON.stringify(
    Object.fromEntries(
      definitions
        .map((definition) => [definition.name, factsOf(definition)] as const)
        .filter(([, facts]) => Object.keys(facts).length > 0),
    ),
  );

/** How the module of a package type imports what only some functions load: its format, and what its upstreams say of versions. */
const partOfType = /^\.\/(?:format|releases)\.ts$/;

/** Lets a bundle load one of these parts of each type: each is a file of its own in it. It comes before `builtTypes`. */
export const loadedPart = (part: 'format' | 'releases'): Plugin => ({
  name: 'loaded-part',
  setup({ onResolve }) {
    onResolve({ filter: partOfType }, ({ path, resolveDir }) =>
      path === `./${part}.ts` ? { path: join(resolveDir, path), sideEffects: false } : undefined,
    );
  },
});

/** The modules that load a part of each type. No other module of a bundle needs it. */
const loaders: readonly (readonly [part: string, module: RegExp])[] = [
  ['format', /\/functions\/package-formats\.ts$/],
  ['releases', /\/functions\/package-releases\.ts$/],
];

/** The part that a module loads, as the suffix of a path. */
const suffixFor = (importer: string): string => {
  const [part] = loaders.find(([, module]) => module.test(importer)) ?? [];
  return part === undefined ? '' : `?${part}`;
};

/**
 * The list of package types as a bundle has it: what each type says of itself, without the contracts of its endpoints, and a
 * part of it only where that is loaded.
 */
export const builtTypes: Plugin = {
  name: 'built-types',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.\/package-types\.ts$/ }, ({ path, resolveDir, importer }) => ({
      path: join(resolveDir, path),
      suffix: suffixFor(importer),
      sideEffects: false,
    }));
    // What may be loaded later is kept whole, with all that it imports. So a bundle that loads no such part does not even see it.
    onResolve({ filter: partOfType }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined));
    onLoad({ filter: /\/functions\/package-types\.ts$/ }, async ({ path, suffix }) => {
      const types: Readonly<Record<string, object>> = await import(pathToFileURL(path).href);
      const lines = Object.entries(types).flatMap(([name, module]) => {
        const parts = [
          'definition',
          ...loaders.map(([part]) => part).filter((part) => suffix === `?${part}` && part in module),
        ];
        const imports = parts.map((part) => `import { ${part} as ${part}_${name} } from './${name}/type.ts';`);
        const members = parts.map((part) => `${part}: ${part}_${name}`);
        return imports.concat(`export const ${name} = { ${members.join(', ')} };`);
      });
      return { contents: lines.join('\n'), loader: 'js' };
    });
  },
};
