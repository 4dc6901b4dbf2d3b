import type { Assembly } from './assembly.ts';
import { Gateway } from './gateway.ts';
import { type InvokeOptions, Lambda, type Sinks } from './lambda.ts';
import { keep, type Schedule, scheduledEvent } from './schedules.ts';

/** One reading of the assembly while it is served: its functions and the gateway before them. */
export class ServedStack {
  readonly gateway: Gateway;
  private readonly assembly: Assembly;
  private readonly lambdas: ReadonlyMap<string, Lambda>;
  private readonly stopping = new AbortController();

  /** `variablesOf` adds to the variables that the template gives to a function. */
  constructor(assembly: Assembly, variablesOf: (functionId: string) => Readonly<Record<string, string>>, sinks: Sinks) {
    this.assembly = assembly;
    this.lambdas = new Map(
      assembly.functions.map((definition) => [
        definition.arn,
        new Lambda(definition, { ...definition.environment, ...variablesOf(definition.id) }, sinks),
      ]),
    );
    this.gateway = new Gateway(assembly, this.lambdas);
  }

  /** Calls a function, as the console of AWS does. */
  async invoke(functionId: string, event: object, options?: InvokeOptions): Promise<unknown> {
    return this.lambda(this.arnOf(functionId)).invoke(event, options);
  }

  /** Does what EventBridge does when the time of a function has come; says whether that ended well. */
  async runScheduled(functionId: string): Promise<boolean> {
    const schedule = this.assembly.schedules.find(({ functionArn }) => functionArn === this.arnOf(functionId));
    if (!schedule) throw new Error(`No schedule calls ${functionId}.`);
    return this.run(schedule);
  }

  /** Runs the schedules from now on. */
  keepSchedules(): void {
    keep(this.assembly.schedules, (schedule) => this.run(schedule), this.stopping.signal);
  }

  private async run(schedule: Schedule): Promise<boolean> {
    return this.lambda(schedule.functionArn).invokeEvent(scheduledEvent(schedule));
  }

  private arnOf(functionId: string): string {
    return this.assembly.functions.find(({ id }) => id === functionId)?.arn ?? functionId;
  }

  private lambda(arn: string): Lambda {
    const lambda = this.lambdas.get(arn);
    if (!lambda) throw new Error(`The stack has no function ${arn}.`);
    return lambda;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(Array.from(this.lambdas.values(), (lambda) => lambda.stop()));
  }
}
