import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Runner } from '../../infra/local/runner.ts';
import { downloadKeyVariable, publicUrlVariable } from '../../shared/config.ts';
import { downloadsPath, edgeSecretHeader } from '../../shared/edge.ts';
import { edgeFunction, type OwnAnswer, type ViewerHeader, type ViewerRequest } from '../infra/edge/viewer-request.ts';
import { serveBlob } from './edge-blobs.ts';

/** The headers of a message as the functions of CloudFront see them. */
const viewerHeaders = ({ rawHeaders }: IncomingMessage): Record<string, ViewerHeader> => {
  const values = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    values.set(name, [...(values.get(name) ?? []), rawHeaders[index + 1] ?? '']);
  }
  return Object.fromEntries(
    Array.from(values, ([name, all]) => [
      name,
      { value: all[0] ?? '', ...(all.length > 1 && { multiValue: all.map((value) => ({ value })) }) },
    ]),
  );
};

const sentHeaders = ({ headers }: ViewerRequest): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, { value, multiValue }]) => [
      name,
      multiValue ? multiValue.map((each) => each.value) : value,
    ]),
  );

/** What CloudFront puts in place of `Authorization` where it signs each request, with what belongs to it. */
const signature = {
  authorization: 'AWS4-HMAC-SHA256 Credential=CLOUDFRONT/20260101/eu-west-1/lambda/aws4_request, Signature=0',
  'x-amz-date': '20260101T000000Z',
  'x-amz-security-token': 'of CloudFront',
};

/** The secret by which CloudFront proves itself to the API. */
export const edgeSecret = 'the secret of the edge';

const keyId = 'K2EDGE';

/**
 * The distribution of a stage whose reads are at the edge: it runs the code of its functions, asks the front as CloudFront does, lets the
 * API answer everything else, and serves files whose address is signed. What CloudFront itself does is emulated, as its documentation
 * says it; what only an account can show is in the runbook.
 */
export class EmulatedEdge {
  /** Asks the front or the API, once there are some. */
  private runner: Pick<Runner, 'apiUrl' | 'packagesUrl' | 'storeUrl' | 'bucket'> | undefined;
  private readonly choose = edgeFunction(true);
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly server = createServer((...call) => void this.answer(...call).catch(() => call[1].destroy()));
  private readonly secrets = createServer((...call) => this.tellSecret(...call));

  /** Signs addresses of files. */
  get privateKey(): KeyObject {
    return this.keys.privateKey;
  }

  get url(): string {
    return urlOf(this.server);
  }

  /** What the functions of such a stage know of their address and of the key of files, here. */
  get environment(): Readonly<Record<string, string>> {
    return {
      [downloadKeyVariable]: `${keyId} arn:aws:secretsmanager:us-east-1:000000000000:secret:downloads-AbCdEf`,
      [publicUrlVariable]: this.url,
      AWS_ENDPOINT_URL_SECRETSMANAGER: urlOf(this.secrets),
    };
  }

  async start(): Promise<void> {
    for (const server of [this.server, this.secrets]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      server.unref();
    }
  }

  connect(runner: Runner): void {
    this.runner = runner;
  }

  stop(): void {
    for (const server of [this.server, this.secrets]) {
      server.close();
      server.closeAllConnections();
    }
  }

  private async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/', socket } = message;
    if (!this.runner) throw new Error('The edge has no origins yet.');
    if (url.startsWith(downloadsPath))
      return serveBlob(message, response, { ...this.runner, edgeUrl: this.url, keyId, publicKey: this.keys.publicKey });
    const [uri = '/', ...query] = url.split('?');
    const seen = { method, uri, headers: viewerHeaders(message) };
    const { origin, passed } = this.choose(seen, socket.remoteAddress, randomUUID());
    if ('statusCode' in passed) return sendOwn(response, passed);
    const isRead = origin === 'packages';
    const { host: _host, ...headers } = sentHeaders(passed);
    const sent = { ...headers, [edgeSecretHeader]: edgeSecret, ...(isRead && signature) };
    const target = (isRead && this.runner.packagesUrl) || this.runner.apiUrl;
    const path = [uri, ...query].join('?');
    const { hostname, port } = new URL(target);
    const asked = request({ hostname, port, method, path, headers: sent, agent: false });
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    await Promise.all([pipeline(message, asked), answered.then(([answer]) => passOn(answer, response))]);
  }

  private tellSecret(_: IncomingMessage, response: ServerResponse): void {
    const pem = this.keys.privateKey.export({ type: 'sec1', format: 'pem' });
    response.end(JSON.stringify({ SecretString: pem }));
  }
}

const urlOf = (server: ReturnType<typeof createServer>): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const sendOwn = (response: ServerResponse, { statusCode, headers, body }: OwnAnswer): void => {
  const told = Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]));
  response.writeHead(statusCode, { ...told, 'content-length': Buffer.byteLength(body.data) }).end(body.data);
};

const passOn = async (answer: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { connection: _connection, 'keep-alive': _time, ...headers } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, headers);
  await pipeline(answer, response);
};
