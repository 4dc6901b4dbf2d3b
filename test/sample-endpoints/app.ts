import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { bundle, bundleOf } from '../../infra/api/bundles.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { readSettings } from '../../infra/settings.ts';
import { StockroomStack } from '../../infra/stack.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { sampleEndpoints } from './endpoints.ts';

// The stage dev with the sample endpoints in place of those of the service. Its other functions are built already.
const app = new App({ context: cdkJson.context });
const bundles = `${app.outdir}.bundles`;
const ids = sampleEndpoints.map(({ id }) => id);
await bundle(ids, join('test', 'sample-endpoints'), bundles);
const built = new Map(readAssembly(assemblyDirectory()).functions.map(({ id, directory }) => [id, directory]));
new StockroomStack(app, 'Stockroom-dev', {
  settings: readSettings(cdkJson.context.stages, 'dev'),
  bundleOf: (functionId) => built.get(functionId) ?? bundleOf(functionId, bundles),
  endpoints: sampleEndpoints,
});
app.synth();
await rm(bundles, { recursive: true });
