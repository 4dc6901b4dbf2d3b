import { createHash, createPublicKey, verify } from 'node:crypto';
import { startKeyService } from '../../../infra/local/key-service.ts';
import { armored } from '../../../shared/openpgp/armor.ts';
import { multiprecision, packet, subpacket } from '../../../shared/openpgp/packets.ts';
import { armoredSignature, clearsigned, detachedSignature, publicKeys } from '../../../shared/openpgp/signing.ts';

const request = new AbortController().signal;
const environmentBefore = { ...process.env };
let service: { readonly url: string; stop(): void };

/** Says which keys sign; without a service, KMS is silent. */
const use = (keys: string, url = service.url): void => {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    INSTALLATION: 'example',
    SIGNING_KEYS: keys,
  });
};

beforeAll(async () => {
  service = await startKeyService(undefined, async () => false);
});
beforeEach(() => use('first 1767225600'));
afterAll(() => {
  process.env = environmentBefore;
  service.stop();
});

interface Packet {
  readonly type: number;
  readonly body: Buffer;
}

/** Reads packets whose lengths have one byte or two, as those of keys of 3072 bits. */
const packetsOf = (bytes: Buffer): readonly Packet[] => {
  if (bytes.length === 0) return [];
  const [tag = 0, first = 0, second = 0] = bytes;
  const [head, length] = first < 192 ? [2, first] : [3, (first - 192) * 256 + second + 192];
  return [{ type: tag - 0xc0, body: bytes.subarray(head, head + length) }, ...packetsOf(bytes.subarray(head + length))];
};

const unarmored = (text: string): Buffer => {
  const [, base64 = ''] = /-----BEGIN PGP [A-Z ]+-----\n\n([\s\S]+)\n=.{4}\n-----END/.exec(text) ?? [];
  return Buffer.from(base64, 'base64');
};

/** The numbers at the end of a packet of a key or a signature. */
const numbersOf = (bytes: Buffer): readonly Buffer[] => {
  if (bytes.length === 0) return [];
  const end = 2 + Math.ceil(bytes.readUInt16BE() / 8);
  return [bytes.subarray(2, end), ...numbersOf(bytes.subarray(end))];
};

const publicKeyOf = (body: Buffer) => {
  const [n, e] = numbersOf(body.subarray(6)).map((number) => number.toString('base64url'));
  return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
};

const framed = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x99, body.length >> 8, body.length & 255]), body]);

const fingerprintOf = (key: Buffer): string => createHash('sha1').update(framed(key)).digest('hex');

/** What RFC 9580 says of a signature: its facts, and whether a key made it about these bytes. */
const readSignature = (body: Buffer) => {
  const hashedEnd = 6 + body.readUInt16BE(4);
  const head = body.subarray(0, hashedEnd);
  const rest = body.subarray(hashedEnd + 2 + body.readUInt16BE(hashedEnd));
  const trailer = Buffer.from([4, 0xff, 0, 0, head.length >> 8, head.length & 255]);
  const isBy = (key: Buffer, signed: string | Buffer): boolean => {
    const whole = Buffer.concat([Buffer.from(signed), head, trailer]);
    const starts = createHash('sha256').update(whole).digest().subarray(0, 2).equals(rest.subarray(0, 2));
    const [number = Buffer.alloc(0)] = numbersOf(rest.subarray(2));
    return (
      starts && verify('sha256', whole, publicKeyOf(key), Buffer.concat([Buffer.alloc(384 - number.length), number]))
    );
  };
  return {
    type: body[1],
    algorithms: [body[2], body[3]],
    signedAt: head.subarray(8, 12).readUInt32BE(),
    issuer: head.subarray(15, 35).toString('hex'),
    isBy,
  };
};

const at = new Date('2026-11-25T12:00:00.900Z');

const certificates = async () => packetsOf(unarmored(await publicKeys(request)));

const keyBodies = async () => (await certificates()).filter(({ type }) => type === 6).map(({ body }) => body);

describe('the keys of a stage', () => {
  it('have a certificate with a user ID and a signature of itself, by SHA-256 and without an end', async () => {
    const [key, userId, own, ...others] = await certificates();
    expect([key?.type, userId?.type, own?.type, others]).toEqual([6, 13, 2, []]);
    if (!key || !userId || !own) throw new Error('A packet is missing.');
    expect(userId.body.toString()).toBe('Stockroom example');
    const signature = readSignature(own.body);
    const length = Buffer.from([0xb4, 0, 0, 0, userId.body.length]);
    expect(signature.isBy(key.body, Buffer.concat([framed(key.body), length, userId.body]))).toBe(true);
    expect(signature).toMatchObject({ type: 0x13, algorithms: [1, 8], signedAt: 1_767_225_600 });
    expect(signature.issuer).toBe(fingerprintOf(key.body));
    expect(key.body.readUInt32BE(1)).toBe(1_767_225_600);
    expect(publicKeyOf(key.body).asymmetricKeyDetails).toMatchObject({ modulusLength: 3_072 });
  });

  it('are two while one replaces the other, and both sign each document', async () => {
    const [before] = await keyBodies();
    use('first 1767225600,second 1767225601');
    const [first, second] = await keyBodies();
    expect(first).toEqual(before);
    if (!first || !second) throw new Error('A key is missing.');
    const [one, other] = packetsOf(await detachedSignature('text\n', at, request)).map(({ body }) =>
      readSignature(body),
    );
    expect([one?.isBy(first, 'text\n'), other?.isBy(second, 'text\n')]).toEqual([true, true]);
    expect([one?.isBy(second, 'text\n'), other?.issuer]).toEqual([false, fingerprintOf(second)]);
    use('second 1767225601');
    expect(await keyBodies()).toEqual([second]);
  });

  it('answer SERVICE_UNAVAILABLE while KMS does', async () => {
    use('unknown 1767225600', 'http://127.0.0.1:1');
    await expect(publicKeys(request)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(detachedSignature('text', at, request)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('a signature beside a document', () => {
  it('is good for these bytes and for no others, and the same each time', async () => {
    const [key = Buffer.alloc(0)] = await keyBodies();
    const signature = await detachedSignature('Suite: stable\n', at, request);
    const [{ body } = { body: Buffer.alloc(0) }, ...others] = packetsOf(signature);
    expect(others).toEqual([]);
    const read = readSignature(body);
    expect(read).toMatchObject({ type: 0, algorithms: [1, 8], signedAt: 1_795_608_000, issuer: fingerprintOf(key) });
    expect(read.isBy(key, 'Suite: stable\n')).toBe(true);
    expect(read.isBy(key, 'Suite: stable')).toBe(false);
    expect(await detachedSignature(Buffer.from('Suite: stable\n'), at, request)).toEqual(signature);
    expect(unarmored(await armoredSignature('Suite: stable\n', at, request))).toEqual(signature);
    expect(await detachedSignature('Suite: stable\n', new Date('2026-11-25T12:00:01Z'), request)).not.toEqual(
      signature,
    );
  });
});

describe('a text with its signature', () => {
  it('is signed with lines that end in CRLF, without white space at their ends', async () => {
    const [key = Buffer.alloc(0)] = await keyBodies();
    const text = await clearsigned('Suite: stable \n- item\n-\n\tlast\t\n', at, request);
    const [head, signature = ''] = text.split('-----BEGIN PGP SIGNATURE');
    expect(head).toBe('-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nSuite: stable \n- - item\n- -\n\tlast\t\n');
    const [{ body } = { body: Buffer.alloc(0) }] = packetsOf(unarmored(`-----BEGIN PGP SIGNATURE${signature}`));
    const read = readSignature(body);
    expect(read).toMatchObject({ type: 1, algorithms: [1, 8], issuer: fingerprintOf(key) });
    expect(read.isBy(key, 'Suite: stable\r\n- item\r\n-\r\n\tlast')).toBe(true);
    expect(read.isBy(key, 'Suite: stable\n- item\n-\n\tlast')).toBe(false);
  });
});

describe('the parts of OpenPGP', () => {
  it('have lengths of one byte, two and five', () => {
    const headOf = (length: number) => packet('user ID', Buffer.alloc(length)).subarray(0, -length).toString('hex');
    expect([191, 192, 8_383, 8_384].map(headOf)).toEqual(['cdbf', 'cdc000', 'cddfff', 'cdff000020c0']);
    expect(subpacket(27, Buffer.from([3])).toString('hex')).toBe('021b03');
  });

  it('write numbers with their length in bits, without zeros in front', () => {
    const hexOf = (hex: string) => multiprecision(Buffer.from(hex, 'hex')).toString('hex');
    expect(['010001', '000001ff', 'ff', '00'].map(hexOf)).toEqual(['0011010001', '000901ff', '0008ff', '0000']);
  });

  it('are armored in lines of 64 characters, with a checksum', () => {
    const text = armored('SIGNATURE', Buffer.from('123456789'.repeat(6)));
    expect(
      text
        .split('\n')
        .slice(2, -2)
        .map(({ length }) => length),
    ).toEqual([64, 8, 5]);
    // The check value of CRC-24/OPENPGP.
    expect(armored('SIGNATURE', Buffer.from('123456789'))).toContain(
      `\n=${Buffer.from('21cf02', 'hex').toString('base64')}\n`,
    );
    expect(armored('SIGNATURE', Buffer.alloc(48)).split('\n')[3]).toHaveLength(5);
  });
});
