import { type RecordedRelease, releases } from './released-rights.ts';
import { type Settings, SettingsError } from './settings.ts';

/**
 * The settings, unless processes would remember what callers may do beside a release that does not count access versions: what it revokes
 * would be unseen. A deployment runs beside the release before it, and may go back to it.
 */
export const settingsOfAccess = (
  ofStage: Settings,
  before: readonly Pick<RecordedRelease, 'countsAccess'>[] = releases,
): Settings => {
  if (!ofStage.remembersAccess || before.every(({ countsAccess }) => countsAccess)) return ofStage;
  throw new SettingsError(
    'cdk.json: remembersAccess is true, and the release before this one does not count access versions. Set it to false until the next one.',
  );
};
