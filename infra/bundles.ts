import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { endpoints } from '../functions/endpoints.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Contract } from '../shared/http/contract.ts';
import type { Schema } from '../shared/http/schema.ts';
import { writeBuiltFiles } from './built-files.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where the bundle of each function is built: `build/<function id>/index.js`. */
export const buildDirectory = join(root, 'build');

/** The folder of a function's bundle. */
export const bundleOf = (functionId: string): string => join(buildDirectory, functionId);

/** The functions that serve no endpoint. */
export const otherFunctionIds = ['authorizer', 'sweeper', 'first-admin'] as const;

/** The ids of all functions. */
export const functionIds: readonly string[] = [...otherFunctionIds, ...endpoints.map((endpoint) => endpoint.id)];

/** The source of a function that checks a value against a schema, without ajv's compiler. */
const validatorSource = (shape: Schema): string => {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    validateFormats: false,
    code: { source: true, esm: true },
  });
  ajv.addVocabulary(['allowed']);
  return standaloneCode.default(ajv, ajv.compile(shape));
};

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'access' in value;

/** What a function needs of its contract while it runs, as source; documentation stays out of the bundle. */
const compiledContract = (contract: Contract): string => {
  const { id, path, access, refusal, success, file, paged, location, body, query } = contract;
  const data = JSON.stringify({
    id,
    path,
    access,
    refusal,
    success,
    file,
    paged,
    location,
    body,
    query,
  });
  const validators = (['body', 'query'] as const)
    .filter((part) => contract[part])
    .map((part) => `validate${part === 'body' ? 'Body' : 'Query'}: ${part}_${id.replaceAll(/\W/g, '_')}`);
  return `/* @__PURE__ */ Object.assign(${data}, { ${validators.join(', ')} })`;
};

/**
 * Contracts are data, so their modules are evaluated at build and only what runs is bundled: each contract with its
 * compiled validators (ajv at run time costs 50-70 ms of a cold start), each other export as a literal.
 */
const compiledContracts: Plugin = {
  name: 'compiled-contracts',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\/functions\/[^/]+\/contracts\.ts$/ }, async ({ path }) => {
      const exports: Record<string, unknown> = await import(pathToFileURL(path).href);
      const lines = Object.entries(exports).map(([name, value]) => {
        if (!isContract(value)) return `export const ${name} = ${JSON.stringify(value)};`;
        const imports = (['body', 'query'] as const)
          .filter((part) => value[part])
          .map((part) => `import ${part}_${value.id.replaceAll(/\W/g, '_')} from 'validator:${value.id}:${part}';`);
        return `${imports.join('\n')}\nexport const ${name} = ${compiledContract(value)};`;
      });
      return {
        contents: lines.join('\n'),
        loader: 'js',
        resolveDir: dirname(path),
      };
    });
    onResolve({ filter: /^validator:/ }, ({ path }) => ({
      path,
      namespace: 'validator',
      sideEffects: false,
    }));
    onLoad({ filter: /.*/, namespace: 'validator' }, ({ path }) => {
      const [, id, part] = path.split(':');
      const shape = endpoints.find((endpoint) => endpoint.id === id)?.[part as 'body' | 'query'];
      if (!shape) throw new Error(`There is no schema for ${path}.`);
      return {
        contents: validatorSource(shape),
        loader: 'js',
        resolveDir: root,
      };
    });
  },
};

/** Parts of the SDK that no function ever uses, and what stands in for them. */
export const standIns: Readonly<Record<string, string>> = {
  // A function's credentials always come from its environment: SSO, INI files and IMDS cost 132 kB and up to 20 ms of a
  // cold start.
  '@aws-sdk/credential-provider-node': `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  // DynamoDB's client makes a cache for endpoint discovery, which is off; with it comes a library of 6 kB.
  '@aws-sdk/endpoint-cache': 'export class EndpointCache {}',
  // A function has no profile in ~/.aws: looking for it loads fs/promises and what that needs, 2 ms of each cold start.
  loadSharedConfigFiles: `export const CONFIG_PREFIX_SEPARATOR = '.';
    export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
};

const slimSdk: Plugin = {
  name: 'slim-sdk',
  setup({ onResolve, onLoad }) {
    onResolve(
      { filter: /^@aws-sdk\/(?:credential-provider-node|endpoint-cache)$|\/loadSharedConfigFiles$/ },
      ({ path }) => ({
        path: path.replace(/^\..*\//, ''),
        namespace: 'slim-sdk',
        sideEffects: false,
      }),
    );
    onLoad({ filter: /.*/, namespace: 'slim-sdk' }, ({ path }) => ({
      contents: standIns[path] ?? '',
      loader: 'js',
      resolveDir: root,
    }));
  },
};

/** A source map that takes every place of a file to its first line. */
const coarseSourceMap = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');

/**
 * Takes the lines of libraries out of the source maps: Node reads a map whole when it loads its bundle, and the SDK's part
 * was a fifth of a cold start. Stack traces tell our own lines, and of libraries the file.
 */
const coarseLibraryMaps: Plugin = {
  name: 'coarse-library-maps',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${coarseSourceMap}`,
      loader: 'js',
    }));
  },
};

/** How every bundle is made. */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  sourcemap: 'linked',
  sourcesContent: false,
  platform: 'node',
  target: 'node24',
  // CommonJS output starts 4-6 ms faster than ES modules; ES sources of the SDK are 36 % smaller than its CommonJS.
  format: 'cjs',
  mainFields: ['module', 'main'],
  define: {
    'process.env.STOCKROOM_VERSION': JSON.stringify(packageJson.version),
  },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [compiledContracts, slimSdk, coarseLibraryMaps],
} satisfies BuildOptions;

/** Builds all bundles in one run of esbuild, with a metafile beside them. */
export async function buildBundles(): Promise<void> {
  await rm(buildDirectory, { recursive: true, force: true });
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: Object.fromEntries(functionIds.map((id) => [`${id}/index`, join('functions', `${id}.ts`)])),
    outdir: buildDirectory,
    metafile: true,
  });
  await writeFile(join(buildDirectory, 'metafile.json'), JSON.stringify(metafile));
  // Below this project's package.json a .js file is an ES module; each bundle says itself that it is none.
  const packageScope = JSON.stringify({ type: 'commonjs' });
  await Promise.all(functionIds.map((id) => writeFile(join(buildDirectory, id, 'package.json'), packageScope)));
  await writeBuiltFiles(buildDirectory);
}
