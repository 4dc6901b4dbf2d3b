import { BoundedCache } from '../../bounded-cache.ts';
import { config } from '../../config.ts';
import { decryptUpstreamPassword } from '../../encryption.ts';
import { viaHeader } from '../../request-chain.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { limitsWithin } from '../../upstream/limits.ts';
import { UpstreamClient, type UpstreamCredentials } from '../../upstream/upstream-client.ts';
import { loginPathOf, mayRequireToken, plainUrl, sendsTokenAlone } from '../sources/type-facts.ts';
import { processPool } from './process-pool.ts';
import { urlBelow } from './url-below.ts';

interface KnownClient {
  readonly client: UpstreamClient;
  readonly until: number;
}

/**
 * How long a client, with its decrypted password, is used. A changed password leads to a new client at once. A withdrawn
 * right to decrypt takes effect after this time.
 */
const lifetimeMilliseconds = 60_000;

const known = new BoundedCache<KnownClient>(1_000);

/** The client of a remote repository. Later requests of this process use the same client, and resume its TLS sessions. */
export const upstreamClientOf = (source: RemoteRepository): UpstreamClient => {
  const { repositoryId, packageType, remoteRepositoryUrl, remoteRepositoryUsername, passwordCiphertext } = source;
  const url = plainUrl(packageType, remoteRepositoryUrl);
  const login = loginPathOf(packageType);
  const key = JSON.stringify([repositoryId, url, remoteRepositoryUsername, passwordCiphertext]);
  const found = known.get(key);
  if (found && found.until > Date.now()) return found.client;
  const client = new UpstreamClient({
    url,
    credentials: async () => credentialsOf(source),
    pool: processPool(),
    version: config.version,
    via: viaHeader,
    limits: limitsWithin(config.upstreamAnswerMilliseconds),
    takesTokens: mayRequireToken(packageType),
    loginUrl: login === undefined ? undefined : urlBelow(url, login),
  });
  known.set(key, { client, until: Date.now() + lifetimeMilliseconds });
  return client;
};

/** The shortest value of a query that is taken for a secret. */
const queryValueLengthMin = 6;

/** What of a remote repository no answer may show, in the forms in which an upstream may repeat it. */
export const secretsOf = async (source: RemoteRepository): Promise<readonly string[]> => {
  const secrets = Array.from(new URL(source.remoteRepositoryUrl).searchParams.values());
  const texts = Object.values((await credentialsOf(source)) ?? {});
  const basic = Buffer.from(texts.join(':')).toString('base64');
  // The token of cargo may be a whole header, with its scheme.
  const words = texts.flatMap((text) => text.split(' '));
  return [...secrets.filter(({ length }) => length >= queryValueLengthMin), ...texts, ...words, basic].flatMap(
    (text) => (text === '' ? [] : [text, encodeURIComponent(text)]),
  );
};

const credentialsOf = async ({
  workspaceId,
  repositoryId,
  packageType,
  remoteRepositoryUsername,
  passwordCiphertext,
}: RemoteRepository): Promise<UpstreamCredentials | undefined> => {
  if (remoteRepositoryUsername === null && passwordCiphertext === null) return undefined;
  const password =
    passwordCiphertext === null ? '' : await decryptUpstreamPassword(passwordCiphertext, { workspaceId, repositoryId });
  if (remoteRepositoryUsername === null && sendsTokenAlone(packageType)) return { token: password };
  return { username: remoteRepositoryUsername ?? '', password };
};
