import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionPool } from './connection-pool.ts';
import { discard } from './discard.ts';
import { exchange, type Hop } from './exchange.ts';
import type { Limits } from './limits.ts';
import { bearerIn, LoginToken } from './login-tokens.ts';
import { isPublicHost } from './public-hosts.ts';
import { readMetadata } from './read-metadata.ts';
import { addTokenQuery, challengeIn, RegistryTokens, type TokenChallenge, tokenIn } from './registry-tokens.ts';
import { type Target, type TargetRules, targetOf } from './target.ts';
import { isRealmOf } from './token-realms.ts';
import { UpstreamError } from './upstream-error.ts';
import { type Ask, responseOf, type UpstreamResponse } from './upstream-response.ts';

/** The credentials of a remote repository for its upstream: those of Basic, or a token that is the whole header. */
export type UpstreamCredentials = { readonly username: string; readonly password: string } | { readonly token: string };

/** The settings of a client of one remote repository. */
export interface Upstream {
  /** The URL of the remote repository. The credentials are sent only to its origin, and its port is permitted. */
  readonly url: string;
  /** Called when the first request needs the credentials, because decrypting costs a call. */
  readonly credentials?: () => Promise<UpstreamCredentials | undefined>;
  /** The connections of this process, and what they may reach. */
  readonly pool: ConnectionPool;
  /** The release of this service, for the User-Agent. */
  readonly version: string;
  /** The header Via of the next request. */
  readonly via?: () => string;
  readonly limits: Limits;
  /** The maximum number of redirects that one request follows; five by default. */
  readonly redirectsMax?: number;
  /** Set if the upstream may require a token, as registries of images do. */
  readonly takesTokens?: boolean;
  /** Where the upstream gives a token for the credentials, which all other requests then bring instead. */
  readonly loginUrl?: string | undefined;
}

/** The usual pause before a request is repeated. */
const repetitionMilliseconds = 200;

const foreignRealm =
  'wants the credentials of this repository to be sent to a host that is not of its domain, or not over TLS';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const defined = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** The token in an answer. Throws an UpstreamError if there is none. */
const tokenOf = async <T>(
  response: UpstreamResponse,
  find: (sent: Buffer) => T | undefined,
  problem: string,
): Promise<T> => {
  const token = response.status === 200 ? find(await readMetadata(response)) : undefined;
  if (!token) throw new UpstreamError('status', response.context, problem);
  return token;
};

/**
 * Fetches from the upstream of a remote repository. It checks every address at the time of the connection: the addresses
 * of a host can change after the repository was created, and the index and the redirects of an upstream can name any
 * host.
 */
export class UpstreamClient {
  private readonly upstream: Upstream;
  private readonly rules: TargetRules;
  private authorization: Promise<string | undefined> | undefined;
  private readonly tokens = new RegistryTokens();
  private readonly login = new LoginToken();

  constructor(upstream: Upstream) {
    const { url, pool } = upstream;
    this.upstream = upstream;
    this.rules = { configured: new URL(url), allowedPrivate: pool.allowedPrivate };
  }

  /**
   * Requests an absolute URL and follows redirects up to the maximum. Any status is an answer. If there is no answer, it
   * throws an UpstreamError.
   */
  async request(address: string, ask: Ask): Promise<UpstreamResponse> {
    let target = targetOf(address, { url: this.rules.configured }, this.rules);
    const { redirectsMax = 5 } = this.upstream;
    let isAtHome = true;
    for (let redirects = 0; ; redirects += 1) {
      // A redirect to another origin drops the credential, and a redirect back does not attach it again.
      isAtHome &&= target.url.origin === this.rules.configured.origin;
      const message = await this.sendWithToken(target, ask, isAtHome);
      const { statusCode: status = 0, headers } = message;
      if (!redirectStatuses.has(status) || headers.location === undefined) return this.responseOf(message, target, ask);
      discard(message);
      const { url } = target;
      // Node reads headers as Latin-1; servers that do not escape send UTF-8.
      const location = Buffer.from(headers.location, 'latin1').toString();
      if (redirects === redirectsMax || ask.sent)
        throw new UpstreamError(
          'protocol',
          { host: this.shownHost(target), status },
          `redirects after ${redirects} redirects`,
        );
      target = targetOf(location, { url, status, shownHost: this.shownHost(target) }, this.rules);
    }
  }

  /** Sends a request, and once more with a token if the upstream requires one. */
  private async sendWithToken(target: Target, ask: Ask, isAtHome: boolean): Promise<IncomingMessage> {
    const { takesTokens, loginUrl } = this.upstream;
    const credential = isAtHome && (await this.credential());
    if (credential && loginUrl !== undefined)
      return this.login.send(
        async () => this.logIn(loginUrl, credential, ask),
        async (authorization) => this.send(target, ask, authorization),
      );
    if (!isAtHome || !takesTokens) return this.send(target, ask, credential);
    const known = this.tokens.find(target.url);
    const message = await this.send(target, ask, known ?? credential);
    const challenge = message.statusCode === 401 ? challengeIn(message.headers['www-authenticate']) : undefined;
    if (!challenge) return message;
    discard(message);
    return this.sendWithNewToken(target, challenge, ask);
  }

  /** Exchanges the credentials for a token. */
  private async logIn(url: string, credential: string, { signal }: Ask): Promise<string> {
    const target = targetOf(url, { url: this.rules.configured }, this.rules);
    const ask: Ask = { content: 'metadata', signal };
    const response = this.responseOf(await this.send(target, ask, credential), target, ask);
    return tokenOf(response, bearerIn, 'gave no token for the credentials');
  }

  /**
   * Asks for a token at the address that the upstream named, with the credentials if there are any, and sends a request with it. A 429 of
   * that address is one of the upstream.
   */
  private async sendWithNewToken(wanted: Target, challenge: TokenChallenge, asked: Ask): Promise<IncomingMessage> {
    const { url } = wanted;
    // As a redirect: to a public host, and never from https to http.
    const target = targetOf(challenge.realm, { url, status: 401 }, this.rules);
    addTokenQuery(target.url, challenge);
    const credential = await this.credential();
    if (credential !== undefined && !isRealmOf(this.rules.configured, target.url))
      throw new UpstreamError(
        'refused-address',
        { host: url.host, status: 401 },
        foreignRealm,
        new Error(target.url.href),
      );
    const ask: Ask = { content: 'metadata', signal: asked.signal };
    const message = await this.send(target, ask, credential);
    if (message.statusCode === 429) return message;
    const token = await tokenOf(this.responseOf(message, target, ask), tokenIn, 'gave no token');
    return this.send(wanted, asked, this.tokens.keep(url, token));
  }

  /** Sends a request, and repeats it once on a new connection if certainly nobody has answered it. */
  private async send(target: Target, ask: Ask, authorization: string | false | undefined): Promise<IncomingMessage> {
    const headers = {
      accept: '*/*',
      ...ask.headers,
      'accept-encoding': ask.content === 'metadata' ? 'gzip' : 'identity',
      'user-agent': `stockroom/${this.upstream.version}`,
      via: this.upstream.via?.(),
      authorization: authorization || undefined,
      ...(ask.sent && { 'content-type': ask.sent.mediaType, 'content-length': String(ask.sent.bytes.length) }),
    };
    const { limits } = this.upstream;
    const hop: Hop = {
      target,
      method: ask.sent ? 'POST' : (ask.method ?? 'GET'),
      sent: ask.sent?.bytes,
      headers: defined(headers),
      limits,
      signal: ask.signal,
      onHang: ask.onHang,
    };
    try {
      return await this.exchange(hop);
    } catch (error) {
      if (!(error instanceof UpstreamError && error.kind === 'unreachable') || ask.signal.aborted) throw error;
    }
    // Clients that met the same failure must not come back at the same moment.
    await pause(repetitionMilliseconds * (0.5 + Math.random()), undefined, { signal: ask.signal }).catch(() => {});
    return this.exchange(hop, true);
  }

  private async exchange(hop: Hop, isFresh = false): Promise<IncomingMessage> {
    try {
      return await exchange(this.upstream.pool, hop, isFresh);
    } catch (error) {
      const { target } = hop;
      if (!(error instanceof UpstreamError) || error.kind === 'aborted') throw error;
      if (!this.isInternal(target) && (error.kind !== 'refused-address' || this.isHome(target))) throw error;
      throw new UpstreamError(
        error.kind,
        this.rules.configured,
        'leads to an internal host that cannot be used',
        error,
      );
    }
  }

  private responseOf(message: IncomingMessage, target: Target, ask: Ask): UpstreamResponse {
    return responseOf(message, target.url, this.upstream.limits, ask, this.shownHost(target));
  }

  /** The host that errors name. */
  private shownHost(target: Target): string {
    return this.isInternal(target) ? this.rules.configured.host : target.url.host;
  }

  private isHome({ url }: Target): boolean {
    return url.host === this.rules.configured.host;
  }

  /** Whether a host is one that readers of the repository must not learn from its errors. The log has it. */
  private isInternal(target: Target): boolean {
    return !this.isHome(target) && !isPublicHost(target.host);
  }

  /** The credentials are kept for the life of this client. A failure is not kept, so the next request calls again. */
  private async credential(): Promise<string | undefined> {
    this.authorization ??= this.readAuthorization();
    try {
      return await this.authorization;
    } catch (error) {
      this.authorization = undefined;
      throw error;
    }
  }

  private async readAuthorization(): Promise<string | undefined> {
    const credentials = await this.upstream.credentials?.();
    if (!credentials) return undefined;
    // No token has other characters, and Node throws if a header does.
    if ('token' in credentials) return credentials.token.replaceAll(/[^!-~ ]/g, '');
    return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  }
}
