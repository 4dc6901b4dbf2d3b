import { invalidDigest } from './refusals.ts';

const algorithm = 'sha256:';

/** Whether a text is a digest of the one algorithm that is taken. */
export const isDigest = (text: string): boolean => /^sha256:[0-9a-f]{64}$/.test(text);

/** The digest of a SHA-256 in hex. */
export const digestOf = (sha256: string): string => algorithm + sha256;

/** The SHA-256 in hex of a digest. */
export const hexOf = (digest: string): string => digest.slice(algorithm.length);

/** Throws PACKAGE_INVALID unless bytes have the digest that their sender promised. */
export const checkDigest = (sha256: string, digest: string): void => {
  if (digestOf(sha256) !== digest)
    throw invalidDigest(`The bytes that arrived have the digest ${digestOf(sha256)}, not ${digest}.`);
};
