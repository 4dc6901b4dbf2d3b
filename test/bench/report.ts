import { cpus, loadavg } from 'node:os';

/** One line of the table. */
export interface Figure {
  readonly row: string;
  readonly against: string;
  readonly goal: string;
  readonly figure: string;
  readonly met: boolean | 'not measured' | 'for comparison';
}

const verdict = (met: Figure['met']): string => (typeof met === 'string' ? met : met ? 'met' : 'NOT MET');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const columns = ['row', 'measured against', 'goal', 'figure', ''] as const;

/** The table, as Markdown. */
export const tableOf = (figures: readonly Figure[]): string =>
  [
    columns,
    columns.map(() => '---'),
    ...figures.map(({ row, against, goal, figure, met }) => [row, against, goal, figure, verdict(met)]),
  ]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n');

/** The load average of the machine as it is now. */
export const loadNow = (): string =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(' ');

/** The conditions of the run: date, machine, versions, load. */
export const conditions = (versions: Readonly<Record<string, string>>, loads: readonly string[]): string =>
  [
    new Date().toISOString().slice(0, 16).replace('T', ' '),
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`,
    `Node ${process.versions.node}`,
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
    `load average ${loads.join(' at the start, ')} at the end`,
  ].join(' · ');

const ordered = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

/** The value that exceeds this share of the values. */
export const percentile = (values: readonly number[], share: number): number =>
  ordered(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** `2.41 ×`. */
export const times = (ratio: number): string => `${ratio >= 20 ? ratio.toFixed(0) : ratio.toFixed(2)} ×`;

const roundsMin = 3;

/**
 * Runs the contestants in turns, once per round and in changing order: if the machine is slow for a while, it is slow
 * for all of them. A slow machine makes fewer rounds.
 */
export const inTurns = async <Name extends string, Value>(
  rounds: number,
  contestants: Readonly<Record<Name, (round: number) => Promise<Value>>>,
  secondsMax: number,
): Promise<Readonly<Record<Name, Value[]>>> => {
  const names = Object.keys(contestants) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  const end = performance.now() + secondsMax * 1000;
  for (let round = 0; round < rounds && (round < roundsMin || performance.now() < end); round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) values[name].push(await contestants[name](round));
  return values;
};
