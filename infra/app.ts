import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };
import { buildBundles, bundleOf } from './bundles.ts';
import { readSettings, SettingsError, settingsOfRelease, settingsOfUploads } from './settings.ts';
import { StockroomStack } from './stack.ts';

// The CDK CLI passes the context of cdk.json itself; with this, `node infra/app.ts` alone synthesises the same.
const app = new App({ context: cdkJson.context });
try {
  const stage: unknown = app.node.tryGetContext('stage') ?? 'dev';
  const ofStage = readSettings(app.node.tryGetContext('stages'), stage);
  const ofRelease = settingsOfRelease(ofStage, app.node.tryGetContext('release'));
  const settings = settingsOfUploads(ofRelease, app.node.tryGetContext('uploads'));
  await buildBundles();
  new StockroomStack(app, `Stockroom-${String(stage)}`, { settings, bundleOf });
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
