import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { endpoints } from '../../functions/endpoints.ts';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { buildDirectory, functionIds } from '../../infra/api/bundles.ts';
import { bundleBounds, bundleKindOf } from '../laws/bundle-bounds.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { functionVariables, type Workbench } from './workbench.ts';

interface Callable {
  readonly callableAt: number;
  readonly importMilliseconds: number;
}

const rounds = 9;

/** The endpoints whose bundles have the KMS client. */
const encrypting = new Set<string>(endpoints.filter(({ encrypts }) => encrypts).map(({ id }) => id));

/** The functions that a build waits for with each package. */
const downloading: readonly string[] = [getNpmDocument.id, getUniversalFile.id];

const startRatioMax = 2.9;
const importRatioMax = 1.35;

/** The functions that serve requests. The other two run while a stack is deployed, and one of them is in prod alone. */
const servingIds = functionIds.filter((id) => id !== 'first-admin' && id !== 'release-check');

const measure = async (workbench: Workbench, file: string): Promise<{ start: number; load: number }> => {
  const { message, startedAt } = await workbench.run(workbench.built('processes/callable'), [file], functionVariables);
  const { callableAt, importMilliseconds } = message as Callable;
  return { start: callableAt - startedAt, load: importMilliseconds };
};

const worst = (ratios: ReadonlyMap<string, number>): { id: string; ratio: number } =>
  Array.from(ratios, ([id, ratio]) => ({ id, ratio })).reduce((most, other) =>
    other.ratio > most.ratio ? other : most,
  );

const ratiosText = (ratios: ReadonlyMap<string, number>): string => {
  const { id, ratio } = worst(ratios);
  return `median of ${ratios.size} bundles ${times(median([...ratios.values()]))}, maximum ${times(ratio)} (${id})`;
};

/** Process start to a handler that can be called: each bundle, an empty handler, one with the document client. */
export const coldStart = async (workbench: Workbench): Promise<Figure[]> => {
  const yardsticks = {
    empty: workbench.built('yardsticks/empty'),
    client: workbench.built('yardsticks/document-client'),
    clients: workbench.built('yardsticks/document-and-key-client'),
  };
  const files = { ...yardsticks, ...Object.fromEntries(servingIds.map((id) => [id, workbench.bundle(id)])) };
  const measured = await inTurns(
    rounds,
    Object.fromEntries(Object.entries(files).map(([id, file]) => [id, () => measure(workbench, file)])),
    60,
  );
  const middle = (id: string, of: 'start' | 'load'): number => median((measured[id] ?? []).map((one) => one[of]));
  const starts = new Map(servingIds.map((id) => [id, middle(id, 'start') / middle('empty', 'start')]));
  const loads = new Map(servingIds.map((id) => [id, middle(id, 'load') / middle('client', 'load')]));
  const plainLoads = new Map([...loads].filter(([id]) => !encrypting.has(id)));
  const bothClients = middle('clients', 'load');
  const encryptingLoads = new Map([...encrypting].map((id) => [id, middle(id, 'load') / bothClients]));
  return [
    {
      row: 'cold start: process start to handler callable',
      against: `an empty handler (${middle('empty', 'start').toFixed(0)} ms)`,
      goal: `≤ ${startRatioMax} × with logger and metrics`,
      figure: ratiosText(starts),
      met: worst(starts).ratio <= startRatioMax,
    },
    {
      row: 'cold start of a download: process start to handler callable',
      against: `an empty handler (${middle('empty', 'start').toFixed(0)} ms)`,
      goal: `≤ ${startRatioMax} ×`,
      figure: downloading.map((id) => `${id} ${times(starts.get(id) ?? Number.NaN)}`).join(', '),
      met: downloading.every((id) => (starts.get(id) ?? Number.NaN) <= startRatioMax),
    },
    {
      row: 'import of a bundle',
      against: `a handler with only the document client (${middle('client', 'load').toFixed(0)} ms)`,
      goal: `≤ ${importRatioMax} ×`,
      figure: ratiosText(loads),
      met: worst(loads).ratio <= importRatioMax,
    },
    {
      row: 'import of a bundle: what limits it',
      against: `a handler with only the document client (${middle('client', 'load').toFixed(0)} ms); one with the KMS client too (${bothClients.toFixed(0)} ms)`,
      goal: 'none: bundles without KMS are compared with the first, bundles with KMS with the second',
      figure: `${ratiosText(plainLoads)}; ${ratiosText(encryptingLoads)}`,
      met: 'for comparison',
    },
    bundleSizes(workbench),
    unwantedInputs(),
  ];
};

const bundleSizes = (workbench: Workbench): Figure => {
  const kinds = Object.entries(bundleBounds).map(([kind, bytesMax]) => {
    const ids = servingIds.filter((id) => bundleKindOf(id) === kind);
    return { kind, bytesMax, largest: Math.max(...ids.map((id) => statSync(workbench.bundle(id)).size)) };
  });
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`;
  return {
    row: 'size of a bundle, minified',
    against: '',
    goal: kinds.map(({ kind, bytesMax }) => `${kind} ≤ ${kilobytes(bytesMax)}`).join(', '),
    figure: kinds.map(({ kind, largest }) => `${kind} at most ${kilobytes(largest)}`).join(', '),
    met: kinds.every(({ bytesMax, largest }) => largest <= bytesMax),
  };
};

const unwantedInputs = (): Figure => {
  const { outputs } = JSON.parse(readFileSync(join(buildDirectory, 'metafile.json'), 'utf8')) as Metafile;
  const bundled = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  const unwanted = new Set(
    bundled.filter((file) => /\/ajv\/dist\/compile\/|credential-provider-(?!env\/)|credential-providers/.test(file)),
  );
  return {
    row: 'schema compiler, credential chain',
    against: 'all metafiles',
    goal: 'in none',
    figure: unwanted.size === 0 ? 'in none' : [...unwanted].join(', '),
    met: unwanted.size === 0,
  };
};
