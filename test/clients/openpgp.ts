import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startKeyService } from '../../infra/local/key-service.ts';
import { armoredSignature, clearsigned, detachedSignature, publicKeys } from '../../shared/openpgp/signing.ts';
import { leftOutOf } from './drivers/left-out.ts';
import { commandVersion } from './drivers/tools.ts';

/** `npm run test:clients`: what GnuPG and Sequoia, with which apt verifies, say of signatures while one key replaces another. */
const run = promisify(execFile);
const request = new AbortController().signal;
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const text = `Origin: Stockroom
Suite: stable
Codename: stable
Date: ${new Date().toUTCString().replace('GMT', '+0000')}
Architectures: amd64
Components: main
SHA256:
 ${empty} 0 main/binary-amd64/Packages
`;
const stages = { before: 'one 1767225600', during: 'one 1767225600,two 1790000000', after: 'two 1790000000' };
type Stage = keyof typeof stages;

const environmentBefore = { ...process.env };
const folder = mkdtempSync(join(tmpdir(), 'stockroom-openpgp-'));
const of = (stage: Stage, file: string): string => join(folder, `${stage}-${file}`);
let service: { readonly url: string; stop(): void };

const write = async (stage: Stage): Promise<void> => {
  Object.assign(process.env, { SIGNING_KEYS: stages[stage] });
  const now = new Date();
  writeFileSync(of(stage, 'key.asc'), await publicKeys(request));
  writeFileSync(of(stage, 'text'), text);
  writeFileSync(of(stage, 'other'), text.replace('stable', 'Stable'));
  writeFileSync(of(stage, 'packets'), await detachedSignature(text, now, request));
  writeFileSync(of(stage, 'armor'), await armoredSignature(text, now, request));
  const clear = await clearsigned(text, now, request);
  writeFileSync(of(stage, 'clear'), clear);
  writeFileSync(of(stage, 'other-clear'), clear.replace('stable', 'Stable'));
};

beforeAll(async () => {
  service = await startKeyService(undefined, async () => false);
  const access = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  Object.assign(process.env, { ...access, AWS_ENDPOINT_URL_KMS: service.url, INSTALLATION: 'example' });
  for (const stage of Object.keys(stages) as Stage[]) await write(stage);
}, 60_000);
afterAll(() => {
  process.env = environmentBefore;
  service.stop();
  rmSync(folder, { recursive: true });
});

/** Says whether a signature is good; `content` is absent if it is around its text. */
type Verify = (keys: string, signature: string, content?: string) => Promise<boolean>;

const succeeds = async (command: string, parameters: readonly string[]): Promise<boolean> =>
  run(command, parameters).then(
    () => true,
    () => false,
  );

/** GnuPG with these keys and no others. One good signature among several is enough, as it is for apt. */
const gpg: Verify = async (keys, ...files) => {
  const home = mkdtempSync(join(folder, 'home-'));
  const options = ['--batch', '--homedir', home, '--trust-model', 'always'];
  await run('gpg', [...options, '--import', keys]);
  const verify = [
    '--weak-digest',
    'SHA1',
    '--status-fd',
    '1',
    '--verify',
    ...files.filter((file) => file !== undefined),
  ];
  const answer = run('gpg', [...options, ...verify]).catch((error: { stdout: string }) => error);
  const { stdout } = await answer;
  await run('gpgconf', ['--homedir', home, '--kill', 'all']);
  return stdout.includes('[GNUPG:] VALIDSIG') && !stdout.includes('[GNUPG:] BADSIG');
};

/** Sequoia as apt of Debian 13 calls it; its command knows signatures beside their files alone. */
const sqv: Verify = async (keys, signature, content = '') => succeeds('sqv', ['--keyring', keys, signature, content]);

const optionsOf = (root: string): readonly string[] => {
  for (const name of [
    'lists/partial',
    'cache/archives/partial',
    'etc/preferences.d',
    'etc/trusted.gpg.d',
    'etc/apt.conf.d',
  ])
    mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, 'status'), '');
  const places = {
    'Dir::Etc': 'etc',
    'Dir::State': '',
    'Dir::State::Lists': 'lists',
    'Dir::State::status': 'status',
    'Dir::Cache': 'cache',
  };
  const settings = Object.entries(places).map(([name, path]) => `${name}=${join(root, path)}`);
  return [...settings, 'APT::Sandbox::User=root', 'APT::Update::Error-Mode=any'].flatMap((each) => ['-o', each]);
};

/** apt in a root of its own, with a repository in a folder whose `InRelease` is the signed text. */
const apt: Verify = async (keys, signed) => {
  const root = mkdtempSync(join(folder, 'apt-'));
  const given = optionsOf(root);
  mkdirSync(join(root, 'dists/stable'), { recursive: true });
  copyFileSync(signed, join(root, 'dists/stable/InRelease'));
  writeFileSync(join(root, 'etc/sources.list'), `deb [signed-by=${keys} arch=amd64] file:${root} stable main\n`);
  return succeeds('apt-get', ['update', ...given]);
};

const verifiers = { gpg, sqv, apt };
type Name = keyof typeof verifiers;
const leftOut = leftOutOf(Object.keys(verifiers));
const present = (Object.keys(verifiers) as Name[]).filter((name) => !leftOut.includes(name));

describe.each(present)('%s', (name) => {
  const verify = verifiers[name];
  const isAround = name !== 'sqv';
  const isBeside = name !== 'apt';

  it('is there', async () => {
    expect(await commandVersion(name === 'apt' ? 'apt-get' : name)).toMatch(/^\d/);
  });

  it.each([
    ['before', 'before'],
    ['before', 'during'],
    ['during', 'during'],
    ['after', 'during'],
    ['after', 'after'],
  ] as const)('finds a good signature with the keys from %s in what is signed %s', async (keys, signed) => {
    const key = of(keys, 'key.asc');
    if (isBeside) {
      expect(await verify(key, of(signed, 'packets'), of(signed, 'text'))).toBe(true);
      expect(await verify(key, of(signed, 'armor'), of(signed, 'text'))).toBe(true);
    }
    if (isAround) expect(await verify(key, of(signed, 'clear'))).toBe(true);
  });

  it('finds none in what was changed, or signed by another key', async () => {
    const key = of('during', 'key.asc');
    if (isBeside) {
      expect(await verify(key, of('during', 'armor'), of('during', 'other'))).toBe(false);
      expect(await verify(of('before', 'key.asc'), of('after', 'armor'), of('after', 'text'))).toBe(false);
    }
    if (isAround) {
      expect(await verify(key, of('during', 'other-clear'))).toBe(false);
      expect(await verify(of('before', 'key.asc'), of('after', 'clear'))).toBe(false);
    }
  });
});

/** The secret key that `gpg --export-secret-keys` writes without a passphrase (RFC 9580, section 5.5.3), and when it was made. */
const readSecretKey = (bytes: Buffer) => {
  // The header of an old packet has three bytes; then the version, the time and the algorithm.
  let at = 3 + 6;
  const next = (): Buffer => {
    const end = at + 2 + Math.ceil(bytes.readUInt16BE(at) / 8);
    const number = bytes.subarray(at + 2, end);
    at = end;
    return number;
  };
  const [n, e] = [next(), next()];
  at += 1;
  // OpenPGP has the inverse of p, and PKCS #1 that of q: the two primes change places.
  const [d, q, p, qi] = [next(), next(), next(), next()];
  const bigOf = (number: Buffer): bigint => BigInt(`0x${number.toString('hex')}`);
  const restOf = (prime: Buffer): Buffer => {
    const hex = (bigOf(d) % (bigOf(prime) - 1n)).toString(16);
    return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  };
  const numbers = { n, e, d, p, q, qi, dp: restOf(p), dq: restOf(q) };
  const fields = Object.entries(numbers).map(([name, number]) => [name, number.toString('base64url')]);
  const key = createPrivateKey({ key: { kty: 'RSA', ...Object.fromEntries(fields) }, format: 'jwk' });
  return { key, createdAt: bytes.readUInt32BE(4) };
};

const itWithGpg = present.includes('gpg') ? it : it.skip;

itWithGpg('a key that a team brings along signs for those who have its old certificate', async () => {
  const home = mkdtempSync(join(folder, 'old-'));
  const options = ['--batch', '--homedir', home, '--passphrase', '', '--pinentry-mode', 'loopback'];
  await run('gpg', [...options, '--quick-generate-key', 'Old <old@example.com>', 'rsa3072', 'sign', 'never']);
  await run('gpg', [...options, '--output', join(home, 'old.gpg'), '--export']);
  const exported = await run('gpg', [...options, '--export-secret-keys'], { encoding: 'buffer' });
  await run('gpgconf', ['--homedir', home, '--kill', 'all']);
  const { key, createdAt } = readSecretKey(exported.stdout);
  writeFileSync(join(home, 'signing-brought.pem'), key.export({ format: 'pem', type: 'pkcs8' }));
  const brought = await startKeyService(home, async () => false);
  Object.assign(process.env, { AWS_ENDPOINT_URL_KMS: brought.url, SIGNING_KEYS: `brought ${createdAt}` });
  writeFileSync(join(home, 'signed'), await clearsigned(text, new Date(), request));
  brought.stop();
  expect(await gpg(join(home, 'old.gpg'), join(home, 'signed'))).toBe(true);
  expect(await gpg(of('during', 'key.asc'), join(home, 'signed'))).toBe(false);
});
