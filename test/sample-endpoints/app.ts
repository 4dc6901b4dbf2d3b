import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { endpoints } from '../../functions/endpoints.ts';
import { buildBundles, bundleOf } from '../../infra/bundles.ts';
import { readSettings } from '../../infra/settings.ts';
import { StockroomStack } from '../../infra/stack.ts';
import { sampleEndpoints } from './endpoints.ts';

// The stage dev with the sample endpoints beside those of the service: built, synthesised and checked in the same way.
const app = new App({ context: cdkJson.context });
const bundles = `${app.outdir}.bundles`;
const files = sampleEndpoints.map(({ id }) => [id, join('test', 'sample-endpoints', `${id}.ts`)] as const);
await buildBundles(bundles, Object.fromEntries(files));
new StockroomStack(app, 'Stockroom-dev', {
  settings: readSettings(cdkJson.context.stages, 'dev'),
  bundleOf: (functionId) => bundleOf(functionId, bundles),
  endpoints: [...endpoints, ...sampleEndpoints],
});
app.synth();
await rm(bundles, { recursive: true });
