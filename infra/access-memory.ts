import released from './released-rights.json' with { type: 'json' };
import { type Settings, SettingsError } from './settings.ts';

/**
 * The settings, unless processes would remember what callers may do beside a release that does not count access versions: what it revokes
 * would be unseen. A deployment runs beside the last release, and may go back to it.
 */
export const settingsOfAccess = (ofStage: Settings, lastRelease: object = released): Settings => {
  if (!ofStage.remembersAccess || 'countsAccess' in lastRelease) return ofStage;
  throw new SettingsError(
    'cdk.json: remembersAccess is true, and the last release does not count access versions. Set it to false until the next one.',
  );
};
