import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { type EndpointId, endpoints } from '../../functions/endpoints.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { ErrorKind } from '../../shared/error-kind.ts';
import { errorKinds } from '../../shared/error-kinds.ts';
import { builtContracts } from './built-contracts.ts';
import { writeBuiltFiles } from './built-files.ts';
import { builtReads } from './built-reads.ts';
import { builtTypes, loadedPart, typeFacts } from './built-types.ts';
import { frontId } from './function-metadata.ts';
import { coarseLibraryMaps } from './library-maps.ts';
import { splitBundle } from './split-bundle.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where the bundle of each function is built: `build/<function id>/index.js`. */
export const buildDirectory = join(root, 'build');

/** The folder of a function's bundle. */
export const bundleOf = (functionId: string, directory = buildDirectory): string => join(directory, functionId);

/** The functions that serve no endpoint. */
export const otherFunctionIds = [
  'authorizer',
  'fetcher',
  'verifier',
  'importer',
  'sweeper',
  'first-admin',
  'release-check',
  frontId,
] as const;

/** The bundle of the door, which is a server. */
export const doorBundleId = 'door';

/** The ids of all functions. */
export const functionIds: readonly string[] = [...otherFunctionIds, ...endpoints.map((endpoint) => endpoint.id)];

/** Parts of the SDK and of other libraries that no function ever uses, each with the source that replaces it. */
export const standIns: Readonly<Record<string, string>> = {
  // A function's credentials always come from its environment: SSO, INI files and IMDS cost 132 kB and up to 20 ms of a
  // cold start.
  '@aws-sdk/credential-provider-node': `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  // DynamoDB's client can ask the service for its endpoints, which is off: that and its cache are 8 kB.
  '@aws-sdk/middleware-endpoint-discovery': `export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
    export const resolveEndpointDiscoveryConfig = (config) => config;`,
  // No operation that a function calls has a stream of events, for which every client brings 15 kB.
  '@smithy/core/event-streams': 'export class EventStreamSerde {}',
  // The signer formats the headers of such events.
  HeaderFormatter: 'export class HeaderFormatter {}',
  // A function has no profile in ~/.aws. The search for one loads fs/promises, which costs 2 ms of each cold start.
  loadSharedConfigFiles: `export const CONFIG_PREFIX_SEPARATOR = '.';
    export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  // Node always has its own hash, Lambda always names the Region, and no client counts the rate of its calls.
  Sha256Js: 'export class Sha256Js {}',
  getInstanceMetadataRegion: 'export const getInstanceMetadataRegion = async () => undefined;',
  AdaptiveRetryStrategy: 'export class AdaptiveRetryStrategy {}',
  // No client of the SDK has buckets, and nobody counts which of its features are in use.
  'service-customizations': 'export const resolveParamsForS3 = async (parameters) => parameters;',
  'check-features': 'export const checkFeatures = async () => {};',
  // Lambda finds loops of functions by a header of the calls of queues, topics and functions: no client of the SDK makes one. 3 kB.
  recursionDetectionMiddleware: 'export const recursionDetectionMiddleware = () => (next) => next;',
  // These copy every input and output for a logger, and no client of the SDK has one.
  loggerMiddleware: `export const loggerMiddleware = () => (next) => next;
    export const loggerMiddlewareOptions = {};
    export const getLoggerPlugin = () => ({ applyToStack: () => {} });`,
  schemaLogFilter: 'export const schemaLogFilter = (_schema, data) => data;',
  // Functions run on the Node that the stack names.
  emitWarningIfUnsupportedVersion: `export const state = {};
    export const emitWarningIfUnsupportedVersion = () => {};`,
  // The services that functions call send times as seconds. The parsers of all other forms are 3 kB.
  'date-utils': `export const dateToUtcString = (date) => date.toUTCString();
    export const parseEpochTimestamp = (value) => new Date(Math.round(Number(value) * 1000));
    export const parseRfc3339DateTime = (value) => new Date(value);
    export const parseRfc3339DateTimeWithOffset = (value) => new Date(value);
    export const parseRfc7231DateTime = (value) => new Date(value);`,
  // Archives are streams of bytes that come from the object store: no function writes one, opens a file or decodes text.
  'tar-stream/pack': 'module.exports = undefined;',
  'text-decoder': 'module.exports = undefined;',
  'fd-slicer': 'module.exports = {};',
  // Node has this hash itself, so yauzl never loads its own of 3 kB.
  'yauzl/crc32': 'module.exports = undefined;',
};

const slimSdk: Plugin = {
  name: 'slim-sdk',
  setup({ onResolve, onLoad }) {
    const standIn = (path: string) => ({ path, namespace: 'slim-sdk', sideEffects: false });
    onResolve(
      {
        filter:
          /^(?:@aws-sdk\/(?:credential-provider-node|middleware-endpoint-discovery)|text-decoder)$|\/(?:loadSharedConfigFiles|Sha256Js|getInstanceMetadataRegion|AdaptiveRetryStrategy|HeaderFormatter|date-utils|fd-slicer|service-customizations|check-features|recursionDetectionMiddleware|loggerMiddleware|schemaLogFilter|emitWarningIfUnsupportedVersion)$/,
      },
      ({ path }) => standIn(path.replace(/^\..*\//, '')),
    );
    onResolve({ filter: /^\.\/pack(?:\.js)?$/ }, ({ importer }) =>
      importer.includes('/tar-stream/') ? standIn('tar-stream/pack') : undefined,
    );
    onResolve({ filter: /^\.\/crc32$/ }, ({ importer }) =>
      importer.includes('/yauzl/') ? standIn('yauzl/crc32') : undefined,
    );
    // A client whose operations have such streams imports more of it, statically. No function has such a client.
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? standIn(path) : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'slim-sdk' }, ({ path }) => ({
      contents: standIns[path] ?? '',
      loader: 'js',
      resolveDir: root,
    }));
    // A client reads its version there for the User-Agent. The rest would be 2 kB of each bundle.
    onLoad({ filter: /\/@aws-sdk\/[^/]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8')) as { readonly version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** Leaves out of the error table what only the reference shows. */
const shortErrors: Plugin = {
  name: 'short-errors',
  setup({ onLoad }) {
    const kinds = Object.entries<ErrorKind>(errorKinds).map(
      ([code, { advice: _advice, headers: _headers, mayHaveRetryAfter: _may, ...kind }]) => [code, kind],
    );
    const contents = `export const errorKinds = ${JSON.stringify(Object.fromEntries(kinds))};`;
    onLoad({ filter: /\/shared\/error-kinds\.ts$/ }, () => ({ contents, loader: 'js' }));
  },
};

/** The settings of esbuild for every bundle. */
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
  // The SDK imports node:http when it is needed. As an import, that loads all that it exports, its WebSocket too: 25 ms.
  supported: { 'dynamic-import': false },
  define: {
    'process.env.STOCKROOM_VERSION': JSON.stringify(packageJson.version),
    'process.env.STOCKROOM_PACKAGE_TYPES': JSON.stringify(typeFacts()),
  },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [builtContracts, builtTypes, shortErrors, slimSdk, coarseLibraryMaps],
} satisfies BuildOptions;

/** The function that reads indexes of any package type. */
const checkId: EndpointId = 'packages/check-version';

/** The functions that read kept indexes of any package type, and ask no upstream. */
const ofKeptIndexes: ReadonlySet<string> = new Set<EndpointId>([
  'packages/get-package',
  'packages/get-package-version',
  'packages/list-package-versions',
]);

/** The functions that read files of any package type. Each process loads the grammar of the type that it is asked about. */
const ofAnyType: ReadonlySet<string> = new Set<EndpointId>([
  'packages/create-upload',
  'packages/get-package-readme',
  'packages/publish-package',
  'packages/publish-upload',
]);

/** The settings for a bundle that loads parts of any package type. */
const withParts = (...parts: readonly Parameters<typeof loadedPart>[0][]) =>
  ({ ...bundleOptions, plugins: [...parts.map(loadedPart), ...bundleOptions.plugins] }) satisfies BuildOptions;

/** The same without what writes, asks upstreams and uses keys. */
const readingOnly = (options: BuildOptions): BuildOptions => ({
  ...options,
  plugins: [builtReads, ...(options.plugins ?? [])],
});

/** The functions whose processes load only what they are asked about. */
const splitOptions = (id: string): BuildOptions | undefined => {
  if (id === frontId) return readingOnly(withParts('format', 'releases'));
  if (id === checkId) return withParts('releases');
  if (ofKeptIndexes.has(id)) return readingOnly(withParts('releases'));
  return ofAnyType.has(id) ? withParts('format') : undefined;
};

/** Refuses to build what has no file: esbuild would only say that it cannot resolve an entry point. */
const requireHandlers = (ids: readonly string[], sources: string): void => {
  const missing = ids.map((id) => join(sources, `${id}.ts`)).filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0)
    throw new Error(
      `${missing.join(', ')} is missing: functions/endpoints.ts lists its contract, and a contract needs a handler.`,
    );
};

/** The files of several builds, each with all that it imports in one of them: the front has other modules in place of some. */
const inputsOf = (metafiles: readonly Metafile[]): Metafile['inputs'] => {
  const inputs: Metafile['inputs'] = {};
  for (const [file, input] of metafiles.flatMap((each) => Object.entries(each.inputs))) {
    const known = inputs[file]?.imports ?? [];
    const paths = new Set(known.map(({ path }) => path));
    inputs[file] = { ...input, imports: [...known, ...input.imports.filter(({ path }) => !paths.has(path))] };
  }
  return inputs;
};

/** Builds the bundles of some functions, whose files are below `sources`, with a metafile beside them. */
export const bundle = async (ids: readonly string[], sources: string, directory: string): Promise<void> => {
  requireHandlers(ids, sources);
  // esbuild ends with this process. To collect its garbage takes a quarter of the build, and saves a sixth of its memory.
  process.env.GOGC ??= 'off';
  const sourceOf = (id: string): string => join(sources, `${id}.ts`);
  const [{ metafile }, ...split] = await Promise.all([
    build({
      ...bundleOptions,
      entryPoints: Object.fromEntries(ids.filter((id) => !splitOptions(id)).map((id) => [`${id}/index`, sourceOf(id)])),
      outdir: directory,
      metafile: true,
    }),
    ...ids.flatMap((id) => {
      const options = splitOptions(id);
      return options ? [splitBundle(options, id, sourceOf(id), directory)] : [];
    }),
  ]);
  const all = [metafile, ...split];
  const inputs = inputsOf(all);
  const outputs = Object.assign({}, ...all.map((each) => each.outputs));
  await writeFile(join(directory, 'metafile.json'), JSON.stringify({ inputs, outputs }));
  // Below this project's package.json, a .js file is an ES module; a bundle is CommonJS, so it needs its own.
  const packageScope = JSON.stringify({ type: 'commonjs' });
  await Promise.all(ids.map((id) => writeFile(join(directory, id, 'package.json'), packageScope)));
};

/** Builds all bundles of the service. */
export const buildBundles = async (): Promise<void> => {
  await rm(buildDirectory, { recursive: true, force: true });
  await bundle([...functionIds, doorBundleId], 'functions', buildDirectory);
  await writeBuiltFiles(buildDirectory);
};
