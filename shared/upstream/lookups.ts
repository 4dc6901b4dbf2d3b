import { type LookupAddress, lookup as lookUp } from 'node:dns';

/** Resolves a name to all of its addresses. */
export type Resolver = (name: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** The resolver of the system. */
export const systemResolver: Resolver = (name, done) => lookUp(name, { all: true }, done);

const namesMax = 1_000;

interface Lookup {
  readonly addresses: Promise<LookupAddress[]>;
  readonly until: number;
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

  async addressesOf(name: string): Promise<LookupAddress[]> {
    const found = this.known.get(name);
    if (found && found.until > Date.now()) return found.addresses;
    const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>();
    this.known.delete(name);
    this.known.set(name, { addresses: promise, until: Date.now() + this.keptMilliseconds });
    const [oldest = name] = this.known.keys();
    if (this.known.size > namesMax) this.known.delete(oldest);
    this.resolver(name, (error, addresses) => {
      if (!error) return resolve(addresses);
      this.known.delete(name);
      reject(error);
    });
    return promise;
  }
}
