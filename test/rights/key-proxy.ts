import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What can go wrong between a function and the key service. */
export type KeyFault = 'drop' | 'hang' | 'KMSInternalException' | 'ThrottlingException' | 'AccessDeniedException';

/** Stands between the functions and the key service, which never fails by itself. */
export class KeyProxy {
  /** Where requests go; known once the service runs. */
  target = '';
  private fault: KeyFault | undefined;
  private times = 0;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((incoming, outgoing) => {
      this.handle(incoming, outgoing).catch(() => incoming.socket.destroy());
    });
  }

  static async start(): Promise<KeyProxy> {
    const proxy = new KeyProxy();
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Lets so many calls meet a fault. */
  inject(fault: KeyFault, times = Number.POSITIVE_INFINITY): void {
    this.fault = fault;
    this.times = times;
  }

  heal(): void {
    this.times = 0;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const fault = this.times > 0 ? this.fault : undefined;
    this.times -= 1;
    if (fault === 'hang') return;
    if (fault === 'drop') {
      incoming.socket.destroy();
      return;
    }
    if (fault) {
      const status = fault === 'KMSInternalException' ? 500 : 400;
      outgoing.writeHead(status).end(JSON.stringify({ __type: fault, message: 'The key service says no.' }));
      return;
    }
    const answer = await callKeyService(this.target, String(incoming.headers['x-amz-target']), body);
    outgoing.writeHead(answer.status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(await answer.text());
  }
}

const callKeyService = async (url: string, target: string, body: string): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'X-Amz-Target': target }, body });

/** Opens a ciphertext as who holds the right to decrypt; undefined when it does not open with this context. */
export const decrypt = async (
  url: string,
  ciphertext: string,
  context: Readonly<Record<string, string>>,
): Promise<string | undefined> => {
  const body = JSON.stringify({ CiphertextBlob: ciphertext, EncryptionContext: context });
  const answer = await callKeyService(url, 'TrentService.Decrypt', body);
  if (!answer.ok) return undefined;
  const { Plaintext } = (await answer.json()) as { Plaintext: string };
  return Buffer.from(Plaintext, 'base64').toString('utf8');
};
