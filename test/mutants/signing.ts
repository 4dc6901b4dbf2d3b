import { bugsIn, type Mutant } from './mutant.ts';

const signing = 'shared/openpgp/signing';
const keys = 'infra/local/key-service';

/** Bugs in the signatures of OpenPGP. */
export const signingMutants: readonly Mutant[] = [
  ...bugsIn('shared/openpgp/packets.ts', signing, {
    'a length of two bytes is one too many': ['length - 192 + 192 * 256', 'length - 191 + 192 * 256'],
    'a long packet has a length of two bytes': ['length < 8_384', 'length < 8_385'],
    'a number has zeros in front': ['Buffer.from(bytes.subarray(first))', 'Buffer.from(bytes)'],
    'a number always has whole bytes': [' - (Math.clz32(highest) - 24)', ''],
  }),
  ...bugsIn('shared/openpgp/armor.ts', signing, {
    'the checksum begins with nothing': ['let sum = 0xb704ce', 'let sum = 0'],
    'an armor ends with an empty line': ['/.{64}(?=.)/g', '/.{64}/g'],
  }),
  ...bugsIn('shared/openpgp/signing-keys.ts', signing, {
    'a key is as old as the process': ['uint32(createdAt), Buffer', 'uint32(Math.floor(Date.now() / 1_000)), Buffer'],
    'a process knows one key': ['known.get(words)', 'known.values().next().value'],
  }),
  ...bugsIn('shared/openpgp/signatures.ts', signing, {
    'a signature is by SHA-1': ['sha256Number = 8', 'sha256Number = 2'],
    'the facts of a signature are not signed': ['.update(signed).update(head)', '.update(signed)'],
    'a certificate is a signature of bytes': ['certification: 0x13', 'certification: 0x00'],
    'the issuer is cut': ['Buffer.concat([Buffer.from([4]), fingerprint])', 'fingerprint'],
  }),
  ...bugsIn('shared/openpgp/signing.ts', signing, {
    'the new key alone signs': [
      'Promise.all(keys.map(async (key) => signaturePacket',
      'Promise.all(keys.slice(-1).map(async (key) => signaturePacket',
    ],
    'the end of a text is signed': ["text.replace(/\\n$/, '')", 'text'],
    'lines end in LF where they are signed': [".join('\\r\\n')", ".join('\\n')"],
    'white space at the end of a line is signed': ['lines.map(signedLine)', 'lines'],
    'a line may look like the end': ["line.startsWith('-') ? `- ${line}` : line", 'line'],
    'a certificate is signed anew each time': ['signedAt: key.createdAt', 'signedAt: secondsOf(new Date())'],
    'the certificate of the key before is kept': ['made?.keys !== names', '!made'],
  }),
  ...bugsIn('infra/local/signing-keys.ts', keys, {
    'each start makes new keys of signatures': [
      '?.size) writeKeyOnce',
      '?.size || true) writeKeyOnce(`${file}.new`, (await newKey()).pem);\n    if (true) return (await newKey()).key;\n    else writeKeyOnce',
    ],
    'all keys are one': ["keyId.replace(/^.*\\//, '')", "'key'"],
    'keys are short': ['modulusLength: 3_072', 'modulusLength: 2_048'],
  }),
  ...bugsIn('infra/local/key-service.ts', keys, {
    'whatever comes is signed as a digest': [' || digest.length !== 32', ''],
    'another padding is taken for the one': [" || SigningAlgorithm !== 'RSASSA_PKCS1_V1_5_SHA_256'", ''],
  }),
  ...bugsIn('infra/api/signing-keys.ts', ['infra/template', 'infra/settings'], {
    'the key of signatures goes with a stage that keeps its data': [
      'keepsData ? RemovalPolicy.RETAIN',
      'keepsData ? RemovalPolicy.DESTROY',
    ],
    'the key signs and encrypts': ['KeyUsage.SIGN_VERIFY', 'KeyUsage.ENCRYPT_DECRYPT'],
    'a key that was brought along is made anew': ["key.startsWith('arn:')", 'false'],
    'the second key is the first one': ["name === 'first' ? 'First' : 'Second'", "'First'"],
  }),
];
