import { about, type Pin } from './pin.ts';
import { dataPins } from './pins-data.ts';
import { edgePins, refusalPins } from './pins-edge.ts';
import { eventPins } from './pins-events.ts';
import { firewallPins } from './pins-firewall.ts';
import { functionPins, rightsPins } from './pins-functions.ts';
import { releasePins } from './pins-releases.ts';
import { sweepPins } from './pins-sweeps.ts';
import { watchPins } from './pins-watching.ts';
import { alarmEmail, type StageName, settingsOf } from './templates.ts';

/** The promises about the template that the settings of a stage make. */
const pinsOf = (stage: StageName): readonly Pin[] => {
  const settings = settingsOf(stage);
  const { table, throttle, canary, keepsData, logRetentionDays, authorizerConcurrency, fetcherConcurrency } = settings;
  const name = `Stockroom-${stage}`;
  const policy = keepsData ? 'Retain' : 'Delete';
  return [
    ...dataPins({
      readUnits: table.readUnitsPerSecondMax,
      writeUnits: table.writeUnitsPerSecondMax,
      policy,
      // That of the first admin, and that of the check of a release.
      secrets: canary ? 2 : 1,
    }),
    ...functionPins(name, {
      ...(authorizerConcurrency !== null && { authorizer: authorizerConcurrency }),
      ...(fetcherConcurrency !== null && { fetcher: fetcherConcurrency }),
      hasCanaries: canary,
    }),
    ...rightsPins(canary),
    ...releasePins(canary),
    ...edgePins({
      name,
      functions: canary ? 7 : 6,
      rate: throttle.requestsPerSecond,
      burst: throttle.burst,
      logDays: logRetentionDays,
      policy,
    }),
    ...refusalPins,
    ...watchPins({ name, email: stage === 'prod' ? alarmEmail : undefined, hasCanaries: canary }),
    ...sweepPins,
    ...eventPins(name),
    ...(settings.firewall.enabled
      ? firewallPins(settings.firewall)
      : about('AWS::WAFv2::WebACL', { 'there is no firewall': 0 })),
  ];
};

/** The promises about each template, by the stage whose settings make it. */
export const pins: Readonly<Record<StageName, readonly Pin[]>> = { dev: pinsOf('dev'), prod: pinsOf('prod') };
