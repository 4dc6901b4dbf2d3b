import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { BoundedCache } from '../../shared/bounded-cache.ts';
import { config } from '../../shared/config.ts';
import { processPool } from '../../shared/packages/upstream/process-pool.ts';
import { limitsWithin } from '../../shared/upstream/limits.ts';
import { readMetadata } from '../../shared/upstream/read-metadata.ts';
import { UpstreamClient } from '../../shared/upstream/upstream-client.ts';
import { RefusedToken } from './refused-token.ts';

/** The keys of an issuer, to verify a signature with. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** The time for both documents of an issuer together. The whole request has eight seconds. */
const fetchMilliseconds = 3_000;

/** Both documents of GitHub, GitLab, CircleCI and Buildkite have less than 20 kB. */
const documentLimits = { bytesMax: 128 * 1024, ratioMax: 20, ratioFreeBytes: 16 * 1024 };

/** How long keys are used: a key that the issuer withdraws counts for this time. */
const lifetimeMilliseconds = 600_000;

/** The time after a fetch in which no token with an unknown key causes another one, and none is tried after a failure. */
const pauseMilliseconds = 10_000;

const issuersMax = 100;

/** Fetches a document of an issuer. */
export type FetchDocument = (url: string, issuer: string, signal: AbortSignal) => Promise<unknown>;

/** By the rules of upstreams: only public hosts, or those that the operator lists; and no redirects. */
const fetchDocument: FetchDocument = async (url, issuer, signal) => {
  const client = new UpstreamClient({
    url: issuer,
    pool: processPool(),
    version: config.version,
    limits: limitsWithin(fetchMilliseconds),
    redirectsMax: 0,
  });
  const response = await client.request(url, { content: 'metadata', headers: { accept: 'application/json' }, signal });
  if (response.status !== 200) {
    response.body.destroy();
    throw new RefusedToken('issuer', `${response.context.host} answered with the status ${response.status}.`);
  }
  const bytes = await readMetadata(response, documentLimits);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new RefusedToken('issuer', `${response.context.host} did not answer with JSON.`);
  }
};

const fieldOf = (document: unknown, name: string): unknown =>
  typeof document === 'object' && document !== null && Object.hasOwn(document, name)
    ? (document as Record<string, unknown>)[name]
    : undefined;

interface KnownKeys {
  readonly keys: KeySet;
  readonly fetchedAt: number;
  /** When an unknown key last caused a fetch. */
  readonly refreshedAt: number;
}

/** The keys of issuers, found by discovery (OpenID Connect Discovery 1.0) and kept for a while. */
export class IssuerKeys {
  private readonly known = new BoundedCache<KnownKeys>(issuersMax);
  private readonly failures = new BoundedCache<{ readonly error: unknown; readonly at: number }>(issuersMax);
  private readonly pending = new Map<string, Promise<KeySet>>();
  private readonly fetch: FetchDocument;
  private readonly now: () => number;

  constructor(fetch: FetchDocument = fetchDocument, now = Date.now) {
    this.fetch = fetch;
    this.now = now;
  }

  /** The keys of an issuer: fetched once for all requests that wait for them, and then kept. */
  async of(issuer: string): Promise<KeySet> {
    const known = this.known.get(issuer);
    if (known && this.now() - known.fetchedAt < lifetimeMilliseconds) return known.keys;
    return this.fetched(issuer, Number.NEGATIVE_INFINITY);
  }

  /** The keys of an issuer again, because it may have a new one; undefined if they were fetched for this a moment ago. */
  async refreshed(issuer: string): Promise<KeySet | undefined> {
    const known = this.known.get(issuer);
    if (known && this.now() - known.refreshedAt < pauseMilliseconds) return undefined;
    return this.fetched(issuer, this.now());
  }

  private async fetched(issuer: string, refreshedAt: number): Promise<KeySet> {
    const failure = this.failures.get(issuer);
    if (failure && this.now() - failure.at < pauseMilliseconds) throw failure.error;
    const waiting = this.pending.get(issuer) ?? this.fetchKeys(issuer, refreshedAt);
    this.pending.set(issuer, waiting);
    try {
      return await waiting;
    } catch (error) {
      this.failures.set(issuer, { error, at: this.now() });
      throw error;
    } finally {
      this.pending.delete(issuer);
    }
  }

  private async fetchKeys(issuer: string, refreshedAt: number): Promise<KeySet> {
    const signal = AbortSignal.timeout(fetchMilliseconds);
    // A terminating slash is removed, as section 4 of OpenID Connect Discovery 1.0 says.
    const discovery = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const document = await this.fetch(discovery, issuer, signal);
    if (fieldOf(document, 'issuer') !== issuer)
      throw new RefusedToken('issuer', 'The discovery document is that of another issuer.');
    const jwksUri = fieldOf(document, 'jwks_uri');
    if (typeof jwksUri !== 'string') throw new RefusedToken('issuer', 'The discovery document names no keys.');
    const keys = createLocalJWKSet((await this.fetch(jwksUri, issuer, signal)) as JSONWebKeySet);
    this.known.set(issuer, { keys, fetchedAt: this.now(), refreshedAt });
    return keys;
  }
}
