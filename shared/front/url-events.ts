import type {
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  LambdaFunctionURLEvent,
} from 'aws-lambda';
import type { Principal } from '../http/principal.ts';

/** The Cookie header of a request, which an event has in a field of its own. */
const cookieOf = ({ cookies }: LambdaFunctionURLEvent): Readonly<Record<string, string>> =>
  cookies && cookies.length > 0 ? { cookie: cookies.join('; ') } : {};

/** The headers of a request, by their names in lower case; several of one name are joined. */
export const headersOf = (event: LambdaFunctionURLEvent): Readonly<Record<string, string>> => ({
  ...(event.headers as Readonly<Record<string, string>>),
  ...cookieOf(event),
});

const queryOf = (text: string): Record<string, string[]> => {
  // A parameter may have any name, also that of a member which all objects have.
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
};

/**
 * The event of a function URL (payload 2.0) as API Gateway would have made it of the same request, with the caller whom its authorizer
 * would have recognised. The host is the one by which Lambda found the function, whatever the request says.
 */
export const proxyEventOf = (
  event: LambdaFunctionURLEvent,
  resource: string,
  principal: Principal,
): APIGatewayProxyEvent => {
  const { rawPath, rawQueryString, requestContext, body, isBase64Encoded } = event;
  const { requestId, domainName, http } = requestContext;
  const headers = { ...headersOf(event), host: domainName };
  const ofRequest: object = {
    resource,
    path: rawPath,
    httpMethod: http.method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    multiValueQueryStringParameters: queryOf(rawQueryString),
    stageVariables: null,
    requestContext: { requestId, path: rawPath, identity: { sourceIp: http.sourceIp }, authorizer: { ...principal } },
    body: body ?? null,
    isBase64Encoded,
  };
  // The rest of what API Gateway tells is read nowhere.
  return ofRequest as APIGatewayProxyEvent;
};

/** The answer of a function URL: Lambda takes a cookie in a field of its own, and in no header. */
export const urlAnswerOf = ({ headers = {}, ...answer }: APIGatewayProxyResult): APIGatewayProxyStructuredResultV2 => {
  const { 'Set-Cookie': cookie, ...others } = headers;
  return { ...answer, headers: others, ...(cookie !== undefined && { cookies: [`${cookie}`] }) };
};
