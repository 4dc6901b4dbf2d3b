import { bugsIn, type Mutant } from './mutant.ts';

const gateway = 'infra/local/gateway';

/** Bugs in the local runner: the gateway, and what surrounds it and the functions. */
export const localRunnerMutants: readonly Mutant[] = [
  ...bugsIn('infra/local/authorization.ts', 'infra/local/authorizer', {
    'a denial does not win': [
      'matching.length > 0 && matching.every(({ isAllowing }) => isAllowing)',
      'matching.some(({ isAllowing }) => isAllowing)',
    ],
    'what no statement matches is allowed': ['matching.length > 0 && ', ''],
    'an empty credential reaches the function': [
      "if (identity.every((value) => value === '')) return",
      'if (identity.length > 9) return',
    ],
    'a failing authorizer refuses the credential': [
      "unauthorized ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE'",
      "'UNAUTHORIZED'",
    ],
    'a context of objects is passed on': ["typeof value === 'object')", "typeof value === 'function')"],
    'dots of a policy are patterns': ['/[.+?^${}()|[\\]\\\\]/g', '/[+?^${}()|[\\]\\\\]/g'],
    'every credential shares one answer': ['JSON.stringify(identity)', 'String(identity.length)'],
    'the cache cannot be cleared': ['this.remembered.clear();', ''],
  }),
  ...bugsIn('infra/local/sources.ts', '~infra/local/sources', {
    'a changed stack is not built': ["'infra/{api,edge,operation}/**/*.*'", "'infra/{api,edge}/**/*.*'"],
    'a changed library is not built': ["  'package-lock.json',", ''],
    'what is made of the sources does not matter': ['${process.version} ${variant}', '${process.version}'],
  }),
  ...bugsIn('shared/http/routes.ts', '~infra/local/routes', {
    'a parameter beats a static part': [
      '{ itself: 0, oneSegment: 1, theRest: 2 }',
      '{ itself: 1, oneSegment: 0, theRest: 2 }',
    ],
    'the rest of a path may be empty': ["segments.slice(index).join('') !== ''", 'true'],
    'a parameter may be empty': [": segments[index] !== '';", ': true;'],
    'parameters are passed on decoded': ['(route.path, sent, asSent)', '(route.path, segments, asSent)'],
    'every trailing slash is ignored': ['/(?<=[^/])\\/$/', '/\\/+$/'],
    'a method is found in any case': ['(routes, method, segments[1]', '(routes, method.toUpperCase(), segments[1]'],
    'a path that begins with a parameter is not found': ['...(grouped.get(`${method} {}`) ?? [])', ''],
  }),
  ...bugsIn('infra/local/routes.ts', 'infra/local/routes', {
    'the alias is part of the name': ['(?::[^/]+)?\\/invocations$/', '\\/invocations$/', gateway],
  }),
  ...bugsIn('infra/local/request.ts', gateway, {
    'the path of an event begins with the stage': ["path: sent.slice(basePath.length) || '/'", "path: sent || '/'"],
    'the first of several headers counts': ["all.at(-1) ?? '']", "all[0] ?? '']"],
    'bodies of 20 MB pass': ['10 * 1024 * 1024', '20 * 1024 * 1024', gateway],
    'headers of the connection reach the function': [
      'trailer transfer-encoding\n   upgrade',
      'trailer transfer-encoding\n  ',
    ],
    'a body is passed on as text': ["body.toString('base64') : null", 'body.toString() : null'],
    'the address of the client is what it says': [
      "'X-Forwarded-For': [sourceIp]",
      "'X-Forwarded-Proto': ['https']",
      gateway,
    ],
  }),
  ...bugsIn('infra/local/response.ts', gateway, {
    'a function may set the length of its answer': ["'connection', 'content-length', 'date'", "'connection', 'date'"],
    'bytes leave as base64': ["isBase64Encoded ? 'base64' : 'utf8'", "'utf8'"],
    'HEAD has no length': [
      "if (response.req.method === 'HEAD') response.setHeader('Content-Length', body.length);",
      '',
    ],
    'refusals name no request': [
      "value === 'context.requestId' ? requestId : value.slice(1, -1)",
      'value.slice(1, -1)',
      'requests/malformed-requests',
    ],
  }),
  ...bugsIn('infra/local/gateway.ts', gateway, {
    'a path that is no percent-encoding is not found': [
      "refuse('BAD_REQUEST_PARAMETERS')",
      "refuse('MISSING_AUTHENTICATION_TOKEN')",
    ],
    'open routes hand on a context': [
      'match.route.authorizer ? decision.context : undefined',
      'decision.context',
      'infra/local/gateway',
    ],
  }),
  ...bugsIn('shared/http/host.ts', 'requests/malformed-requests#refuses before there is', {
    'a second Host is welcome': ['(hosts.length === 1 ||', '(hosts.length >= 1 ||'],
    'any text is a Host': ['hosts.every(isHost) && ', ''],
    'a Host is whatever a URL may begin with': ['pattern.test(text) && ', ''],
    'a Host is no part of a URL': [' && URL.canParse(`http://${text}`)', ''],
  }),
  ...bugsIn('shared/http/http-server.ts', 'requests/malformed-requests#refuses before there is', {
    'CONNECT has no answer': ["server.on('connect',", "server.on('upgrade',"],
    'an unknown expectation has a bare answer': ["server.on('checkExpectation',", "server.on('checkExpectations',"],
    'half-closing clients get no answer': ['httpAllowHalfOpen: true', 'httpAllowHalfOpen: false'],
    'broken bytes overtake an answer': [
      "if (latest && !latest.closed) latest.once('close', answer);",
      'if (!latest) answer();',
    ],
  }),
  ...bugsIn('infra/local/schedules.ts', 'infra/local/schedules', {
    'an hour has a minute': ['hourMilliseconds = 3_600_000', 'hourMilliseconds = 60_000'],
    'a schedule that is off runs': [" || State === 'DISABLED'", ''],
    'only one target of a rule is called': ['return Targets.map(', 'return Targets.slice(0, 1).map('],
    'a schedule by cron is passed over': ['if (!one) throw', 'if (one === 0) throw'],
    'a schedule goes on after the stop': [
      '{ signal, ref: false }',
      '{ ref: false }',
      'sweeps/sweeper#goes on at its rate',
    ],
  }),
  ...bugsIn('infra/local/services.ts', 'infra/local/lifecycle#A local start', {
    'what is staged stays for ever': ["if ('expire' in store) onStop(keepLifecycle(store, bucket.lifecycle));", ''],
  }),
  ...bugsIn('infra/local/lifecycle.ts', 'infra/local/lifecycle#The lifecycle of a bucket', {
    'a rule of a lifecycle is passed over': [' || Rules.length !== 2', ''],
  }),
  ...bugsIn('infra/local/settings.ts', 'infra/local/settings', {
    'the runner listens to the whole network': ["variables.HOST || '127.0.0.1'", "variables.HOST || '0.0.0.0'"],
    'an upstream that no host is passes': ['!isHostOrNetwork(entry)', 'isHostOrNetwork(entry) && false'],
    'a host is an endpoint': ["!['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')", '!URL.canParse(text)'],
    'both ports may be one': ['port !== 0 && port === readsPort', 'port === 0 && readsPort === port + 1'],
    'two free ports are one': ['port !== 0 && port === readsPort', 'port === readsPort'],
    'any text is a port': ['if (!(port <= 65_535)) throw', 'if (port > 65_535) throw'],
    'a batch may be larger than a transaction': ['Number(text) <= batchRepositoriesMax', 'Number(text) <= 999'],
    'an echo in other words is off': ["text !== 'true' && text !== 'false'", "text === 'yes'"],
    'an empty variable is a setting': [
      'variables.STOCKROOM_ADMIN_PASSWORD || undefined',
      'variables.STOCKROOM_ADMIN_PASSWORD',
    ],
  }),
  ...bugsIn('infra/local/data-directory.ts', 'infra/local/runner', {
    'two runners share a data directory': [
      "lock.exec('BEGIN EXCLUSIVE')",
      "lock.exec('BEGIN')",
      'infra/local/runner#another container',
    ],
    'two stores share a directory': [
      'if (process.platform !== ',
      'if (process.platform === ',
      'infra/local/object-store-process#is alone there',
    ],
  }),
  ...bugsIn('infra/local/first-admin-worker.ts', 'infra/local/runner#under its stage', {
    'each start makes another first admin': [
      "if ((await table.read([activeAdminsKey])).find(activeAdminsKey)) return 'not needed';",
      '',
      'infra/local/runner#keeps its data over a restart',
    ],
    'the first admin is no admin': ["userRole: 'system-admin'", "userRole: 'user'"],
  }),
  ...bugsIn('infra/local/runner.ts', 'infra/local/runner#its port is taken', {
    'what is in flight is lost at the end': [
      'onStop(() => ports.drain(door));',
      '',
      'infra/local/runner#answers what is in flight',
    ],
    'a reload keeps the old functions': ['      stack = serve(served);\n', '', 'infra/local/runner#reload'],
  }),
  ...bugsIn('infra/local/ports.ts', 'infra/local/runner#answers what is in flight', {
    'what is in flight at the front for reads is lost at the end': ['await front?.drain();', ''],
    'the port is taken last': [
      ': listen(host, port, listener)',
      ": listen('127.0.0.1', 0, listener)",
      'infra/local/runner#its port is taken',
    ],
  }),
  ...bugsIn('infra/local/server.ts', 'infra/local/runner#its port is taken', {
    'a taken port is a stack trace': ["if (code === 'EADDRINUSE')", "if (code === 'EADDRINUSED')"],
  }),
  ...bugsIn('infra/local/role-policy.ts', 'infra/local/role-policy#The policy of a role', {
    'a denial does not win': [
      '|| !rules.every(({ isAllowing }) => isAllowing)',
      '|| !rules.some(({ isAllowing }) => isAllowing)',
    ],
    'a pattern of an ARN reaches over colons': ["sourceOf(part, '[^:]')", 'sourceOf(part)'],
    'a condition that is not known is met': [
      'if (!test) throw notKnown(`the condition ${operator}`);',
      'if (!test) return () => true;',
    ],
    'conditions are not looked at': [
      'conditions.every((isMet) => isMet(request.context))',
      'conditions.length >= 0',
      'infra/local/role-policy-witness',
    ],
    'Null means the opposite': [
      'valueIn(context) === undefined)',
      'valueIn(context) !== undefined)',
      'infra/local/role-policy-witness',
    ],
    'a question mark stands for any text': [
      ".replaceAll('?', any)",
      ".replaceAll('?', `${any}*`)",
      'infra/local/role-policy-witness',
    ],
  }),
  ...bugsIn(
    'infra/local/access-requests.ts',
    ['infra/local/role-policy#The policy of a role', 'infra/local/object-calls'],
    {
      'a check in a transaction needs no right': ["ConditionCheck: 'ConditionCheckItem'", "ConditionCheck: 'PutItem'"],
      'an index is its table': ['index ? `${resource}/index/${index}` : resource', 'resource'],
      'a copy needs no right to its source': [
        "...(copied ? [{ action: 's3:GetObject', resource: objectArn(copied), context: {} }] : []),",
        '',
      ],
      'a batch of deletions is of the bucket': ["action === 'DeleteObject' && !key ? '*' : key", 'key'],
      'an operation that is not known is allowed': ['if (!bucket || !action) throw', 'if (!bucket) throw'],
      'the context of a key is not asked for': [
        'context: {\n    ...(Object.keys(EncryptionContext).length > 0 &&',
        'context: {\n    ...(Object.keys(EncryptionContext).length > 9 &&',
      ],
    },
  ),
  ...bugsIn('infra/local/access-check.ts', 'infra/local/presigned-calls', {
    'a refusal is reported to nobody': [
      '!decision.isAllowed || !this.reported.has(decision)',
      'decision.isAllowed && !this.reported.has(decision)',
    ],
    'one refused right among others is passed over': [
      'requests.find((request) => !this.isAllowed(request))',
      'requests.slice(0, 0).find((request) => !this.isAllowed(request))',
    ],
  }),
  ...bugsIn('infra/local/template.ts', 'infra/local/template', {
    'what the template refers to is left out': [
      'throw new Error(`The local runner does not know ${name}, which',
      'return undefined; throw new Error(`The local runner does not know ${name}, which',
    ],
    'names of buckets have capitals': ['name.toLowerCase() : name', 'name : name', 'infra/local/assembly'],
    'nested stacks are left out': [
      'return [...own, ...stacks.flatMap((stack) => stack.resources(type))];',
      'return own;',
      'infra/local/runner#under its stage',
    ],
  }),
  ...bugsIn('infra/local/assembly.ts', 'infra/local/assembly', {
    'the bucket refuses nothing': [
      "refusals = stack.resources('AWS::S3::BucketPolicy').flatMap(refusalsOf)",
      'refusals: PolicyStatement[] = []',
    ],
    'events are tried again whatever the stack says': ['retries: MaximumRetryAttempts', 'retries: 2'],
    'failed events go nowhere': ['failureQueue: DestinationConfig?.OnFailure?.Destination', 'failureQueue: undefined'],
    'functions run in the name of their role alone': [".replace(':iam:', ':sts:')", ''],
  }),
];
