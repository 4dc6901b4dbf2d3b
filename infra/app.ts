import { App, type AppProps } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };
import { settingsOfAccess } from './access-memory.ts';
import { buildBundles, bundleOf } from './api/bundles.ts';
import { readSettings, SettingsError, settingsOfReads, settingsOfRelease, settingsOfUploads } from './settings.ts';
import { StockroomStack } from './stack.ts';

/** The app with the stack that its context asks for. `build` makes the bundles, once the settings are known to be right. */
export const createApp = async (build: () => Promise<void>, { context, ...props }: AppProps = {}): Promise<App> => {
  // The CDK CLI passes the context of cdk.json itself; with this, `node infra/app.ts` alone synthesises the same.
  const app = new App({ ...props, context: { ...cdkJson.context, ...context } });
  const stage: unknown = app.node.tryGetContext('stage') ?? 'dev';
  const ofStage = settingsOfAccess(readSettings(app.node.tryGetContext('stages'), stage));
  const ofRelease = settingsOfRelease(ofStage, app.node.tryGetContext('release'));
  const ofUploads = settingsOfUploads(ofRelease, app.node.tryGetContext('uploads'));
  const settings = settingsOfReads(ofUploads, app.node.tryGetContext('reads'), String(stage));
  await build();
  new StockroomStack(app, `Stockroom-${String(stage)}`, { settings, bundleOf });
  return app;
};

if (import.meta.main) {
  // To the process that started this one, if that listens: `npm start` shows it.
  const say = (step: string): void => void process.send?.(step);
  try {
    const app = await createApp(async () => {
      say('Building the functions…');
      await buildBundles();
      say('Making the stack of them…');
    });
    say('Writing the templates…');
    app.synth();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
