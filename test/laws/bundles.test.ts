import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { endpoints, isPackageRead } from '../../functions/endpoints.ts';
import { standIns } from '../../infra/api/bundles.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { errorKinds } from '../../shared/error-kinds.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { bundleBounds, bundleKindOf, onlyReading } from './bundle-bounds.ts';

const otherFunctionIds = [
  'authorizer',
  'fetcher',
  'verifier',
  'importer',
  'sweeper',
  'first-admin',
  'release-check',
  'package-reads',
  'door',
];

const metafile = JSON.parse(readFileSync(join(assemblyDirectory(), 'metafile.json'), 'utf8')) as Metafile;

const bundles = Object.entries(metafile.outputs)
  .filter(([file]) => file.endsWith('.js'))
  .map(([file, { bytes, inputs, imports }]) => {
    const id = file.replace(/^build\//, '').replace(/\/index\.js$/, '');
    return { id, bytes, inputs, imports };
  });

/** Packages whose code may be in a bundle although a handler never needs more than the environment's credentials. */
const environmentCredentials = /(?:^|\/)node_modules\/@aws-sdk\/credential-provider-env\//;

describe('the bundles', () => {
  it('are one for each endpoint, the authorizer, the fetcher, the verifier, the importer, the sweeper, the first admin, the release check, the front for reads and the door', () => {
    const ids = [...otherFunctionIds, ...endpoints.map(({ id }) => id)];
    expect(bundles.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  it.each(bundles.map((bundle) => ({ ...bundle, kind: bundleKindOf(bundle.id) })))(
    '$id is at most as large as its kind allows: $kind',
    ({ kind, bytes }) => {
      expect(bytes).toBeLessThanOrEqual(bundleBounds[kind]);
    },
  );

  it.each(readAssembly(assemblyDirectory()).functions)('$id holds no text that only the reference shows', (built) => {
    const code = readFileSync(join(built.directory, 'index.js'), 'utf8');
    const texts = Object.values(errorKinds).map(({ advice }) => JSON.stringify(advice).slice(1, -1));
    expect(texts.filter((text) => code.includes(text))).toEqual([]);
  });

  it.each(bundles)('$id holds no compiler of schemas, no credential chain and no event streams', ({ inputs }) => {
    const unwanted = Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([file]) => file)
      .filter((file) =>
        /\/ajv\/|credential-provider|\/(?:sso|signin|sts|token)[^/]*\/.*provider|xray|submodules\/event-streams/i.test(
          file,
        ),
      )
      .filter((file) => !/\/ajv\/dist\/runtime\//.test(file) && !environmentCredentials.test(file));
    expect(unwanted).toEqual([]);
  });

  it.each(bundles.filter(({ id }) => onlyReading.has(id) || id === 'package-reads'))(
    '$id holds nothing of the SDK, because it only reads',
    ({ inputs }) => {
      const sdk = Object.entries(inputs).filter(([file]) => file.includes('/@aws-sdk/'));
      expect(sdk.filter(([, { bytesInOutput }]) => bytesInOutput > 0)).toEqual([]);
    },
  );

  it('hold in the front for reads nothing that writes, asks upstreams, decrypts or lets functions run', () => {
    const front = bundles.find(({ id }) => id === 'package-reads');
    const unwanted =
      /^shared\/(?:table\/(?:client|transaction|dynamodb-client)|upstream\/(?:upstream-client|connection-pool|exchange)|packages\/upstream\/(?:upstream-clients|process-pool)|kms|encryption)\.ts$/;
    const held = Object.entries(front?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    expect(held.map(([file]) => file).filter((file) => unwanted.test(file))).toEqual([]);
    expect(held.map(([file]) => file)).toContain('shared/front/table.ts');
  });

  it.each(bundles)('$id looks for no profile in the home directory', ({ inputs, imports }) => {
    expect(Object.keys(inputs).filter((file) => /shared-ini-file-loader\/(?:readFile|parseIni)/.test(file))).toEqual(
      [],
    );
    expect(imports.map(({ path }) => path)).not.toContain('node:fs/promises');
  });

  it.each(Object.keys(standIns))('hold the stand-in for %s and never the original', (name) => {
    const modules = bundles.flatMap(({ inputs }) => Object.keys(inputs));
    expect(modules).toContain(`slim-sdk:${name}`);
    expect(modules.filter((file) => file.startsWith('node_modules/') && file.includes(`/${name}`))).toEqual([]);
  });

  it.each(bundles)('$id holds nothing of what runs in browsers', ({ inputs }) => {
    const ofBrowsers = /^functions\/(?:console\/app\/|\w+\/lines\.ts$)|node_modules\/(?:preact|mdast|micromark)/;
    expect(Object.keys(inputs).filter((file) => ofBrowsers.test(file))).toEqual([]);
  });

  it.each(bundles)('$id holds nothing of the document', ({ inputs }) => {
    expect(Object.keys(inputs).filter((file) => file.startsWith('shared/openapi/'))).toEqual([]);
  });

  it.each(bundles)('$id holds the use case of no other endpoint and nothing of infra', ({ id, inputs }) => {
    const handlers = new Set(endpoints.map((endpoint) => `functions/${endpoint.id}.ts`));
    const foreign = Object.keys(inputs).filter((file) => file.startsWith('infra/') || handlers.has(file));
    // The front for reads has those of all reads of packages.
    const reads = endpoints.filter(isPackageRead).map((endpoint) => `functions/${endpoint.id}.ts`);
    const own = otherFunctionIds.includes(id) ? [] : [`functions/${id}.ts`];
    expect(foreign.toSorted()).toEqual(id === 'package-reads' ? reads.toSorted() : own);
  });

  it('need nothing at run time that is not in them but Node itself', () => {
    const external = new Set(bundles.flatMap(({ imports }) => imports.map(({ path }) => path)));
    expect([...external].filter((path) => !/^(?:node:)?[a-z0-9_/]+$/.test(path))).toEqual([]);
  });
});
