import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, privateEncrypt } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeKeyOnce } from './key-file.ts';
import { StartError } from './start-error.ts';

const generate = promisify(generateKeyPair);

/** What stands before a digest of SHA-256 in a signature of PKCS #1 v1.5: the name of the hash, in DER. */
const sha256Prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/**
 * Signs as KMS does with the asymmetric keys of a stack: each is made when it is first needed, and kept as `signing-{key}.pem` in the
 * data directory. Without one, they are lost when the process ends.
 */
export class LocalSigningKeys {
  private readonly directory: string | undefined;
  private readonly keys = new Map<string, Promise<KeyObject>>();

  constructor(directory: string | undefined) {
    this.directory = directory;
  }

  /** The public key of a key, as SubjectPublicKeyInfo in DER. */
  async publicKey(keyId: string): Promise<Buffer> {
    return createPublicKey(await this.keyOf(keyId)).export({ format: 'der', type: 'spki' });
  }

  /** The signature of a digest of SHA-256. */
  async sign(keyId: string, digest: Buffer): Promise<Buffer> {
    return privateEncrypt(await this.keyOf(keyId), Buffer.concat([sha256Prefix, digest]));
  }

  private async keyOf(keyId: string): Promise<KeyObject> {
    const name = keyId.replace(/^.*\//, '');
    const found = this.keys.get(name) ?? this.load(name);
    this.keys.set(name, found);
    return found;
  }

  private async load(name: string): Promise<KeyObject> {
    if (!this.directory) return (await newKey()).key;
    const file = join(this.directory, `signing-${name}.pem`);
    if (!statSync(file, { throwIfNoEntry: false })?.size) writeKeyOnce(file, (await newKey()).pem);
    return readKey(file);
  }
}

const newKey = async () => {
  const { privateKey: key } = await generate('rsa', { modulusLength: 3_072 });
  return { key, pem: String(key.export({ format: 'pem', type: 'pkcs8' })) };
};

const readKey = (file: string): KeyObject => {
  try {
    return createPrivateKey(readFileSync(file));
  } catch (cause) {
    throw new StartError(`${file} is no private key in PEM: restore the file, because clients trust its public key.`, {
      cause,
    });
  }
};
