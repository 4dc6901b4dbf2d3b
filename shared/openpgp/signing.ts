import { config } from '../config.ts';
import { armored } from './armor.ts';
import { packet, subpacket, uint32 } from './packets.ts';
import { type SignatureFacts, sha256Number, signaturePacket } from './signatures.ts';
import { framedKey, type SigningKey, signingKeys } from './signing-keys.ts';

/**
 * Signs documents as OpenPGP, version 4, says (RFC 9580): RSA with SHA-256, by the keys of the stage in KMS. While a key replaces another
 * one there are two, and both sign: whoever has one of them finds a good signature. A contract says `signs: true` for the right to do so.
 * The same document at the same time has the same signature. All throw SERVICE_UNAVAILABLE when KMS does not answer; `request`
 * aborts its calls when the time of the request is over.
 */

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1_000);

const signaturesOf = async (signed: string | Uint8Array, facts: SignatureFacts, request: AbortSignal) => {
  const keys = await signingKeys(request);
  return Buffer.concat(await Promise.all(keys.map(async (key) => signaturePacket(key, signed, facts, request))));
};

/** A signature beside a document, as packets: what `gpg --detach-sign` writes. */
export const detachedSignature = async (
  content: string | Uint8Array,
  signedAt: Date,
  request: AbortSignal,
): Promise<Buffer> => signaturesOf(content, { type: 'bytes', signedAt: secondsOf(signedAt) }, request);

/** The same as text, such as `Release.gpg` and `repomd.xml.asc`. */
export const armoredSignature = async (
  content: string | Uint8Array,
  signedAt: Date,
  request: AbortSignal,
): Promise<string> => armored('SIGNATURE', await detachedSignature(content, signedAt, request));

/** The lines of a text that is signed, without the end of the last one, which belongs to the frame (section 7). */
const linesOf = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n');

/** A line without the white space at its end, which is not signed. */
const signedLine = (line: string): string => {
  const end = Array.from(line).findLastIndex((character) => !' \t\r'.includes(character));
  return Array.from(line)
    .slice(0, end + 1)
    .join('');
};

/** A text with its signature around it, such as `InRelease`. White space at the end of a line is not signed. */
export const clearsigned = async (text: string, signedAt: Date, request: AbortSignal): Promise<string> => {
  const lines = linesOf(text);
  const signed = lines.map(signedLine).join('\r\n');
  const signature = await signaturesOf(signed, { type: 'text', signedAt: secondsOf(signedAt) }, request);
  const escaped = lines.map((line) => (line.startsWith('-') ? `- ${line}` : line)).join('\n');
  return `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${escaped}\n${armored('SIGNATURE', signature)}`;
};

/** What a key is good for, in the signature of itself: to certify and to sign; SHA-256; no more than version 4 has. */
const ownSubpackets: readonly Buffer[] = [
  subpacket(27, Buffer.from([0x01 | 0x02])),
  subpacket(21, Buffer.from([sha256Number])),
  subpacket(30, Buffer.from([0x01])),
];

/** A key with its user ID and the signature of itself. It has no end: who signs with another one says so by its own. */
const certificateOf = async (key: SigningKey, request: AbortSignal): Promise<Buffer> => {
  const userId = Buffer.from(`Stockroom ${config.installation}`);
  const named = Buffer.concat([framedKey(key.body), Buffer.from([0xb4]), uint32(userId.length), userId]);
  const facts = { type: 'certification', signedAt: key.createdAt, subpackets: ownSubpackets } as const;
  const own = await signaturePacket(key, named, facts, request);
  return Buffer.concat([packet('public key', key.body), packet('user ID', userId), own]);
};

let made: { readonly keys: string; readonly text: string } | undefined;

/** The keys that sign, as clients import them: `key.asc` of a repository. The process makes it once. */
export const publicKeys = async (request: AbortSignal): Promise<string> => {
  const keys = await signingKeys(request);
  const names = keys.map(({ fingerprint }) => fingerprint.toString('hex')).join();
  if (made?.keys !== names) {
    const certificates = await Promise.all(keys.map(async (key) => certificateOf(key, request)));
    made = { keys: names, text: armored('PUBLIC KEY BLOCK', Buffer.concat(certificates)) };
  }
  return made.text;
};
