import type { Assembly } from './assembly.ts';
import { Gateway } from './gateway.ts';
import { Lambda, type LogSink } from './lambda.ts';

/** One reading of the assembly while it is served: its functions and the gateway before them. */
export class ServedStack {
  readonly gateway: Gateway;
  private readonly lambdas: ReadonlyMap<string, Lambda>;

  /** `variablesOf` adds to the variables that the template gives to a function. */
  constructor(
    assembly: Assembly,
    variablesOf: (functionId: string) => Readonly<Record<string, string>>,
    logSink: LogSink,
  ) {
    this.lambdas = new Map(
      assembly.functions.map((definition) => [
        definition.arn,
        new Lambda(definition, { ...definition.environment, ...variablesOf(definition.id) }, logSink),
      ]),
    );
    this.gateway = new Gateway(assembly, this.lambdas);
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.lambdas.values(), (lambda) => lambda.stop()));
  }
}
