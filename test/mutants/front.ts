import { bugsIn, type Mutant } from './mutant.ts';

const answers = 'front/same-answers';
const passing = 'front/passing-on';
const next = 'front/next-request';
const stack = '~infra/front';

/** Bugs of the second front for reads. */
export const frontMutants: readonly Mutant[] = [
  ...bugsIn('functions/package-reads.ts', passing, {
    'what is no token costs a call of the API': [
      "if (credential && !(load && credential.kind === 'token')) return undefined;",
      "if (!(load && credential?.kind === 'token')) return undefined;",
    ],
    'a password is proved at the front': [
      "if (credential && !(load && credential.kind === 'token')) return undefined;",
      'if (credential && !load) return undefined;',
    ],
    'who is proved by one token is proved by all': [
      "hash('sha256', JSON.stringify(credential ?? null), 'base64')",
      "hash('sha256', String(credential?.kind), 'base64')",
      next,
    ],
    'a request without an endpoint is refused at the front': [
      'if (!route || route.isOpen) return undefined;',
      'if (!route) return unauthenticated(event.requestContext.requestId);',
      'front/to-api',
    ],
    'what needs the API is answered nevertheless': [
      'after: () => (needsApi() ? nothing : undefined),\n    onError: ({ error }) => (needsApi(error) ? nothing : undefined),',
      'after: () => undefined,\n    onError: () => undefined,',
      'front/same-answers#keeps',
    ],
  }),
  ...bugsIn('shared/front/url-events.ts', passing, {
    'documents have the host that the client names': ['...headersOf(event), host: domainName', '...headersOf(event)'],
    'a parameter is taken for a member of the object': [
      'values.set(name, [...(values.get(name) ?? []), value]);',
      'values.set(name, [...(({} as Record<string, string[]>)[name] ?? []), value]);',
      'front/same-answers#parameter',
    ],
    'cookies of answers are in a header': [
      "const { 'Set-Cookie': cookie, ...others } = headers;",
      "const { 'Set-None': cookie, ...others } = headers;",
      'front/same-answers#cookie',
    ],
    'cookies are lost': ["? { cookie: cookies.join('; ') }", '? {}', 'front/to-api'],
  }),
  ...bugsIn('shared/front/api.ts', 'front/to-api', {
    'passes on to a wrong host': ["hostname: hostname.replace(/^\\[(.*)\\]$/, '$1'),", 'hostname: event.headers.host,'],
    'the query is encoded anew': [
      "rawPath + (rawQueryString === '' ? '' : `?${rawQueryString}`)",
      "rawPath + (rawQueryString === '' ? '' : `?${new URLSearchParams(rawQueryString).toString()}`)",
    ],
    'the path is decoded': ['+ rawPath + (rawQueryString', '+ decodeURI(rawPath) + (rawQueryString'],
    'the base path of the API is lost': ["pathname.replace(/\\/$/, '') + rawPath", 'rawPath'],
    'a client says what only parts of the service may say': [
      '!ofHop.test(name) && !isOfService(name)',
      '!ofHop.test(name)',
    ],
    'a client says who it is': ['^(?:host|forwarded|x-forwarded-.*|x-amzn-.*)$', '^(?:host|x-amzn-.*)$'],
    'the API is not told of the front': [
      '...(!isBehindEdge() && { [frontHeader]: event.requestContext.domainName }),',
      '',
    ],
    'a body is passed on as text': ["Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')", 'Buffer.from(body)'],
    'a text that Lambda has changed is passed on': ["(!isProven && body.includes('\\uFFFD'))", 'false'],
    'a text of another length is passed on': ['Number(length ?? bytes.length) !== bytes.length ||', ''],
    'JSON with a replacement character is refused': ['(!isProven && body', '(body'],
    'JSON without a length is taken for what was sent': ['length !== undefined && /^application', '/^application'],
    'cookies of the API are lost': ["cookies: answer.headers['set-cookie'] ?? [],", 'cookies: [],'],
  }),
  ...bugsIn('shared/http/request-address.ts', passing, {
    'a Location at CloudFront has the stage': [
      ' || variable(publicUrlVariable) !== undefined;',
      ';',
      'shared/http/request-address',
    ],
    'a header says the base URL': [
      'headerOf(event, frontHeader) === undefined ? undefined : event.stageVariables?.[frontUrlVariable]',
      'headerOf(event, frontHeader)',
    ],
  }),
  ...bugsIn('infra/local/request.ts', `${passing}#name of this machine`, {
    'the API names one host of a local front alone': [
      "typeof host === 'string' && isOwnHost(host)",
      'host === undefined',
    ],
  }),
  ...bugsIn('infra/local/host-for-others.ts', `${passing}#whatever host`, {
    'a local front has every name': ['isLoopback(name) ||', "name !== '' ||"],
  }),
  ...bugsIn('infra/local/function-url.ts', passing, {
    'a local front names one host alone': [
      "isOwnHost(headers.host ?? '') ? headers.host : authority",
      'authority',
      `${passing}#name of this machine`,
    ],
    'a function URL renames no challenge': [
      'return sendResult(response, requestId, withCookies(result));',
      "return sendResult(response, requestId, { ...withCookies(result), headers: { 'x-amzn-Remapped': 'yes' } });",
    ],
  }),
  ...bugsIn('functions/endpoints.ts', `${answers}#each endpoint`, {
    'some reads are passed on for ever': [
      "method === 'GET' && access",
      "method === 'GET' && id !== 'packages/get-package' && access",
      answers,
    ],
  }),
  ...bugsIn('infra/api/built-reads.ts', 'laws/bundles', {
    'the front has the client of upstreams': [
      "'shared/packages/upstream/upstream-clients.ts': 'upstream-clients.ts',",
      '',
    ],
    'the front can write': ["'shared/table/client.ts': 'table.ts',", ''],
  }),
  ...bugsIn('infra/api/packages-front.ts', stack, {
    'the front may write': ["table: ['BatchGetItem', 'Query'],", "table: ['BatchGetItem', 'Query', 'UpdateItem'],"],
    'the front may read what is staged': ["'GetObject staging/rendered/*'],", "'GetObject staging/*'],"],
    'the URL is for signed requests': ['FunctionUrlAuthType.NONE', 'FunctionUrlAuthType.AWS_IAM'],
    'the front has all of the account': ['settings.readsConcurrency ?? undefined', 'undefined'],
    'the API does not know the URL': ['variables = { [frontUrlVariable]: this.url };', 'variables = {};'],
    'Lambda traces one read in twenty': ['Tracing.PASS_THROUGH', 'Tracing.ACTIVE'],
  }),
  ...bugsIn('infra/operation/watches.ts', stack, {
    'no alarm rings when the front is throttled': [
      "metric: ofFunction(lambda, 'Throttles'",
      "metric: ofFunction(lambda, 'Errors'",
    ],
  }),
];
