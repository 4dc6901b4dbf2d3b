import { createHash, generateKeyPairSync, sign } from 'node:crypto';

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** The hash of a file list, `h1:` of golang.org/x/mod/sumdb/dirhash. */
export const hashOfFiles = (files: Readonly<Record<string, string>>): string => {
  const lines = Object.keys(files)
    .toSorted()
    .map((path) => `${sha256(Buffer.from(files[path] ?? '')).toString('hex')}  ${path}\n`);
  return `h1:${sha256(Buffer.from(lines.join(''))).toString('base64')}`;
};

/** The root of a tree over the hashes of its leaves (RFC 6962 section 2.1). */
const rootOf = (leaves: readonly Buffer[]): Buffer => {
  const [leaf] = leaves;
  if (!leaf) return sha256();
  if (leaves.length === 1) return leaf;
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return sha256(Buffer.from([1]), rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)));
};

/**
 * A checksum database of a few modules (https://go.dev/ref/mod#checksum-database), with a key of its own. A record is what go.sum has
 * of a module.
 */
export class ChecksumDatabase {
  readonly name: string;
  /** The key as GOSUMDB has it. */
  readonly key: string;
  private readonly keyHash: Buffer;
  private readonly signText: (text: string) => Buffer;
  private readonly records: readonly string[];

  constructor(name: string, records: readonly string[]) {
    this.name = name;
    this.records = records;
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    // 1 is the algorithm Ed25519 of signed notes.
    const key = Buffer.concat([Buffer.from([1]), Buffer.from(x, 'base64url')]);
    this.keyHash = sha256(Buffer.from(`${name}\n`), key).subarray(0, 4);
    this.key = `${name}+${this.keyHash.toString('hex')}+${key.toString('base64')}`;
    this.signText = (text) => sign(null, Buffer.from(text), privateKey);
  }

  /** What it answers, by path. */
  documents(): Record<string, string | Buffer> {
    const leaves = this.records.map((record) => sha256(Buffer.from([0]), Buffer.from(record)));
    const tree = this.note(`go.sum database tree\n${leaves.length}\n${rootOf(leaves).toString('base64')}\n`);
    const lookups = this.records.map((record, index) => {
      const [module = '', version = ''] = record.split(' ');
      return [`lookup/${module}@${version}`, `${index}\n${record}\n${tree}`] as const;
    });
    return {
      supported: '',
      latest: tree,
      ...Object.fromEntries(lookups),
      [`tile/8/0/000.p/${leaves.length}`]: Buffer.concat(leaves),
    };
  }

  private note(text: string): string {
    const signature = Buffer.concat([this.keyHash, this.signText(text)]).toString('base64');
    return `${text}\n— ${this.name} ${signature}\n`;
  }
}
