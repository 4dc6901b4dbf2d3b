import { TestEnvironment } from 'jest-environment-node';
import type { ServiceKeeper } from './service-keeper.ts';

let keeper: ServiceKeeper | undefined;

/**
 * Jest gives each suite modules of its own, and takes them away at its end. This one is loaded once in each process of
 * jest, so what it holds outlives the suites: services, with functions that are warm.
 */
export default class extends TestEnvironment {
  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    super(...options);
    this.global.serviceKeeper = async () => {
      const { ServiceKeeper } = await import('./service-keeper.ts');
      keeper ??= new ServiceKeeper();
      return keeper;
    };
  }

  override async setup(): Promise<void> {
    await super.setup();
    keeper?.beginSuite();
  }

  override async teardown(): Promise<void> {
    keeper?.endSuite();
    await super.teardown();
  }
}
