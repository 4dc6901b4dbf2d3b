import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { withoutTokens } from '../auth/tokens.ts';
import { type DoorAddress, doorSettings } from '../door-settings.ts';
import { edgeSecretHeader } from '../edge.ts';
import { ApiError, errors } from '../errors.ts';
import { refuseCrossSite } from '../http/cross-site.ts';
import { createHttpServer } from '../http/http-server.ts';
import { sendAnswersBeforeClosing } from '../idle-connections.ts';
import { jsonBytesMax, requestBytesMax } from '../limits.ts';
import { refuseLoop } from '../request-chain.ts';
import { partBytes } from '../store/received-file.ts';
import { callApi } from './api.ts';
import { upload } from './body-upload.ts';
import { closeAfter } from './connection-close.ts';
import { isFromEdge } from './edge-secret.ts';
import { baseUrlOf, countedViewerOf, targetOf } from './headers.ts';
import { ClientGone, IncomingBody } from './incoming-body.ts';
import { answerProblem, relay, relayWhole } from './responses.ts';
import { SharedMemory } from './shared-memory.ts';
import { UnderWay } from './under-way.ts';

/** One client of containers sends up to ten layers at once, and many pipelines may share a credential or an address. */
const ofOneMax = 64;

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
  /** Bodies that are still arriving and that nobody has allowed yet, by the address of the client. */
  private readonly unasked = new UnderWay(
    ofOneMax,
    `${ofOneMax} bodies from your address are still arriving. Send this one when one of them has ended.`,
  );
  /** Bodies that the API has allowed, by the caller. */
  private readonly allowed = new UnderWay(
    ofOneMax,
    `You have ${ofOneMax} uploads under way. Send this one when one of them has ended.`,
  );

  private constructor() {
    // A large body may take any time, as long as it moves.
    const options = { requestTimeout: 0, keepAliveTimeout: keepAliveMilliseconds };
    this.server = createHttpServer((request, response) => void this.serve(request, response), answerProblem, options);
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

  /** Serves a connection that another server has accepted. */
  accept(socket: Socket): void {
    this.server.emit('connection', socket);
  }

  /** Accepts no new connections, and ends when all requests are answered. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = Date.now();
    const body = new IncomingBody(request);
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

  private async answer(request: IncomingMessage, response: ServerResponse, body: IncomingBody): Promise<Way> {
    try {
      const header = request.headers[edgeSecretHeader];
      if (!(await isFromEdge(Array.isArray(header) ? header[0] : header))) return refuseStranger(response, body);
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
      closeUnlessRead(response, body);
      answerProblem(response, error);
    } catch {
      return 'cut';
    }
    if (error instanceof ApiError && errors[error.code].status < 500) return 'refused';
    const cause = error instanceof ApiError ? (error.cause ?? error) : error;
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause;
    process.stdout.write(`${JSON.stringify({ level: 'ERROR', message: 'failure', cause: text })}\n`);
    return 'failed';
  }

  /** Lets a body that is not small be one of the few of its address, until the API allows it or its end. */
  private async pass(request: IncomingMessage, response: ServerResponse, body: IncomingBody): Promise<Way> {
    const isSmall = !body.isPresent || (body.declaredBytes ?? Number.POSITIVE_INFINITY) <= unaskedBytes;
    const end = isSmall || request.complete ? () => {} : this.unasked.begin(countedViewerOf(request));
    const allow = (caller: string): (() => void) => {
      end();
      return this.allowed.begin(caller);
    };
    try {
      return await this.passAllowed(request, response, body, allow);
    } finally {
      end();
    }
  }

  private async passAllowed(
    request: IncomingMessage,
    response: ServerResponse,
    body: IncomingBody,
    allow: (caller: string) => () => void,
  ): Promise<Way> {
    const passOn = async (content: Buffer | IncomingBody): Promise<Way> => {
      await relay(response, await callApi({ request, body: content }));
      return 'passed';
    };
    const stage = async (begin: Buffer[]): Promise<Way> => {
      if (!uploadMethods.has(request.method)) throw new ApiError('BODY_TOO_LARGE');
      const { answer, isStaged } = await upload({ request, body, begin, allow }, this.memory);
      closeUnlessRead(response, body);
      relayWhole(response, answer);
      if ((answer.head.statusCode ?? 0) >= 400) return 'refused';
      return isStaged ? 'staged' : 'passed';
    };
    if (!body.isPresent) return passOn(body);
    const { declaredBytes } = body;
    if (declaredBytes !== undefined) return declaredBytes > requestBytesMax ? stage([]) : passOn(body);
    const begin = await body.read(unaskedBytes);
    return body.isRead ? passOn(Buffer.concat(begin)) : stage(begin);
  }
}

/** Whoever lacks the secret of the proxy is not worth reading. */
const refuseStranger = (response: ServerResponse, body: IncomingBody): Way => {
  closeUnlessRead(response, body);
  answerProblem(
    response,
    new ApiError('FORBIDDEN', 'Use the host name of this service: nothing else may call this address.'),
  );
  return 'refused';
};

const closeUnlessRead = (response: ServerResponse, body: IncomingBody): void => {
  if (body.isPresent && !body.isRead) closeAfter(response);
};
