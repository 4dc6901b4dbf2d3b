import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Resource } from './template.ts';

/** A function that EventBridge calls at a fixed rate. */
export interface Schedule {
  readonly ruleArn: string;
  readonly functionArn: string;
  readonly everyMilliseconds: number;
  /** What it sends in place of the event of the schedule. */
  readonly input?: object | undefined;
}

export const hourMilliseconds = 3_600_000;

const milliseconds: Readonly<Record<string, number>> = { minute: 60_000, hour: hourMilliseconds, day: 86_400_000 };

/** The schedules of the stack's EventBridge rules. */
export const schedulesOf = (rules: readonly Resource[]): Schedule[] =>
  rules.flatMap(({ arn, properties }) => {
    const { ScheduleExpression, State, Targets } = properties as {
      ScheduleExpression?: string;
      State?: string;
      Targets: { Arn: string; Input?: string }[];
    };
    if (ScheduleExpression === undefined || State === 'DISABLED') return [];
    const everyMilliseconds = rateOf(ScheduleExpression);
    return Targets.map(({ Arn, Input }) => ({
      ruleArn: arn,
      functionArn: Arn,
      everyMilliseconds,
      input: Input === undefined ? undefined : (JSON.parse(Input) as object),
    }));
  });

const rateOf = (expression: string): number => {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const one = milliseconds[unit];
  if (!one) throw new Error(`The local runner does not know the schedule ${expression}: it knows rates.`);
  return Number(count) * one;
};

/** The event that a rule sends. */
export const scheduledEvent = ({ ruleArn, input }: Schedule): object => {
  if (input !== undefined) return input;
  const [, , , region, account] = ruleArn.split(':');
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account,
    time: new Date().toISOString(),
    region,
    resources: [ruleArn],
    detail: {},
  };
};

/** Runs each schedule at once and then at its rate, until the signal. */
export const keep = (
  schedules: readonly Schedule[],
  run: (schedule: Schedule) => Promise<unknown>,
  signal: AbortSignal,
): void => {
  for (const schedule of schedules) void repeat(() => run(schedule), schedule.everyMilliseconds, signal);
};

/** Runs something at once and then at a rate, until the signal; skips a run while the last one still runs. */
export const repeat = async (
  run: () => Promise<unknown>,
  everyMilliseconds: number,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for (;;) {
      await run();
      await pause(everyMilliseconds, undefined, { signal, ref: false });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
