import { constants, createDecipheriv, createPrivateKey, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Stands for the AWS CLI where a key is imported into KMS: `aws kms …` with the commands of the runbook. The keys are files of the folder
 * `KMS_FOLDER`, as the local KMS reads them. It unwraps what it is sent as KMS does, and ends with an error where KMS would refuse.
 */
const folder = process.env.KMS_FOLDER ?? '';
/** What a key is called: its kind. */
const ids = ['rsa-2048', 'rsa-3072', 'rsa-4096'];
const file = (name: string): string => join(folder, name);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'key-id': { type: 'string' },
    'key-spec': { type: 'string' },
    'key-usage': { type: 'string' },
    origin: { type: 'string' },
    'wrapping-algorithm': { type: 'string' },
    'wrapping-key-spec': { type: 'string' },
    'encrypted-key-material': { type: 'string' },
    'import-token': { type: 'string' },
    'expiration-model': { type: 'string' },
    query: { type: 'string' },
    output: { type: 'string' },
  },
});

const require = (name: keyof typeof values, ...allowed: readonly string[]): string => {
  const value = values[name] ?? '';
  if (allowed.length > 0 && !allowed.includes(value)) throw new Error(`ValidationException: --${name} ${value}`);
  return value;
};

const bytesOf = (name: 'encrypted-key-material' | 'import-token'): Buffer =>
  readFileSync(require(name).replace(/^fileb:\/\//, ''));

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const createKey = (): void => {
  require('origin', 'EXTERNAL');
  require('key-usage', 'SIGN_VERIFY');
  writeFileSync(file('spec'), require('key-spec', 'RSA_2048', 'RSA_3072', 'RSA_4096'));
  require('query', 'KeyMetadata.KeyId');
  say(require('key-spec').toLowerCase().replace('_', '-'));
};

const getParameters = (): void => {
  require('key-id', ...ids);
  require('wrapping-algorithm', 'RSA_AES_KEY_WRAP_SHA_256');
  require('wrapping-key-spec', 'RSA_4096');
  require('query', '[PublicKey,ImportToken]');
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 4_096 });
  writeFileSync(file('wrapping.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const der = publicKey.export({ type: 'spki', format: 'der' });
  say(`${der.toString('base64')}\t${Buffer.from('the token').toString('base64')}`);
};

const importMaterial = (): void => {
  require('key-id', ...ids);
  require('expiration-model', 'KEY_MATERIAL_DOES_NOT_EXPIRE');
  if (bytesOf('import-token').toString() !== 'the token') throw new Error('InvalidImportTokenException');
  const material = bytesOf('encrypted-key-material');
  const wrapping = {
    key: readFileSync(file('wrapping.pem')),
    padding: constants.RSA_PKCS1_OAEP_PADDING,
    oaepHash: 'sha256',
  };
  const aes = privateDecrypt(wrapping, material.subarray(0, 512));
  const unwrapping = createDecipheriv('id-aes256-wrap-pad', aes, Buffer.from('A65959A6', 'hex'));
  const der = Buffer.concat([unwrapping.update(material.subarray(512)), unwrapping.final()]);
  const key = createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
  const spec = `RSA_${key.asymmetricKeyDetails?.modulusLength}`;
  if (spec !== readFileSync(file('spec'), 'utf8')) throw new Error(`IncorrectKeyMaterialException: ${spec}`);
  writeFileSync(file(`signing-${require('key-id')}.pem`), key.export({ type: 'pkcs8', format: 'pem' }));
};

const describeKey = (): void => {
  require('key-id', ...ids);
  require('query', 'KeyMetadata.Arn');
  say(`arn:aws:kms:eu-west-1:123456789012:key/${require('key-id')}`);
};

const commands: Readonly<Record<string, () => void>> = {
  'create-key': createKey,
  'get-parameters-for-import': getParameters,
  'import-key-material': importMaterial,
  'describe-key': describeKey,
};
const [service, command = ''] = positionals;
const run = commands[command];
if (service !== 'kms' || !run) throw new Error(`Unknown command: ${positionals.join(' ')}`);
run();
