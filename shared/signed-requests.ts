import { createHash, createHmac, createSecretKey, type Hash, type Hmac } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { SignatureV4 } from '@smithy/signature-v4';
import { config } from './config.ts';
import { connectionsMax } from './limits.ts';
import { PostSigner } from './post-signatures.ts';

/**
 * The hash that the signers of the SDK ask for, over node:crypto. Node 24 takes four times as long for a key in bytes as for a
 * KeyObject: it learns by an exception that they are none.
 */
export class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : createSecretKey(bytesOf(secret)));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(typeof data === 'string' ? data : bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    throw new Error('The signer never reuses a hash.');
  }
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);

/** The services of AWS that plain requests go to. The clients of the SDK would add 28 kB and more to a bundle. */
export type PlainService = 's3' | 'kms' | 'lambda' | 'codedeploy' | 'dynamodb' | 'logs' | 'secretsmanager';

let storeSigner: SignatureV4 | undefined;

/** Signs requests to S3 with the credentials of the function, which its process has from its start to its end. */
export const signerOfStore = (): SignatureV4 => {
  // S3 alone takes the path as it is sent.
  storeSigner ??= new SignatureV4({ service: 's3', ...config.awsAccess, sha256: Sha256, uriEscapePath: false });
  return storeSigner;
};

/** What each POST to a service needs. */
interface PostTarget {
  readonly address: Pick<SignedRequest, 'protocol' | 'hostname' | 'port'>;
  readonly host: string;
  readonly signer: PostSigner;
}

const postTargets = new Map<string, PostTarget>();

/** Where POSTs to a service go, and what signs them: the process keeps both. */
const postTargetOf = (service: PlainService): PostTarget => {
  const engine = config.engineOf(service);
  const name = `${service} ${engine}`;
  const target = postTargets.get(name) ?? newPostTarget(service, engine);
  postTargets.set(name, target);
  return target;
};

const newPostTarget = (service: PlainService, engine: string | undefined): PostTarget => {
  const { awsAccess } = config;
  const url = new URL(engine ?? `https://${service}.${awsAccess.region}.amazonaws.com`);
  const { protocol, hostname, port, host } = url;
  return {
    address: { protocol, hostname, port: port ? Number(port) : undefined },
    host,
    signer: new PostSigner(service, awsAccess),
  };
};

/** A signed request. */
export interface SignedRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a service answered. A body that nobody reads must be drained. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: connectionsMax }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: connectionsMax }),
} as const;

/** A body that somebody sends while it arrives. */
export interface SentBody {
  readonly length: number;
  send(request: http.ClientRequest): void;
}

/** How long a service is waited for. */
export interface Patience {
  /** How long nothing may come. */
  readonly silenceMilliseconds: number;
  /** How long a new connection may take, if that is less. */
  readonly connectionMilliseconds?: number;
}

/** Sends a request, once. Rejects when the service does not answer in time. */
export const sendSigned = async (
  { protocol, headers, ...options }: SignedRequest,
  body: string | Uint8Array | SentBody | undefined,
  { silenceMilliseconds, connectionMilliseconds }: Patience,
  signal: AbortSignal,
): Promise<PlainAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<PlainAnswer>();
  const isSecure = protocol === 'https:';
  const request = (isSecure ? https : http).request({
    ...options,
    headers: { ...headers, 'content-length': String(lengthOf(body)) },
    // Whoever waits for its bytes keeps its connection: those that others wait for would be too few.
    agent: isSent(body) ? false : agents[isSecure ? 'https:' : 'http:'],
    timeout: silenceMilliseconds,
    signal,
  });
  request.once('response', (answer) =>
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
  );
  const giveUp = () => request.destroy(Object.assign(new Error('The service is silent.'), { name: 'TimeoutError' }));
  request.once('timeout', giveUp);
  request.once('error', reject);
  if (connectionMilliseconds !== undefined) limitConnection(request, connectionMilliseconds, giveUp);
  if (isSent(body)) body.send(request);
  else request.end(body);
  return promise;
};

const limitConnection = (request: http.ClientRequest, milliseconds: number, giveUp: () => void): void => {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(giveUp, milliseconds);
    const connected = (): void => clearTimeout(timer);
    socket.once('connect', connected).once('close', connected);
  });
};

const isSent = (body: string | Uint8Array | SentBody | undefined): body is SentBody =>
  typeof body === 'object' && 'send' in body;

const lengthOf = (body: string | Uint8Array | SentBody | undefined): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? 0);

/** The text of an answer. Rejects when it ends too early. */
export const textOf = async (answer: IncomingMessage): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  answer.once('end', () => resolve((chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString()));
  answer.once('error', reject);
  return promise;
};

/** A POST to a service whose address is that of its Region. */
export interface ServicePost extends Patience {
  readonly service: Exclude<PlainService, 's3'>;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Signs a POST to a service and sends it, once. Rejects when the service does not answer in time. */
export const postSigned = async (
  { service, path, headers, body, ...patience }: ServicePost,
  signal: AbortSignal,
): Promise<PlainAnswer> => {
  const { address, host, signer } = postTargetOf(service);
  const signed = signer.sign({ path, body, headers: { host, ...headers } });
  return sendSigned({ method: 'POST', ...address, path, headers: signed }, body, patience, signal);
};
