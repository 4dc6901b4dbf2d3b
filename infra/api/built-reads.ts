import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { endpoints, isPackageRead } from '../../functions/endpoints.ts';
import { isOpen, methodsOf } from '../../shared/http/contract.ts';

/** What the front has in place of the modules that write, ask upstreams, call the store and use keys: they pass the request on to the API. */
const standIns: Readonly<Record<string, string>> = {
  'shared/table/client.ts': 'table.ts',
  'shared/packages/upstream/upstream-clients.ts': 'upstream-clients.ts',
  'shared/store/signatures.ts': 'store-signatures.ts',
  'shared/store/downloads.ts': 'downloads.ts',
  'shared/kms.ts': 'kms.ts',
  'shared/packages/blobs/shared-documents.ts': 'shared-documents.ts',
};

/** What the path of an import of such a module ends with, wherever it is. */
const names = Object.keys(standIns).map((file) => basename(file));
const standInNames = new RegExp(`/(?:${names.join('|').replaceAll('.', '\\.')})$`);

const root = join(import.meta.dirname, '..', '..');
const front = join(root, 'shared', 'front');

/** All endpoints for the router of the front, and the use cases that it has. */
const handlersSource = (): string => {
  const routes = endpoints.flatMap((endpoint) =>
    methodsOf(endpoint).map((method) => ({
      method,
      path: endpoint.path,
      id: endpoint.id,
      isOpen: isOpen(endpoint),
    })),
  );
  const handlers = endpoints
    .filter(isPackageRead)
    .map(({ id }) => `${JSON.stringify(id)}: () => import(${JSON.stringify(`./${id}.ts`)})`);
  return `export const routes = ${JSON.stringify(routes)}; export const handlers = { ${handlers.join(', ')} };`;
};

/** Fills the bundle of the front with the endpoints that it answers, without what only the API may do. */
export const builtReads: Plugin = {
  name: 'built-reads',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: standInNames }, ({ path, resolveDir, importer }) => {
      const standIn = standIns[relative(root, resolve(resolveDir, path))];
      // They use what they stand for.
      if (standIn === undefined || dirname(importer) === front) return undefined;
      return { path: join(front, standIn), sideEffects: false };
    });
    onLoad({ filter: /\/functions\/read-handlers\.ts$/ }, ({ path }) => ({
      contents: handlersSource(),
      loader: 'js',
      resolveDir: dirname(path),
    }));
  },
};
