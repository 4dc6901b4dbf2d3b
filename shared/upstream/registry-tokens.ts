/** What a registry of images asks for in its 401: a token for a scope, from the address that it names (the token specification of distribution). */
export interface TokenChallenge {
  readonly realm: string;
  readonly service: string | undefined;
  readonly scope: string | undefined;
}

const parameter = (text: string, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s,])${name}="([^"]*)"`, 'i').exec(text)?.[1];

/** The challenge in the header WWW-Authenticate; undefined if it asks for no token. */
export const challengeIn = (header: string | undefined): TokenChallenge | undefined => {
  const [, text] = /(?:^|,\s*)Bearer\s+(.*)$/is.exec(header ?? '') ?? [];
  const realm = text === undefined ? undefined : parameter(text, 'realm');
  if (text === undefined || realm === undefined) return undefined;
  return { realm, service: parameter(text, 'service'), scope: parameter(text, 'scope') };
};

/** Adds to the address of a realm what the token is for. */
export const addTokenQuery = ({ searchParams }: URL, { service, scope }: TokenChallenge): void => {
  if (service !== undefined) searchParams.set('service', service);
  if (scope !== undefined) searchParams.set('scope', scope);
};

/** The shortest life of a token that does not say how long it lives (the token specification), and what is left of it at its last use. */
const lifetimeSeconds = 60;
const reserveMilliseconds = 10_000;

interface Answer {
  readonly token?: unknown;
  readonly access_token?: unknown;
  readonly expires_in?: unknown;
}

interface Token {
  readonly header: string;
  readonly until: number;
}

/** The token in an answer, as an Authorization header; undefined if the answer has none. */
export const tokenIn = (answer: Uint8Array): Token | undefined => {
  try {
    const { token, access_token: other, expires_in: seconds } = JSON.parse(Buffer.from(answer).toString()) as Answer;
    const text = String(token ?? other);
    const until = Date.now() + (Number(seconds) || lifetimeSeconds) * 1000 - reserveMilliseconds;
    // No token has other characters, and Node throws if a header does.
    return /^[!-~]+$/.test(text) && (token ?? other) ? { header: `Bearer ${text}`, until } : undefined;
  } catch {
    return undefined;
  }
};

/** What a token is good for: everything of one image. */
const imageOf = ({ origin, pathname }: URL): string =>
  origin + pathname.replace(/\/(?:manifests|blobs|tags|referrers)\/.*$/, '');

/** The tokens of one remote repository, by the images that they are for. They live as long as its client, for a minute. */
export class RegistryTokens {
  private readonly known = new Map<string, Token>();

  find(url: URL): string | undefined {
    const token = this.known.get(imageOf(url));
    return token && token.until > Date.now() ? token.header : undefined;
  }

  keep(url: URL, token: Token): string {
    this.known.set(imageOf(url), token);
    return token.header;
  }
}
