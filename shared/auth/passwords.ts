import { argon2, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { BoundedCache } from '../bounded-cache.ts';

const derive = promisify(argon2);

/** The second recommendation of OWASP for argon2id: 19 MiB, two passes, one lane. */
const parameters = {
  memory: 19_456,
  passes: 2,
  parallelism: 1,
  tagLength: 32,
} as const;
const saltBytes = 16;

interface Phc {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const encode = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

const format = ({ memory, passes, parallelism, salt, tag }: Phc): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`;

const parse = (hash: string): Phc => {
  const [, memory, passes, parallelism, salt, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  if (!salt || !tag) throw new Error('A stored password hash is no argon2id PHC string.');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
};

const tagOf = async (password: string, { memory, passes, parallelism, salt, tag }: Phc): Promise<Buffer> =>
  derive('argon2id', {
    message: Buffer.from(password, 'utf8'),
    nonce: salt,
    memory,
    passes,
    parallelism,
    tagLength: tag.length,
  });

/** Hashes a password with argon2id, as a PHC string. */
export const hashPassword = async (password: string): Promise<string> => {
  const fresh = {
    ...parameters,
    salt: randomBytes(saltBytes),
    tag: Buffer.alloc(parameters.tagLength),
  };
  return format({ ...fresh, tag: await tagOf(password, fresh) });
};

/** Whether a hash was made with other parameters than those of new hashes. */
export const isOutdated = (hash: string): boolean => {
  const { memory, passes, parallelism } = parse(hash);
  return memory !== parameters.memory || passes !== parameters.passes || parallelism !== parameters.parallelism;
};

/** A hash that no password matches. Checking it costs as much as checking a real one. */
const impossible = format({
  ...parameters,
  salt: Buffer.alloc(saltBytes),
  tag: Buffer.alloc(parameters.tagLength),
});

/** The passwords that this process has verified, by a keyed digest that is worthless outside the process. */
const proven = new BoundedCache<true>(1_000);
const processKey = randomBytes(32);

const digestOf = (userId: string, hash: string, password: string): string =>
  createHmac('sha256', processKey)
    .update(JSON.stringify([userId, hash, password]))
    .digest('base64');

/** The user whose password is checked; undefined if the user is unknown or disabled. */
type PasswordOwner = { readonly userId: string; readonly passwordHash: string } | undefined;

/**
 * Whether the password is the owner's. A check costs one hash, even if there is no owner. It costs none if this process
 * has verified the password against the same stored hash before: a hash costs 10,000 times as much as a token. `beforeHash`
 * may refuse to hash.
 */
export const verifyPassword = async (
  owner: PasswordOwner,
  password: string,
  beforeHash?: () => Promise<void>,
): Promise<boolean> => {
  const digest = owner && digestOf(owner.userId, owner.passwordHash, password);
  if (digest !== undefined && proven.get(digest)) return true;
  await beforeHash?.();
  const stored = parse(owner?.passwordHash ?? impossible);
  const matches = timingSafeEqual(await tagOf(password, stored), stored.tag);
  if (!matches || digest === undefined) return false;
  proven.set(digest, true);
  return true;
};
