import type { Assembly } from './assembly.ts';
import { FunctionThreads } from './function-threads.ts';
import { Gateway } from './gateway.ts';
import { type InvokeOptions, Lambda, type Sinks } from './lambda.ts';
import { keep, type Schedule, scheduledEvent } from './schedules.ts';

/** The functions of one reading of the assembly, and the gateway in front of them. */
export class ServedStack {
  readonly gateway: Gateway;
  private readonly assembly: Assembly;
  private readonly lambdas: ReadonlyMap<string, Lambda>;
  private readonly threads = new FunctionThreads();
  private readonly stopping = new AbortController();

  /** `variablesOf` returns environment variables of a function; they override those of the template. */
  constructor(assembly: Assembly, variablesOf: (functionId: string) => Readonly<Record<string, string>>, sinks: Sinks) {
    this.assembly = assembly;
    this.lambdas = new Map(
      assembly.functions.map((definition) => [
        definition.arn,
        new Lambda(definition, { ...definition.environment, ...variablesOf(definition.id) }, sinks, this.threads),
      ]),
    );
    this.gateway = new Gateway(assembly, this.lambdas);
  }

  /** What answers at a URL of its own. */
  front(): Lambda {
    return this.lambda(this.assembly.front ?? 'front');
  }

  /** Calls a function directly, as the AWS console does. */
  async invoke(functionId: string, event: object, options?: InvokeOptions): Promise<unknown> {
    return this.lambda(this.arnOf(functionId)).invoke(event, options);
  }

  /** Lets a function run for a sender that does not wait; undefined when the stack has no function of this name. */
  invokeEvent(functionName: string, event: object): Promise<boolean> | undefined {
    const arn = this.assembly.functions.find(({ name }) => name === functionName)?.arn;
    return arn === undefined ? undefined : this.lambda(arn).invokeEvent(event);
  }

  /** Calls a scheduled function as EventBridge does; returns whether it succeeded. */
  async runScheduled(functionId: string): Promise<boolean> {
    const schedule = this.assembly.schedules.find(({ functionArn }) => functionArn === this.arnOf(functionId));
    if (!schedule) throw new Error(`No schedule calls ${functionId}.`);
    return this.run(schedule);
  }

  /** Whether no function is at work. */
  isIdle(): boolean {
    return Array.from(this.lambdas.values()).every((lambda) => lambda.isIdle);
  }

  /** Starts the schedules. */
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
    await this.threads.stop();
  }
}
