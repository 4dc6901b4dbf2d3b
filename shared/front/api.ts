import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { APIGatewayProxyStructuredResultV2, LambdaFunctionURLEvent } from 'aws-lambda';
import { doorEnvironment, requiredVariable } from '../config.ts';
import { passedHeaders } from '../door/headers.ts';
import { edgeSecretHeader, viewerHeader } from '../edge.ts';
import { ApiError } from '../errors.ts';
import { consoleHeader } from '../http/console-header.ts';
import { doorHeaderPrefix } from '../http/door-headers.ts';
import { frontHeader } from '../http/request-address.ts';
import { problemResponse } from '../http/response.ts';
import { answerBytesMax } from '../packages/serve/document-answers.ts';
import { atEdge } from './edge-addresses.ts';
import { isBehindEdge } from './edge-events.ts';
import { headersOf } from './url-events.ts';

/** API Gateway answers within 29 seconds after a request. */
const answerMilliseconds = 35_000;

/** An idle connection is not used again after this: API Gateway may be about to close it. */
const idleMilliseconds = 15_000;

const agents = {
  'http:': new http.Agent({ keepAlive: true, timeout: idleMilliseconds }),
  'https:': new https.Agent({ keepAlive: true, timeout: idleMilliseconds }),
} as const;

/** The API, as the stack says it. */
const apiUrl = (): URL => new URL(requiredVariable(doorEnvironment.apiUrl));

/** What Lambda and API Gateway say of a connection. The host is that of the API, which says the rest itself. */
const ofHop = /^(?:host|forwarded|x-forwarded-.*|x-amzn-.*)$/;

/** What CloudFront says, which the firewall of the API wants to read, too. */
const isOfEdge = (name: string): boolean => name === edgeSecretHeader || name === viewerHeader;

/** What only the parts of the service tell each other. A page of the console says that it is one. */
const isOfService = (name: string): boolean =>
  name.startsWith(doorHeaderPrefix) && name !== consoleHeader.toLowerCase() && !(isBehindEdge() && isOfEdge(name));

const sentHeaders = (event: LambdaFunctionURLEvent): http.OutgoingHttpHeaders => {
  const headers = headersOf(event);
  const passed = passedHeaders({ headers, rawHeaders: Object.entries(headers).flat() });
  return {
    ...Object.fromEntries(Object.entries(passed).filter(([name]) => !ofHop.test(name) && !isOfService(name))),
    // Behind CloudFront, the whole service has one address, which its configuration says.
    ...(!isBehindEdge() && { [frontHeader]: event.requestContext.domainName }),
  };
};

/**
 * The body as it was sent. Lambda decodes a text, and puts U+FFFD (three bytes) in place of one to three bytes that are no UTF-8. Clients
 * send only valid JSON, which may contain that character itself: there, the length says enough.
 */
const sentBytes = ({ headers, body = '', isBase64Encoded }: LambdaFunctionURLEvent): Buffer => {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const { 'content-length': length, 'content-type': mediaType = '' } = headers;
  const isProven = length !== undefined && /^application\/json\b/i.test(mediaType);
  const isChanged = Number(length ?? bytes.length) !== bytes.length || (!isProven && body.includes('\uFFFD'));
  if (!isBase64Encoded && isChanged) throw new ApiError('REQUEST_INVALID', notUtf8);
  return bytes;
};

const notUtf8 =
  'This address passes on text only in UTF-8, and this body is not: send a file as application/octet-stream, or send the request to the base URL of the API.';

const send = async (event: LambdaFunctionURLEvent): Promise<IncomingMessage> => {
  const bytes = sentBytes(event);
  const { protocol, hostname, port, pathname } = apiUrl();
  const { rawPath, rawQueryString, requestContext } = event;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isSecure = protocol === 'https:';
  const request = (isSecure ? https : http).request({
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    method: requestContext.http.method,
    path: pathname.replace(/\/$/, '') + rawPath + (rawQueryString === '' ? '' : `?${rawQueryString}`),
    headers: { ...sentHeaders(event), ...(bytes.length > 0 && { 'content-length': bytes.length }) },
    agent: agents[isSecure ? 'https:' : 'http:'],
    signal: AbortSignal.timeout(answerMilliseconds),
  });
  request.once('response', resolve).once('error', reject);
  request.end(bytes);
  return promise;
};

/** The headers of an answer: Lambda and Node say the length and the date themselves. */
const answeredHeaders = (answer: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(passedHeaders(answer))
      .filter(([name]) => name !== 'set-cookie' && name !== 'date' && !ofHop.test(name))
      .map(([name, value]) => [name, [value].flat().join(', ')]),
  );

/** The body of an answer. That to HEAD has none: Lambda leaves it out, and tells the length of what the function returned. */
const contentOf = async (event: LambdaFunctionURLEvent, answer: IncomingMessage): Promise<Buffer> => {
  const content = await buffer(answer);
  if (event.requestContext.http.method !== 'HEAD') return content;
  return Buffer.alloc(Math.min(Number(answer.headers['content-length'] ?? 0), answerBytesMax));
};

const lost = (cause: unknown): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'The API behind this address does not answer. Send the request again later.',
    [],
    { cause },
  );

/**
 * Lets the API answer a request: the same method, credential, path, query and body, byte for byte. An answer has at most 6 MB, which those
 * of the API have as well: bytes in base64, and a text that is longer as it is. Behind CloudFront, a redirect to a blob leads to CloudFront.
 */
export const askApi = async (event: LambdaFunctionURLEvent): Promise<APIGatewayProxyStructuredResultV2> => {
  try {
    const answer = await send(event);
    const content = await contentOf(event, answer);
    const isBase64Encoded = content.length <= answerBytesMax;
    return await atEdge({
      statusCode: answer.statusCode ?? 0,
      headers: answeredHeaders(answer),
      cookies: answer.headers['set-cookie'] ?? [],
      body: content.toString(isBase64Encoded ? 'base64' : 'utf8'),
      isBase64Encoded,
    });
  } catch (error) {
    return problemResponse(error instanceof ApiError ? error : lost(error), event.requestContext.requestId);
  }
};
