import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };
import { buildBundles } from './bundles.ts';
import { StockroomStack } from './stack.ts';

await buildBundles();

// The CDK CLI hands the context of cdk.json over itself; given here too, `node infra/app.ts` synthesises the same.
const app = new App({ context: cdkJson.context });
new StockroomStack(app, 'Stockroom');
app.synth();
