import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { config } from './config.ts';

type AwsAccess = typeof config.awsAccess;

/** A POST to a service. The names of its headers are in lower case, and no value has blanks around it or several in a row. */
export interface UnsignedPost {
  /** As it is sent: percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What signs the requests of a day. */
interface DailyKey {
  readonly day: string;
  readonly key: KeyObject;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** The encoding of a path in the signature: RFC 3986 reserves five characters that encodeURIComponent does not encode. */
const encoded = (segment: string): string =>
  encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Signs POSTs to a service of AWS, without a query: most of what a process signs, and all of it alike. The signer of the SDK takes any
 * request, and five times as long. docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export class PostSigner {
  private readonly service: string;
  private readonly access: AwsAccess;
  private known: DailyKey | undefined;

  constructor(service: string, access: AwsAccess) {
    this.service = service;
    this.access = access;
  }

  /** The headers of a request, which are all signed, and the signature. */
  sign({ path, headers, body }: UnsignedPost, now = new Date()): Record<string, string> {
    const { accessKeyId, sessionToken } = this.access.credentials;
    const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const day = time.slice(0, 8);
    const scope = this.scopeOf(day).join('/');
    const signed: Record<string, string> = { ...headers, 'x-amz-date': time };
    if (sessionToken) signed['x-amz-security-token'] = sessionToken;
    const names = Object.keys(signed).toSorted();
    const lines = names.map((name) => `${name}:${signed[name]}`).join('\n');
    const canonicalPath = path.split('/').map(encoded).join('/');
    const request = `POST\n${canonicalPath}\n\n${lines}\n\n${names.join(';')}\n${hash('sha256', body)}`;
    const signature = createHmac('sha256', this.keyOf(day))
      .update(`${algorithm}\n${time}\n${scope}\n${hash('sha256', request)}`)
      .digest('hex');
    signed.authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    return signed;
  }

  private scopeOf(day: string): readonly string[] {
    return [day, this.access.region, this.service, 'aws4_request'];
  }

  /** Node 24 takes four times as long for a key in bytes as for a KeyObject: it learns by an exception that they are none. */
  private keyOf(day: string): KeyObject {
    if (this.known?.day === day) return this.known.key;
    const secret: string | Buffer = `AWS4${this.access.credentials.secretAccessKey}`;
    const bytes = this.scopeOf(day).reduce<string | Buffer>(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      secret,
    );
    const key = createSecretKey(bytes as Buffer);
    this.known = { day, key };
    return key;
  }
}
