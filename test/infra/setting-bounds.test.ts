import { readSettings, type Settings } from '../../infra/settings.ts';
import { settingsOf } from './templates.ts';

const dev = settingsOf('dev');
const read = (change: object) => () => readSettings({ dev: { ...dev, ...change } }, 'dev');

/** The least and the greatest value of each number. */
const bounds: Readonly<Record<string, readonly [min: number, max: number]>> = {
  recordRetentionDays: [1, 3_650],
  'throttle.requestsPerSecond': [1, 10_000],
  'throttle.burst': [1, 5_000],
  'table.readUnitsPerSecondMax': [1, 40_000],
  'table.writeUnitsPerSecondMax': [1, 40_000],
  authorizerConcurrency: [1, 1_000],
  fetcherConcurrency: [1, 1_000],
  readsConcurrency: [1, 1_000],
  upstreamConcurrency: [1, 1_000],
  'firewall.requestsPerFiveMinutesPerAddress': [10, 2_000_000_000],
  'firewall.passwordsPerFiveMinutesPerAddress': [10, 2_000_000_000],
  'firewall.signInsPerFiveMinutesPerAddress': [10, 2_000_000_000],
  'firewall.openRequestsPerFiveMinutesPerAddress': [10, 2_000_000_000],
  'firewall.requestsPerFiveMinutesPerCredential': [10, 2_000_000_000],
  'door.instancesMax': [2, 100],
  batchRepositoriesMax: [1, 100],
  unusedTokenDays: [1, 9_999],
};
/** The numbers that are one of some. */
const choices: Readonly<Record<string, readonly number[]>> = {
  logRetentionDays: [
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
  ],
  'door.processorUnits': [256, 512, 1_024],
};
/** The settings of dev with another value at a place such as `throttle.burst`. */
const withValue = (place: string, value: unknown): object => {
  const [name = '', field] = place.split('.');
  return { [name]: field === undefined ? value : { ...(dev[name as keyof Settings] as object), [field]: value } };
};

describe('the settings of a stage', () => {
  it('have a least and a greatest value for every number', () => {
    const numbers = Object.entries({ ...settingsOf('prod'), upstreamConcurrency: 1 }).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).flatMap(([field, inner]) => (typeof inner === 'number' ? [`${name}.${field}`] : []))
        : typeof value === 'number'
          ? [name]
          : [],
    );
    expect(Object.keys({ ...bounds, ...choices }).toSorted()).toEqual(numbers.toSorted());
  });

  it.each(Object.entries(bounds))('take for %s a whole number in its bounds, and no other', (place, [min, max]) => {
    for (const value of [min, max])
      expect([value, read(withValue(place, value))()]).toEqual([value, expect.anything()]);
    for (const value of [0, -1, min - 1, max + 1, min + 0.5, `${min}`])
      expect(read(withValue(place, value))).toThrow(`${place} must be a whole number from ${min} to ${max}`);
  });

  it.each(Object.entries(choices))('take for %s one of some numbers, and no other', (place, values) => {
    for (const value of values) expect([value, read(withValue(place, value))()]).toEqual([value, expect.anything()]);
    for (const value of [0, -1, Math.max(...values) + 1, Math.max(...values) * 2, 9_999, `${values[0]}`])
      expect(read(withValue(place, value))).toThrow(`${place} must be one of ${values.slice(0, 2).join(', ')}`);
  });
});
