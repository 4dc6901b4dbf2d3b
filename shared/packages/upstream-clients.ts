import { BoundedCache } from '../bounded-cache.ts';
import { config } from '../config.ts';
import { decryptUpstreamPassword } from '../encryption.ts';
import { mayDemandToken, plainUrl, sendsTokenAlone } from '../package-types.ts';
import type { RemoteRepository } from '../table/repositories.ts';
import { limitsWithin } from '../upstream/limits.ts';
import { processPool } from '../upstream/process-pool.ts';
import { UpstreamClient, type UpstreamCredentials } from '../upstream/upstream-client.ts';

interface KnownClient {
  readonly client: UpstreamClient;
  readonly credentials: () => Promise<UpstreamCredentials | undefined>;
  readonly until: number;
}

/**
 * How long a client, with its decrypted password, is used. A changed password leads to a new client at once. A withdrawn
 * right to decrypt takes effect after this time.
 */
const lifetimeMilliseconds = 60_000;

const known = new BoundedCache<KnownClient>(1_000);

const knownClientOf = (source: RemoteRepository): KnownClient => {
  const { repositoryId, packageType, remoteRepositoryUrl, remoteRepositoryUsername, passwordCiphertext } = source;
  const url = plainUrl(packageType, remoteRepositoryUrl);
  const key = JSON.stringify([repositoryId, url, remoteRepositoryUsername, passwordCiphertext]);
  const found = known.get(key);
  if (found && found.until > Date.now()) return found;
  const credentials = keptOnSuccess(async () => credentialsOf(source));
  const client = new UpstreamClient({
    url,
    credentials,
    pool: processPool(),
    version: config.version,
    limits: limitsWithin(config.upstreamAnswerMilliseconds),
    takesTokens: mayDemandToken(packageType),
  });
  const made = { client, credentials, until: Date.now() + lifetimeMilliseconds };
  known.set(key, made);
  return made;
};

/** The client of a remote repository. Later requests of this process use the same client. */
export const upstreamClientOf = (source: RemoteRepository): UpstreamClient => knownClientOf(source).client;

/** A failure is not kept, so the next call reads again. */
const keptOnSuccess = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let kept: Promise<T> | undefined;
  return async () => {
    kept ??= read();
    try {
      return await kept;
    } catch (error) {
      kept = undefined;
      throw error;
    }
  };
};

/** The shortest value of a query that is taken for a secret. */
const queryValueLengthMin = 6;

/** What of a remote repository no answer may show, in the forms in which an upstream may repeat it. */
export const secretsOf = async (source: RemoteRepository): Promise<readonly string[]> => {
  const credentials = await knownClientOf(source).credentials();
  const { searchParams } = new URL(source.remoteRepositoryUrl);
  const queried = Array.from(searchParams.values()).filter(({ length }) => length >= queryValueLengthMin);
  const texts = [...partsOf(credentials), ...queried].filter((text) => text !== '');
  return texts.flatMap((text) => [text, encodeURIComponent(text)]);
};

const partsOf = (credentials: UpstreamCredentials | undefined): readonly string[] => {
  if (!credentials) return [];
  if ('token' in credentials) return credentials.token.split(' ');
  const { username, password } = credentials;
  return [username, password, Buffer.from(`${username}:${password}`).toString('base64')];
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
