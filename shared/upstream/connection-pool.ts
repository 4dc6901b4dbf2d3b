import type { ConnectionRules } from './connection.ts';
import { Lookups, type Resolver, systemResolver } from './lookups.ts';
import { type ConnectionBounds, type Lent, OriginConnections, type Wish } from './origin-connections.ts';
import type { Target } from './target.ts';

/** The settings of a pool. */
export interface PoolSettings extends Partial<ConnectionBounds> {
  /** The operator's list of hosts, addresses and CIDR ranges that may be reached although they are not public. */
  readonly allowedPrivate: readonly string[];
  readonly resolver?: Resolver | undefined;
  /** How long the addresses of a name are kept. */
  readonly lookupMilliseconds?: number;
  /** The certificate of an authority that is trusted instead of the public ones. */
  readonly certificateAuthority?: string | undefined;
}

/** Several seconds carry an install that opens many connections; a name that moves is followed soon. */
const usualLookupMilliseconds = 10_000;

/** Clients send at most some 64 requests at once, of which most wait for the table or the store. */
const usualBounds: ConnectionBounds = { socketsMax: 24, handshakesMax: 8, ageMilliseconds: 60_000 };

/** What is dropped here closes its connections when they are too old. */
const originsMax = 1_000;

/**
 * The connections of this process to all upstreams. A connection serves only the scheme, the host and the port for which it was
 * opened, and goes to addresses that were checked then. It carries no credential: those are headers of each request.
 */
export class ConnectionPool {
  readonly allowedPrivate: readonly string[];
  private readonly rules: ConnectionRules;
  private readonly bounds: ConnectionBounds;
  private readonly origins = new Map<string, OriginConnections>();

  constructor({ allowedPrivate, resolver = systemResolver, certificateAuthority, ...settings }: PoolSettings) {
    const { lookupMilliseconds = usualLookupMilliseconds, ...bounds } = settings;
    this.allowedPrivate = allowedPrivate;
    this.rules = { lookups: new Lookups(resolver, lookupMilliseconds), allowedPrivate, certificateAuthority };
    this.bounds = { ...usualBounds, ...bounds };
  }

  /** Waits for a connection to the origin of a target. Rejects with an UpstreamError if there is none. */
  async lend(target: Target, wish: Wish): Promise<Lent> {
    const { origin } = target.url;
    const known = this.origins.get(origin);
    if (known) return known.lend(wish);
    const connections = new OriginConnections(target, this.rules, this.bounds);
    this.origins.set(origin, connections);
    const [oldest = origin] = this.origins.keys();
    if (this.origins.size > originsMax) this.origins.delete(oldest);
    return connections.lend(wish);
  }
}
