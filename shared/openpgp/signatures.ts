import { createHash } from 'node:crypto';
import { multiprecision, packet, subpacket, uint16, uint32 } from './packets.ts';
import { rsa, type SigningKey, signDigest } from './signing-keys.ts';

/** What a signature is about: bytes, a text whose lines end in CRLF, or that a key has a user ID. */
export type SignatureType = 'bytes' | 'text' | 'certification';

const typeNumbers: Readonly<Record<SignatureType, number>> = { bytes: 0x00, text: 0x01, certification: 0x13 };

/** The number of SHA-256, the only hash that signs here. */
export const sha256Number = 8;

/** What a signature says beside what it is about. */
export interface SignatureFacts {
  readonly type: SignatureType;
  /** In seconds since 1970. */
  readonly signedAt: number;
  readonly subpackets?: readonly Buffer[];
}

/** The part of a signature that is signed itself (RFC 9580, sections 5.2.3 and 5.2.4). */
const hashedPart = ({ fingerprint }: SigningKey, { type, signedAt, subpackets = [] }: SignatureFacts): Buffer => {
  const issuer = subpacket(33, Buffer.concat([Buffer.from([4]), fingerprint]));
  const hashed = Buffer.concat([subpacket(2, uint32(signedAt)), issuer, ...subpackets]);
  return Buffer.concat([Buffer.from([4, typeNumbers[type], rsa, sha256Number]), uint16(hashed.length), hashed]);
};

/** The packet of a signature by a key. Throws SERVICE_UNAVAILABLE when KMS does not answer. */
export const signaturePacket = async (
  key: SigningKey,
  signed: string | Uint8Array,
  facts: SignatureFacts,
  request: AbortSignal,
): Promise<Buffer> => {
  const head = hashedPart(key, facts);
  const trailer = Buffer.concat([Buffer.from([4, 0xff]), uint32(head.length)]);
  const digest = createHash('sha256').update(signed).update(head).update(trailer).digest();
  // The ID of the key, for programs that do not know fingerprints.
  const unhashed = subpacket(16, key.fingerprint.subarray(-8));
  const number = multiprecision(await signDigest(key, digest, request));
  return packet('signature', Buffer.concat([head, uint16(unhashed.length), unhashed, digest.subarray(0, 2), number]));
};
