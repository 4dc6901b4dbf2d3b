import { median } from '../bench/report.ts';
import { judge } from './bounds.ts';
import type { Client } from './client.ts';
import type { ServedRound } from './measuring.ts';
import { megabytes } from './process-tree.ts';
import { type Installation, succeeded } from './running.ts';

/** All rounds of one client. */
export interface Measured {
  readonly client: Client;
  readonly direct: readonly Installation[];
  readonly stockroom: readonly ServedRound[];
  readonly peer: readonly ServedRound[];
}

const middle = <Value>(values: readonly Value[], of: (value: Value) => number, digits = 1): string =>
  values.length === 0 ? '–' : median(values.map(of)).toFixed(digits);

const secondsOf = (installations: readonly Installation[]): string =>
  middle(succeeded(installations), ({ seconds }) => seconds);

const both = (rounds: readonly ServedRound[], of: (rounds: readonly ServedRound[], which: 'cold' | 'warm') => string) =>
  `${of(rounds, 'cold')} / ${of(rounds, 'warm')}`;

const times = (rounds: readonly ServedRound[]): string =>
  both(rounds, (all, which) => secondsOf(all.map((round) => round[which])));

const processorTimes = (rounds: readonly ServedRound[]): string =>
  both(rounds, (all, which) => middle(all, (round) => round[which].processorSeconds));

const memory = (rounds: readonly ServedRound[]): string =>
  rounds.length === 0
    ? '–'
    : [rounds.map(({ peakBytes }) => peakBytes), rounds.map(({ finalBytes }) => finalBytes)]
        .map((values) => (Math.max(...values) / megabytes).toFixed(0))
        .join(' / ');

const installationsOf = (rounds: readonly ServedRound[]): Installation[] =>
  rounds.flatMap(({ cold, warm }) => [cold, warm]);

/** How many installations failed, of how many. */
const failures = (installations: readonly Installation[]): string =>
  installations.length === 0
    ? '–'
    : `${installations.length - succeeded(installations).length} of ${installations.length}`;

const failedAnswers = (rounds: readonly ServedRound[]): number =>
  rounds.reduce((sum, round) => sum + round.failedAnswers, 0);

const columns = [
  'install',
  'packages',
  'direct s',
  'peer cold / warm s',
  'Stockroom cold / warm s',
  'failed: direct, peer, Stockroom',
  '5xx: peer, Stockroom',
  'CPU s of the peer, cold / warm',
  'CPU s of Stockroom, cold / warm',
  'MB of the peer, peak / end',
  'MB of Stockroom, peak / end',
];

const rowOf = ({ client, direct, stockroom, peer }: Measured): string[] => [
  client.name,
  middle(succeeded([...direct, ...installationsOf(stockroom)]), ({ packages }) => packages, 0),
  secondsOf(direct),
  client.peer === undefined ? '–' : `${times(peer)} (${client.peer})`,
  times(stockroom),
  [direct, installationsOf(peer), installationsOf(stockroom)].map(failures).join(', '),
  `${failedAnswers(peer)}, ${failedAnswers(stockroom)}`,
  processorTimes(peer),
  processorTimes(stockroom),
  memory(peer),
  memory(stockroom),
];

/** The table, as Markdown: medians of the rounds that succeeded, and the maximum of the memory. */
export const tableOf = (measured: readonly Measured[]): string =>
  [columns, columns.map(() => '---'), ...measured.map(rowOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The bounds of all clients that were measured, and whether they hold. */
export const verdictsOf = (measured: readonly Measured[]): string =>
  measured
    .flatMap(judge)
    .map(({ sentence }) => sentence)
    .join('\n');

/**
 * What is wrong with the installations of a client: a failed one, a failed answer, fewer packages than without a service, or a bound
 * that does not hold.
 */
export const faultsOf = (measured: Measured): string[] => {
  const { client, direct, stockroom } = measured;
  const made = [...direct, ...installationsOf(stockroom)];
  const failed = made.length - succeeded(made).length;
  const answers = failedAnswers(stockroom);
  const counts = new Set(succeeded(made).map(({ packages }) => packages));
  return [
    ...(failed > 0 ? [`${client.name}: ${failed} of ${made.length} installations failed.`] : []),
    ...(answers > 0 ? [`${client.name}: Stockroom gave ${answers} answers of 5xx.`] : []),
    ...(counts.size > 1
      ? [`${client.name}: not each installation had as many packages: ${[...counts].join(', ')}.`]
      : []),
    ...(counts.has(0) ? [`${client.name}: an installation left no package.`] : []),
    ...judge(measured)
      .filter(({ holds }) => !holds)
      .map(({ sentence }) => sentence),
  ];
};
