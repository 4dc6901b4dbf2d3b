import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const long = content.length > 255 ? [0x82, content.length >> 8, content.length & 255] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...(content.length < 128 ? [content.length] : long)]), content]);
};

const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents);
const objectId = (hexadecimal: string): Buffer => der(6, Buffer.from(hexadecimal, 'hex'));
const utcTime = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from('upstream')))));
const hour = 3_600_000;

/** The part of a certificate that is signed (RFC 5280 section 4.1), for an hour from now and an hour back. */
const unsignedPart = (publicKey: KeyObject, names: readonly string[]): Buffer => {
  const alternatives = sequence(
    ...names.map((name) =>
      isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
    ),
  );
  return sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.from([1])),
    ecdsaWithSha256,
    commonName,
    sequence(utcTime(new Date(Date.now() - hour)), utcTime(new Date(Date.now() + hour))),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(objectId('551d11'), der(4, alternatives)))),
  );
};

/** A new key and a certificate for names, which it signs itself: Node reads certificates but makes none. */
export const selfSigned = (...names: readonly string[]): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const unsigned = unsignedPart(publicKey, names);
  const signature = sign('sha256', unsigned, privateKey);
  const certificate = sequence(unsigned, ecdsaWithSha256, der(3, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
};
