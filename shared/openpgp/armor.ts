import { uint32 } from './packets.ts';

/** What a text in ASCII armor holds. */
export type Armored = 'PUBLIC KEY BLOCK' | 'SIGNATURE';

/** The checksum at the end of an armor: CRC-24 of RFC 9580, section 6.1. */
const checksum = (content: Uint8Array): Buffer => {
  let sum = 0xb704ce;
  for (const byte of content) {
    sum ^= byte << 16;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x800000 ? ((sum << 1) ^ 0x864cfb) & 0xffffff : sum << 1;
  }
  return uint32(sum).subarray(1);
};

/** Packets as text: lines of base64 between two lines that say what they are. */
export const armored = (what: Armored, packets: Uint8Array): string => {
  const lines = Buffer.from(packets)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  const sum = checksum(packets).toString('base64');
  return `-----BEGIN PGP ${what}-----\n\n${lines}\n=${sum}\n-----END PGP ${what}-----\n`;
};

/** A document of an upstream that must be in ASCII armor, as it was sent. */
export const requireArmored = (name: string, bytes: Uint8Array): Buffer => {
  const content = Buffer.from(bytes);
  if (content.includes('-----BEGIN PGP ')) return content;
  throw new Error(`${name} is not armored.`);
};
