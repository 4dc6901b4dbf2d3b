import type { IncomingMessage } from 'node:http';
import { frontHeader, frontUrlVariable } from '../../shared/http/request-address.ts';
import type { Assembly } from './assembly.ts';
import { isOwnHost } from './host-for-others.ts';
import type { Match } from './routes.ts';
import { local } from './template.ts';

/** API Gateway's limit for a request. */
const bodyBytesMax = 10 * 1024 * 1024;

/** Headers of a request that API Gateway keeps to itself. */
const notPassedOn = new Set(
  `connection content-length content-md5 expect max-forwards proxy-authenticate server te trailer transfer-encoding
   upgrade www-authenticate`.split(/\s+/),
);

export const apiId = 'local';

type Values = Readonly<Record<string, readonly string[]>>;

/** A request as the gateway sees it, before it calls a function. */
export interface GatewayRequest {
  readonly requestId: string;
  readonly method: string;
  /** As it was sent: encoded, with its trailing slash, and without the stage. */
  readonly path: string;
  /** The stage before the path, where the request names it. */
  readonly basePath: string;
  readonly headers: Values;
  readonly query: Values;
  readonly sourceIp: string;
  readonly stage: string;
  readonly stageVariables?: Readonly<Record<string, string>> | undefined;
}

/** The context from the authorizer, which functions find in `requestContext.authorizer`. */
export type AuthorizerContext = Readonly<Record<string, string | number | boolean>>;

export const gatewayRequest = (
  message: IncomingMessage,
  requestId: string,
  { stage, stageVariables }: Pick<Assembly, 'stage' | 'stageVariables'>,
): GatewayRequest => {
  const { authority = ownHostOf(message), target } = targetOf(message);
  const [sent = '', ...query] = target.split('?');
  // AWS serves one of the two: the stage at its own host name, no stage at a domain. Here a base URL may have either form.
  const basePath = `${sent}/`.startsWith(`/${stage}/`) ? `/${stage}` : '';
  const sourceIp = message.socket.remoteAddress ?? '';
  return {
    requestId,
    method: message.method ?? '',
    path: sent.slice(basePath.length) || '/',
    basePath,
    headers: { ...headersOf(message, authority), 'X-Forwarded-For': [sourceIp], 'X-Forwarded-Proto': ['http'] },
    query: grouped(new URLSearchParams(query.join('?'))),
    sourceIp,
    stage,
    stageVariables: variablesFor(message, stageVariables),
  };
};

/** A stage knows the URL of its front for reads. Here, the front has all names of this machine, and tells the one that the client used. */
const variablesFor = (
  { headers: { [frontHeader]: host } }: IncomingMessage,
  variables: Assembly['stageVariables'],
): Assembly['stageVariables'] =>
  variables && typeof host === 'string' && isOwnHost(host)
    ? { ...variables, [frontUrlVariable]: `http://${host}` }
    : variables;

/** A request for a proxy names the whole URL. RFC 9112, section 3.2.2: then its host counts, not the header. */
const targetOf = ({ url = '' }: IncomingMessage): { authority: string | undefined; target: string } => {
  const [, authority, rest = ''] = /^https?:\/\/(?:[^/?@]*@)?([^/?]*)(.*)$/i.exec(url) ?? [];
  if (authority === undefined) return { authority, target: url };
  return { authority, target: rest.startsWith('/') ? rest : `/${rest}` };
};

/** Where the client has connected to: the host of a request of HTTP/1.0 that names none. */
export const ownHostOf = ({
  headers,
  socket: { localAddress = '', localPort },
}: IncomingMessage): string | undefined =>
  headers.host === undefined
    ? `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
    : undefined;

/** Header names keep the client's case; the same name in another case joins the first entry. */
const headersOf = ({ rawHeaders }: IncomingMessage, authority: string | undefined): Values => {
  const spelling = new Map<string, string>();
  const pairs: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const known = spelling.get(name.toLowerCase()) ?? name;
    spelling.set(name.toLowerCase(), known);
    if (!notPassedOn.has(name.toLowerCase())) pairs.push([known, rawHeaders[index + 1] ?? '']);
  }
  const headers = grouped(pairs);
  return authority === undefined ? headers : { ...headers, [spelling.get('host') ?? 'Host']: [authority] };
};

const grouped = (pairs: Iterable<[string, string]>): Values => {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
};

/** All values of a header; the case of the name does not matter. */
export const headerValues = ({ headers }: GatewayRequest, name: string): readonly string[] =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? [];

/** Reads the body; undefined when it exceeds API Gateway's limit. */
export const readBody = async (message: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // The rest of a body that is too large is read and dropped: closing the connection would lose the answer.
    if (bytes <= bodyBytesMax) chunks.push(chunk);
  }
  return bytes <= bodyBytesMax ? Buffer.concat(chunks) : undefined;
};

const lastOfEach = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));

const orNull = <T extends object>(values: T): T | null => (Object.keys(values).length > 0 ? values : null);

/** The part of the event that functions and the authorizer share. */
export const eventOf = (request: GatewayRequest, { route, parameters }: Match) => ({
  resource: route.path,
  path: request.path,
  httpMethod: request.method,
  headers: lastOfEach(request.headers),
  multiValueHeaders: request.headers,
  queryStringParameters: orNull(lastOfEach(request.query)),
  multiValueQueryStringParameters: orNull(request.query),
  pathParameters: orNull(parameters),
  stageVariables: orNull(request.stageVariables ?? {}),
  requestContext: contextOf(request, route.path),
});

const contextOf = (request: GatewayRequest, resourcePath: string) => ({
  accountId: local.accountId,
  apiId,
  stage: request.stage,
  requestId: request.requestId,
  extendedRequestId: request.requestId,
  requestTimeEpoch: Date.now(),
  protocol: 'HTTP/1.1',
  httpMethod: request.method,
  path: request.basePath + request.path,
  resourcePath,
  identity: { sourceIp: request.sourceIp, userAgent: headerValues(request, 'User-Agent').at(-1) ?? null },
});

/** The event of a proxy integration. The API takes all media types as binary, so the body is base64. */
export const proxyEvent = (
  request: GatewayRequest,
  match: Match,
  authorizer: AuthorizerContext | undefined,
  body: Buffer,
) => {
  const event = eventOf(request, match);
  return {
    ...event,
    requestContext: { ...event.requestContext, ...(authorizer && { authorizer }) },
    body: body.length > 0 ? body.toString('base64') : null,
    isBase64Encoded: body.length > 0,
  };
};
