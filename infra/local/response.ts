import type { ServerResponse } from 'node:http';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { GatewayResponse } from '../api/gateway-responses.ts';

/** Headers that API Gateway renames in the answer of a function, because it sends them itself. */
const remapped = new Set(['connection', 'content-length', 'date', 'server', 'www-authenticate']);

/** The answer that a proxy integration accepts from a function: only the status is required. */
export type ProxyResult = Pick<APIGatewayProxyResult, 'statusCode'> & Partial<APIGatewayProxyResult>;

/** Whether the answer of a function has the form that a proxy integration requires. */
export const isProxyResult = (value: unknown): value is ProxyResult =>
  typeof value === 'object' && value !== null && Number.isInteger((value as Partial<ProxyResult>).statusCode);

/** Sends the answer of a function. */
export const sendResult = (response: ServerResponse, requestId: string, result: ProxyResult): void => {
  const { statusCode, headers = {}, multiValueHeaders = {}, body = '', isBase64Encoded = false } = result;
  response.statusCode = statusCode;
  response.setHeader('Content-Type', 'application/json');
  for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
    const sent = remapped.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name;
    response.setHeader(sent, Array.isArray(value) ? value.map(String) : String(value));
  }
  response.setHeader('x-amzn-RequestId', requestId);
  end(response, Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
};

/** Ends a response. Node sends no body where there must be none, but then says nothing of its length either. */
const end = (response: ServerResponse, body: Buffer): void => {
  if (response.req.method === 'HEAD') response.setHeader('Content-Length', body.length);
  response.end(body);
};

/** Sends a refusal of the gateway itself, with the text of the API document. */
export const sendGatewayResponse = (
  response: ServerResponse,
  requestId: string,
  { statusCode, responseParameters, responseTemplates }: GatewayResponse,
): void => {
  response.statusCode = statusCode;
  for (const [parameter, value] of Object.entries(responseParameters)) {
    const name = parameter.replace('gatewayresponse.header.', '');
    response.setHeader(name, value === 'context.requestId' ? requestId : value.slice(1, -1));
  }
  response.setHeader('x-amzn-RequestId', requestId);
  end(response, Buffer.from(Object.values(responseTemplates)[0]?.replaceAll('$context.requestId', requestId) ?? ''));
};

/** The only refusal of API Gateway whose text nobody can set: a request beyond its own limit. */
export const sendRequestTooLong = (response: ServerResponse): void => {
  response.writeHead(413, { 'Content-Type': 'application/json', Connection: 'close' });
  response.end('{"message":"Request Too Long"}');
};
