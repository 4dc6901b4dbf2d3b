import { about, type Pin } from './pin.ts';
import { dataPins } from './pins-data.ts';
import { edgePins, refusalPins } from './pins-edge.ts';
import { eventPins } from './pins-events.ts';
import { firewallPins } from './pins-firewall.ts';
import { functionPins, rightsPins } from './pins-functions.ts';
import { releasePins } from './pins-releases.ts';
import { watchPins } from './pins-watching.ts';

/** The promises about each template, by the stage whose settings make it. */
export const pins: Readonly<Record<'dev' | 'prod', readonly Pin[]>> = {
  dev: [
    ...dataPins({ readUnits: 2_000, writeUnits: 1_000, policy: 'Delete', secrets: 1 }),
    ...functionPins('Stockroom-dev', { hasCanaries: false }),
    ...rightsPins(false),
    ...releasePins(false),
    ...edgePins({ name: 'Stockroom-dev', functions: 5, rate: 100, burst: 200, logDays: 7, policy: 'Delete' }),
    ...refusalPins,
    ...watchPins({ name: 'Stockroom-dev', email: undefined, hasCanaries: false }),
    ...eventPins('Stockroom-dev'),
    ...about('AWS::WAFv2::WebACL', { 'there is no firewall': 0 }),
  ],
  prod: [
    ...dataPins({ readUnits: 10_000, writeUnits: 4_000, policy: 'Retain', secrets: 2 }),
    ...functionPins('Stockroom-prod', { authorizer: 100, fetcher: 50, hasCanaries: true }),
    ...rightsPins(true),
    ...releasePins(true),
    ...edgePins({ name: 'Stockroom-prod', functions: 6, rate: 500, burst: 1_000, logDays: 90, policy: 'Retain' }),
    ...refusalPins,
    ...watchPins({ name: 'Stockroom-prod', email: 'alarms@example.com', hasCanaries: true }),
    ...eventPins('Stockroom-prod'),
    ...firewallPins,
  ],
};
