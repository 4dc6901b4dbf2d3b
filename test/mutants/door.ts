import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the door, and in what the pipeline does for it. */
export const doorMutants: readonly Mutant[] = [
  ...bugsIn('shared/door/headers.ts', 'shared/door/counted-address', {
    'an IPv6 host is as many as it has addresses': ['.slice(0, 4)', '.slice(0, 8)'],
  }),
  ...bugsIn('shared/http/staged-bodies.ts', 'door/references', {
    'a reference is honoured twice': ['if (!(await useOnce(', 'if (false && !(await useOnce('],
    'anybody signs references': ['if (!(await isSigned(', 'if (false && !(await isSigned('],
    'a reference is honoured for whoever sends it': ['if (caller !== actorId)', "if (caller === '')"],
    'a reference is honoured at every address': ['if (!digestsOf(event).includes(request))', "if (request === '')"],
    'a reference has no end': ['return expiresAt <= Date.now() ?', 'return expiresAt <= 0 ?'],
  }),
  ...bugsIn('shared/store/upload-references.ts', 'door/references', {
    'the query is no part of a request': [
      'JSON.stringify([method, path, parameters, mediaType])',
      'JSON.stringify([method, path, mediaType])',
    ],
    'the media type is no part of a request': [
      'JSON.stringify([method, path, parameters, mediaType])',
      'JSON.stringify([method, path, parameters])',
    ],
  }),
  ...bugsIn('shared/store/received-file.ts', 'door/references', {
    'a function reads what S3 can copy': [
      'return size < partBytes ? fileInMemory(',
      'return size < 2 * partBytes ? fileInMemory(',
    ],
  }),
  ...bugsIn('shared/http/door-steps.ts', 'door/references#of a length that is none', {
    'a question may name any length': ['!/^\\d+$/.test(length)', 'false'],
  }),
  ...bugsIn('shared/http/requests/json.ts', 'requests/malformed-bodies', {
    'what needs no field needs a body': ["method !== 'POST' ||", "method !== 'NONE' ||"],
    'a change needs no body': ["method !== 'POST' ||", "method === 'NONE' ||"],
  }),
  ...bugsIn('shared/http/small-body.ts', 'requests/malformed-bodies', {
    'compressed JSON is read as it came': ['requirePlain(event);', ''],
  }),
  ...bugsIn('shared/http/requests/bytes.ts', 'functions/universal/publish-universal-file', {
    'a compressed file is published as it came': ['if (!isGzipped) requirePlain(event);', ''],
  }),
  ...bugsIn('shared/http/small-body.ts', 'door/references', {
    'a question runs an endpoint without a body': [' || headerOf(event, askHeader) !== undefined', ''],
  }),
  ...bugsIn('shared/http/requests/bytes.ts', 'door/references', {
    'a staged body has no maximum': ['(body.staged && limits.stagedBytesMax) ??', '(body.staged && 1e15) ??'],
  }),
  ...bugsIn('shared/http/requests/multipart.ts', 'door/door', {
    'another boundary is another form': ["replaceAll(mark, '--')", "replaceAll('', '')", 'requests/idempotency-keys'],
    'a boundary between two pieces is another form': ['rest = text.slice(end);', "rest = '';"],
  }),
  ...bugsIn('shared/door/headers.ts', 'door/robustness', {
    'clients may ask and refer': ['!name.startsWith(doorHeaderPrefix) ||', "!name.startsWith('x-nothing') ||"],
    'headers of a connection are passed on': ['|| named.has(name)', ''],
  }),
  ...bugsIn('shared/idle-connections.ts', 'shared/idle-connections', {
    'an answer that waits to be sent is cut': ['if (unsent.get(socket) === 0) socket.destroy();', 'socket.destroy();'],
    'a connection is waited for though its answers are sent': ['if (!server.listening) closeIfIdle(socket);', ''],
    'a connection without a request is waited for': ['    unsent.set(socket, 0);\n', ''],
  }),
  ...bugsIn('shared/door/shared-memory.ts', 'door/slow-clients', {
    'bodies have more memory than there is': ['if (this.free >= bytes) return true;', 'if (bytes > 0) return true;'],
    'slow clients hold what they have not sent': ['this.free -= bytes;', 'this.free -= 8_388_608;'],
    'bodies wait for one another for ever': ['this.ahead ??= share;', ''],
  }),
  ...bugsIn('shared/door/body-upload.ts', 'door/door', {
    'a body without a length has no maximum': ['if (body.bytes > bytesMax) throw', 'if (body.bytes < 0) throw'],
    'staged bodies stay': ['if (!isKept) await remove(staged);', ''],
    'no staged body stays': ['isKept = terms.keepsBody === true;', 'isKept = false;', 'door/large-blobs'],
    'a body that an earlier try left is removed': [
      'if (isRefused(called)) isKept = wasKept;',
      'if (isRefused(called)) isKept = false;',
      'door/busy-service',
    ],
    'any number of bodies goes straight to the store': ['await share.take(passedBytes);\n', '\n', 'door/slow-clients'],
    'a full disk is asked three times': [
      '|| seconds > retryAfterSecondsMax',
      '',
      'faults/full-disk#A store that is full',
    ],
    'a busy service costs a large body': ['|| tries === triesMax ||', '|| tries === 1 ||', 'door/busy-service'],
    'blobs go through the staging area': [
      'if (!destination || declaredBytes > objectBytesMax)',
      'if (!destination || declaredBytes > 0)',
      'door/large-blobs',
    ],
    'a refusal waits for five gigabytes': [
      '    await body.drain();\n    return { answer: asked,',
      '    for await (const _ of body.rest());\n    return { answer: asked,',
      'door/strangers',
    ],
  }),
  ...bugsIn('shared/door/incoming-body.ts', 'shared/door/incoming-body', {
    'a silent client is waited for': ['() => this.request.destroy()', '() => {}'],
    'a byte now and then is a pace': ['- this.awaited.milliseconds);', ');'],
    'a pace is that of the first bytes': ['awaited.bytes < this.pace.bytes ? awaited', 'awaited.bytes < 1e9 ? awaited'],
    'a client of the door may send a byte a second': ['{ bytes: 64 * 1024, milliseconds', '{ bytes: 30, milliseconds'],
    'a client of the door may be silent for five minutes': ['milliseconds: 30_000 }', 'milliseconds: 300_000 }'],
    'a refused body is read to its end': ['this.bytes < enough && ', ''],
    'a refused client may take its time': [
      'setTimeout(late.resolve, drainMilliseconds)',
      'setTimeout(late.resolve, 1e9)',
      'door/strangers',
    ],
  }),
  ...bugsIn('shared/door/server.ts', 'door/robustness', {
    'anybody is the proxy': ['if (!(await isFromEdge(', 'if (false && !(await isFromEdge('],
    'who is not the proxy is read': [
      'const refuseStranger = (response: ServerResponse, body: IncomingBody): Way => {\n  closeUnlessRead(response, body);',
      'const refuseStranger = (response: ServerResponse, _: IncomingBody): Way => {',
    ],
    'a refused client sends on': [
      'if (body.isPresent && !body.isRead) closeAfter',
      'if (false) closeAfter',
      'door/strangers',
    ],
    'an address has any number of bodies': ['isSmall || request.complete ?', 'isSmall || request ?', 'door/strangers'],
    'a caller has any number of uploads': ['return this.allowed.begin(caller);', 'return () => {};', 'door/strangers'],
    'an upload that is allowed counts for its address': [
      '      end();\n      return this',
      '      return this',
      'door/strangers',
    ],
    'a door that is told to end cuts its clients': [
      '    this.server.close();\n',
      '    this.server.close().closeAllConnections();\n',
    ],
  }),
];
