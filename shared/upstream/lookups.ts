import { type LookupAddress, lookup as lookUp } from 'node:dns';

/** Resolves a name to all of its addresses. */
export type Resolver = (name: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** The resolver of the system. */
export const systemResolver: Resolver = (name, done) => lookUp(name, { all: true }, done);

const namesMax = 1_000;

type Done = Parameters<Resolver>[1];

interface Lookup {
  until: number;
  /** Undefined while the resolver has not answered. */
  addresses: LookupAddress[] | undefined;
  /** Who waits for the answer. */
  readonly waiting: Done[];
}

/**
 * Looks names up, each once for everybody who asks within some seconds: a burst of questions for one name is dropped by many
 * resolvers. A failure is shared with those who wait for it, and not kept.
 */
export class Lookups {
  private readonly resolver: Resolver;
  private readonly keptMilliseconds: number;
  private readonly known = new Map<string, Lookup>();

  constructor(resolver: Resolver, keptMilliseconds: number) {
    this.resolver = resolver;
    this.keptMilliseconds = keptMilliseconds;
  }

  /** Calls back with all addresses of a name. */
  find(name: string, done: Done): void {
    const found = this.known.get(name);
    if (found && found.until > Date.now()) {
      if (found.addresses) process.nextTick(done, null, found.addresses);
      else found.waiting.push(done);
      return;
    }
    const lookup: Lookup = { until: Date.now() + this.keptMilliseconds, addresses: undefined, waiting: [done] };
    this.keep(name, lookup);
    this.resolver(name, (error, addresses) => {
      if (error && this.known.get(name) === lookup) this.known.delete(name);
      lookup.addresses = addresses;
      lookup.until = Date.now() + this.keptMilliseconds;
      for (const each of lookup.waiting.splice(0)) each(error, addresses);
    });
  }

  private keep(name: string, lookup: Lookup): void {
    this.known.delete(name);
    this.known.set(name, lookup);
    const [oldest = name] = this.known.keys();
    if (this.known.size > namesMax) this.known.delete(oldest);
  }
}
