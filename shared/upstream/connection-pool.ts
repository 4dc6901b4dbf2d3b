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
  /** How many origins are known at once. */
  readonly originsMax?: number;
  /** The certificate of an authority that is trusted instead of the public ones. */
  readonly certificateAuthority?: string | undefined;
}

/** Several seconds carry an install that opens many connections; a name that moves is followed soon. */
const usualLookupMilliseconds = 10_000;

/** Clients send at most some 64 requests at once, of which most wait for the table or the store. */
const usualBounds: ConnectionBounds = { socketsMax: 24, handshakesMax: 8, ageMilliseconds: 60_000 };

/** What is dropped here closes its connections when they are too old. */
const usualOriginsMax = 1_000;

/**
 * The connections of this process to all upstreams. A connection serves only the scheme, the host and the port for which it was
 * opened, and goes to addresses that were checked then. It carries no credential: those are headers of each request.
 *
 * It speaks HTTP/1.1 alone. HTTP/2 was measured (BENCHMARKS, real installs) and would take some 2 % of the processor time of a cold
 * installation away. But all requests for an origin would share the end of one connection, whose answers wait for each other's bytes.
 */
export class ConnectionPool {
  readonly allowedPrivate: readonly string[];
  private readonly rules: ConnectionRules;
  private readonly bounds: ConnectionBounds;
  private readonly originsMax: number;
  private readonly origins = new Map<string, OriginConnections>();

  constructor({ allowedPrivate, resolver = systemResolver, certificateAuthority, ...settings }: PoolSettings) {
    const { lookupMilliseconds = usualLookupMilliseconds, originsMax = usualOriginsMax, ...bounds } = settings;
    this.allowedPrivate = allowedPrivate;
    this.rules = { lookups: new Lookups(resolver, lookupMilliseconds), allowedPrivate, certificateAuthority };
    this.originsMax = originsMax;
    this.bounds = { ...usualBounds, ...bounds };
  }

  /** Waits for a connection to the origin of a target. Rejects with an UpstreamError if there is none. */
  async lend(target: Target, wish: Wish): Promise<Lent> {
    const { origin } = target.url;
    const connections = this.origins.get(origin) ?? new OriginConnections(target, this.rules, this.bounds);
    // A Map keeps the order of insertion, so the origin that was used last is the last one.
    this.origins.delete(origin);
    this.origins.set(origin, connections);
    const lent = connections.lend(wish);
    if (this.origins.size <= this.originsMax) return lent;
    // One in use stays, because a second set of connections would exceed its bounds.
    const [unused = ''] = Array.from(this.origins).find(([, each]) => !each.isInUse()) ?? [];
    this.origins.delete(unused);
    return lent;
  }
}
