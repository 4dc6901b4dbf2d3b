import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withoutTokens } from '../auth/tokens.ts';
import { type DoorAddress, doorSettings } from '../door-settings.ts';
import { edgeSecretHeader } from '../edge.ts';
import { ApiError, errors } from '../errors.ts';
import { refuseCrossSite } from '../http/cross-site.ts';
import { sendAnswersBeforeClosing } from '../idle-connections.ts';
import { jsonBytesMax, requestBytesMax } from '../limits.ts';
import { refuseLoop } from '../request-chain.ts';
import { partBytes } from '../store/receiving.ts';
import { answerProblem, relay, relayWhole } from './answering.ts';
import { callApi } from './api.ts';
import { isFromEdge } from './edge-secret.ts';
import { baseUrlOf, targetOf } from './headers.ts';
import { ClientGone, IncomingBody } from './incoming-body.ts';
import { answerMalformed } from './malformed-requests.ts';
import { SharedMemory } from './shared-memory.ts';
import { upload } from './uploading.ts';

/** A client that is silent for so long is cut. */
const silenceMilliseconds = 60_000;

/** Longer than the proxies in front of the door keep an idle connection, so that it closes none while a request arrives. */
const keepAliveMilliseconds = 310_000;

/** So much of a body of unknown length is in memory before anybody is asked: most are shorter, and need no question. */
const unaskedBytes = jsonBytesMax;

const uploadMethods: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH']);

/** How a request was served, for its log line. */
type Way = 'passed' | 'staged' | 'refused' | 'cut' | 'failed';

/** The server in front of the API: it takes bodies that are too large for a request there, and passes everything else on. */
export class Door {
  private readonly server: Server;
  private readonly memory = new SharedMemory(doorSettings.uploadsMax * partBytes);

  private constructor() {
    // A large body may take any time, as long as it moves.
    this.server = createServer({ requestTimeout: 0, keepAliveTimeout: keepAliveMilliseconds }, (request, response) => {
      void this.serve(request, response);
    });
    // By default, Node drops the answer to a client that has sent all it wants to send.
    Object.assign(this.server, { httpAllowHalfOpen: true });
    answerMalformed(this.server);
    sendAnswersBeforeClosing(this.server);
  }

  static async open({ host, port }: DoorAddress): Promise<Door> {
    const door = new Door();
    door.server.listen(port, host);
    await once(door.server, 'listening');
    return door;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Accepts no new connections, and ends when all requests are answered. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = Date.now();
    const body = new IncomingBody(request, silenceMilliseconds);
    response.on('error', () => {});
    const way = await this.answer(request, response, body);
    const [path = ''] = targetOf(request).split('?');
    const line = {
      level: way === 'failed' ? 'ERROR' : 'INFO',
      message: 'request',
      requestId: response.getHeader('x-request-id'),
      method: request.method,
      path: uploadMethods.has(request.method) ? withoutTokens(path) : undefined,
      status: way === 'cut' ? undefined : response.statusCode,
      way,
      bytes: body.bytes,
      durationMilliseconds: Date.now() - startedAt,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }

  /** Answers, and never before the body was read to its end: on some hosts, an earlier answer stalls. */
  private async answer(request: IncomingMessage, response: ServerResponse, body: IncomingBody): Promise<Way> {
    try {
      const header = request.headers[edgeSecretHeader];
      if (!(await isFromEdge(Array.isArray(header) ? header[0] : header)))
        throw new ApiError('FORBIDDEN', 'Use the host name of this service: nothing else may call this address.');
      const { method, headers, headersDistinct } = request;
      refuseLoop(headersDistinct.via ?? []);
      refuseCrossSite({ method, header: (name) => [headers[name]].flat()[0], baseUrl: baseUrlOf(request) });
      return await this.pass(request, response, body);
    } catch (error) {
      return this.refuse(response, body, error);
    }
  }

  private async refuse(response: ServerResponse, body: IncomingBody, error: unknown): Promise<Way> {
    // A response that is closed already cannot be written: that is the client's doing, and no failure.
    const isUnheard = response.headersSent || (response.destroyed && !(error instanceof ApiError));
    if (error instanceof ClientGone || isUnheard) {
      response.destroy();
      return 'cut';
    }
    try {
      await body.drain();
      answerProblem(response, error);
    } catch {
      return 'cut';
    }
    if (error instanceof ApiError && errors[error.code].status === 403) return 'refused';
    const cause = error instanceof ApiError ? (error.cause ?? error) : error;
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause;
    process.stdout.write(`${JSON.stringify({ level: 'ERROR', message: 'failure', cause: text })}\n`);
    return 'failed';
  }

  private async pass(request: IncomingMessage, response: ServerResponse, body: IncomingBody): Promise<Way> {
    const passOn = async (content: Buffer | IncomingBody): Promise<Way> => {
      await relay(response, await callApi({ request, body: content }));
      return 'passed';
    };
    const stage = async (begin: Buffer[]): Promise<Way> => {
      const { answer, isStaged } = await upload({ request, body, begin }, this.memory);
      relayWhole(response, answer);
      if ((answer.head.statusCode ?? 0) >= 400) return 'refused';
      return isStaged ? 'staged' : 'passed';
    };
    if (!uploadMethods.has(request.method) || !body.isPresent) return passOn(body);
    const { declaredBytes } = body;
    if (declaredBytes !== undefined) return declaredBytes > requestBytesMax ? stage([]) : passOn(body);
    const begin = await body.read(unaskedBytes);
    return body.isRead ? passOn(Buffer.concat(begin)) : stage(begin);
  }
}
