import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOwnHost } from './host-for-others.ts';
import { type Invocable, PayloadTooLarge, payloadBytesMax } from './lambda.ts';
import { readBody } from './request.ts';
import { isProxyResult, type ProxyResult, sendResult } from './response.ts';
import { local } from './template.ts';
import { CallNotBegun } from './turns.ts';

/**
 * Whether Lambda hands a body over as text: by its media type. One without a type is binary, as measured on AWS in
 * https://github.com/ministackorg/ministack/pull/766.
 */
const isText = (mediaType = ''): boolean => /^text\/|^application\/(?:json|javascript|xml)\b/i.test(mediaType);

/** Lambda gives a function the headers by their names in lower case, several of one name joined, and the cookies apart. */
const headersOf = ({ rawHeaders, headers: { cookie: _cookie, ...known }, socket }: IncomingMessage) => {
  const values: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (Object.hasOwn(known, name)) values[name] = values[name] === undefined ? value : `${values[name]},${value}`;
  }
  return { ...values, 'x-forwarded-for': socket.remoteAddress ?? '', 'x-forwarded-proto': 'http' };
};

/** The event of a function URL, payload 2.0: path and query are as they were sent. */
const urlEvent = (message: IncomingMessage, authority: string, requestId: string, body: Buffer) => {
  const { method = '', headers, socket } = message;
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is.exec(message.url ?? '') ?? [];
  const rawPath = path === '' ? '/' : path;
  const isBase64Encoded = body.length > 0 && !isText(headers['content-type']);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: query,
    ...(headers.cookie !== undefined && { cookies: headers.cookie.split(/; */) }),
    headers: headersOf(message),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      // Lambda has found the function by it. Here, a function has all names of this machine.
      domainName: isOwnHost(headers.host ?? '') ? headers.host : authority,
      domainPrefix: 'local',
      http: {
        method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: socket.remoteAddress ?? '',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
      region: local.region,
    },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
};

const refuse = (response: ServerResponse, status: number, message: string): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ Message: message }));
};

const tooLarge = `Request must be smaller than ${payloadBytesMax} bytes for the InvokeFunction operation`;

/** Answers a request as a function URL of Lambda does: 6 MB both ways, and no answer but that of the function. */
export const answerAtUrl = async (
  lambda: Invocable,
  authority: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const requestId = randomUUID();
  const body = await readBody(message);
  if (!body) return refuse(response, 413, tooLarge);
  try {
    const result = await lambda.invoke(urlEvent(message, authority, requestId, body));
    if (!isProxyResult(result)) return refuse(response, 502, 'Internal Server Error');
    return sendResult(response, requestId, withCookies(result));
  } catch (error) {
    if (error instanceof PayloadTooLarge) return refuse(response, 413, tooLarge);
    if (error instanceof CallNotBegun) return refuse(response, 429, 'Rate Exceeded.');
    return refuse(response, 502, 'Internal Server Error');
  }
};

/** Lambda takes cookies from their field alone. */
const withCookies = ({ cookies = [], headers, ...result }: ProxyResult & { readonly cookies?: readonly string[] }) => ({
  ...result,
  headers: Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() !== 'set-cookie')),
  ...(cookies.length > 0 && { multiValueHeaders: { 'Set-Cookie': [...cookies] } }),
});
