/**
 * The packets of OpenPGP, version 4, that a certificate and a signature consist of (RFC 9580, sections 4 and 5): each has a header with
 * its type and its length, and numbers of any size are written with their length in bits.
 */

/** The types of packets that are written here. */
export type PacketType = 'signature' | 'public key' | 'user ID';

const typeNumbers: Readonly<Record<PacketType, number>> = { signature: 2, 'public key': 6, 'user ID': 13 };

export const uint16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A length in as few bytes as it takes: one, two or five. */
const lengthBytes = (length: number): Buffer => {
  if (length < 192) return Buffer.from([length]);
  if (length < 8_384) return uint16(length - 192 + 192 * 256);
  return Buffer.concat([Buffer.from([255]), uint32(length)]);
};

/** A packet. */
export const packet = (type: PacketType, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([0xc0 | typeNumbers[type]]), lengthBytes(body.length), body]);

/** A subpacket of a signature; `type` is its number in section 5.2.3.7. */
export const subpacket = (type: number, body: Uint8Array): Buffer =>
  Buffer.concat([lengthBytes(body.length + 1), Buffer.from([type]), body]);

/** A number of any size, from its bytes in order of value. */
export const multiprecision = (bytes: Uint8Array): Buffer => {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.alloc(0) : Buffer.from(bytes.subarray(first));
  const [highest = 0] = digits;
  const bits = digits.length === 0 ? 0 : digits.length * 8 - (Math.clz32(highest) - 24);
  return Buffer.concat([uint16(bits), digits]);
};
