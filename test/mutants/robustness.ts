import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what is left of the service when a client, a process or a disk fails it. */
export const robustnessMutants: readonly Mutant[] = [
  ...bugsIn('shared/http/json.ts', 'shared/http/json', {
    'a refusal quotes a body that is no JSON': ['`: see line ${line}, column ${column}`', '`: ${message}`'],
    'a body names the place of its own flaw': [' column (\\d+)\\)$/', ' column (\\d+)\\)/'],
  }),
  ...bugsIn('shared/http/requests/form-parts.ts', 'requests/cut-forms', {
    'a form that is cut ends its function': ["    stream.on('error', () => {});\n", ''],
    'a field in an unknown character set is read': ['if (value === undefined)', 'if (value === null)'],
  }),
  ...bugsIn('shared/door/server.ts', 'door/gone-clients', {
    'a client that goes is a failure of the door': ['(response.destroyed && !(error instanceof ApiError))', 'false'],
  }),
  ...bugsIn('infra/local/events.ts', 'infra/local/events#has room again', {
    'what was not written is not read again': [
      'if (!failure) from = startedAt;',
      'from = startedAt + settledMilliseconds;',
    ],
  }),
  ...bugsIn('infra/local/event-files.ts', 'infra/local/events', {
    'half a line of a full disk is the begin of the next': ['ftruncateSync(descriptor, size);', ''],
    'lines before the one without room come again': ['return { count, failure', 'return { count: 0, failure'],
    'a place that is cut ends the start': ['  } catch {\n    return {};\n  }', '  } finally {\n  }'],
    'a kill may leave a part of the place': ['const next = `${file}.next`;', 'const next = file;'],
    'a line that was cut is the begin of the next': ['if (end < bytes.length) truncateSync(file, start + end);', ''],
  }),
  ...bugsIn('shared/packages/formats/yaml-lines.ts', 'requests/parsers', {
    'blanks before a colon are tried one by one': [
      '|(?<=\\S)#)*):(?=[ \\t]|$)/;',
      '|(?<=\\S)#)*?)[ \\t]*:(?=[ \\t]|$)/;',
      'requests/parsers#a chart, in one line',
    ],
  }),
  ...bugsIn('shared/packages/formats/yaml.ts', 'requests/parsers', {
    'a quoted text is read anew for each of its lines': [
      'bytes <= text.length && isInside',
      'bytes < 1 && isInside',
      'requests/parsers#a chart, in many lines',
    ],
    'a line of a chart has no end': [
      'if (raw.length > lineLengthMax) throw',
      'if (raw.length < 0) throw',
      'shared/packages/yaml',
    ],
    'a document begins with a --- behind blanks': ['if (/^ +---', 'if (/^-+---', 'shared/packages/yaml'],
  }),
  ...bugsIn('shared/packages/formats/yaml-scalars.ts', 'requests/parsers#a chart', {
    'each blank may begin a comment': [
      "  for (let at = line.indexOf('#'); at >= 0; at = line.indexOf('#', at + 1))\n    if (at === 0 || isBlank(line[at - 1])) return withoutBlanksBehind(line.slice(0, at));\n  return line;",
      "  return line.replace(/(?:^|[ \\t]+)#.*$/, '');",
    ],
    'each blank may end a line': [
      '  if (lines.length === 0) return text;\n',
      "  if (lines.length === 0) return text.replaceAll(/[ \\t]+\\n/g, ' ');\n",
    ],
    'an apostrophe at the end of a line ends a text': [")*)'(?!')/y", ")*)'/y", 'shared/packages/yaml'],
  }),
  ...bugsIn('functions/go/go-mod.ts', 'requests/parsers#a go.mod', {
    'each slash may begin a comment': [
      "  const at = line.indexOf('//');\n  return at < 0 ? line : line.slice(0, at);",
      "  return line.replace(/\\/\\/.*$/, '');",
    ],
  }),
  ...bugsIn('functions/go/go-mod.ts', 'functions/go/module-zip', {
    'a go.mod may begin with a byte order mark': ["text.startsWith('\\uFEFF')", 'false'],
    'a go.mod may have comments that go refuses': ["line.includes('/*') && !line", "line.includes('/*/') && !line"],
    'a comment may have no comment in it': ["split('\\n').map(withoutComment);", "split('\\n');"],
    'a go.mod may name two modules': ['.length > 1) return `has', '.length > 2) return `has'],
    'a module may require what is no version': [' || !isVersion(second))', ')'],
    'a module may require another major version': ['isCanonical(second) && !fitsPathMajor(first, second)', 'false'],
    'every version that a module requires is complete': [
      ' || /^v(?:0|[1-9]\\d*)(?:\\.(?:0|[1-9]\\d*))?$/.test(text)',
      '',
    ],
    'a block needs no end': ['return block === undefined ? found : undefined;', 'return found;'],
  }),
  ...bugsIn('functions/go/module-zip.ts', 'requests/parsers#a module zip', {
    'a path of a module has any number of folders': ['if (name.length > limits.pathLengthMax)', 'if (name.length < 0)'],
    'a go.mod has as many bytes as a licence': [
      "path === 'go.mod' ? limits.goModBytesMax : limits.fileBytesMax",
      'limits.fileBytesMax',
      'functions/go/module-zip',
    ],
  }),
  ...bugsIn('infra/local/door-worker.ts', 'infra/local/first-moment', {
    'the door takes the edge for the client': [
      "Object.defineProperty(socket, 'remoteAddress', { value: address.toString().trim() });",
      '',
      'infra/local/edge#lets the door see',
    ],
    'a door that cannot be opened anew ends the one before': [
      'open(message).catch(({ message: failure }: Error) => post({ failure }));',
      'void open(message);',
    ],
  }),
  ...bugsIn('shared/door/headers.ts', 'infra/local/edge', {
    'a body of unknown length goes past the door': ["headers['transfer-encoding'] !== undefined ||", ''],
  }),
  ...bugsIn('infra/local/edge.ts', 'infra/local/edge', {
    'an answer may not come before the end of a body': ['closeAfter(response);', ''],
    'a door that hangs up leaves its client waiting': ["call.on('error', cut);", "call.on('error', () => {});"],
    'a client that hangs up leaves the door waiting': ["response.once('close', () => call.destroy());", ''],
    'a slow body is cut after five minutes': ['server.requestTimeout = 0;', ''],
    'clients say who they are': ['rawHeadersOf(requestHeaders(request))', 'request.rawHeaders'],
    'failures of the API are not logged': ['status >= 500', 'status >= 600'],
  }),
  ...bugsIn('infra/local/object-store/server.ts', 'door/gone-clients#large file', {
    'a client that leaves a file ends the store': [
      'found: Promise<Answer>): Promise<void> => {',
      "found: Promise<Answer>): Promise<void> => {\n  response.once('close', () => process.exit(response.writableFinished ? undefined : 1));",
    ],
  }),
  ...bugsIn('infra/local/disk-space.ts', 'faults/full-disk#A local start', {
    'a full disk is found when it is written to': ['needsRoom(request) && isFull(', 'needsRoom(request) && !isFull('],
    'a service with a full disk is ready': ['|| /^(?:https?', '|| /^no(?:https?'],
    'a disk that is full is another failure': ["['ENOSPC', 'EDQUOT']", "['EIO']", 'infra/local/disk-space'],
    'nothing can be deleted from a full disk': ["['POST', 'PUT', 'PATCH']", "['POST', 'PUT', 'PATCH', 'DELETE']"],
  }),
  ...bugsIn('infra/local/object-store/server.ts', 'infra/local/object-store-process', {
    'a store eats the room of the table': ['if (storing.has(name) && !files', 'if (false && !files'],
  }),
  ...bugsIn('shared/store/client.ts', 'faults/full-disk#A store that is full', {
    'a full store is asked again and again': ['isOver || outcome.status === statusFull', 'isOver'],
    'a full store is busy': ['(status === statusFull ? storageFull : unavailable)', 'unavailable'],
  }),
  ...bugsIn('shared/table/reading-table.ts', 'faults/full-disk#A store that is full', {
    'a table on a full disk is busy': ['.test(String(error))) throw', '.test("")) throw'],
  }),
  ...bugsIn('shared/streamed-requests.ts', 'faults/full-disk#A store that is full', {
    'a failed store waits for the rest of a layer': [
      "answered.status >= 500) failed.resolve('failed')",
      "answered.status >= 600) failed.resolve('failed')",
    ],
  }),
  ...bugsIn('shared/http/response.ts', 'faults/full-disk#A store that is full', {
    'who may come back in a minute comes back in a second': [
      "...(retryAfterSeconds && { 'Retry-After': `${retryAfterSeconds}` }), ...error.headers",
      "...error.headers, ...(retryAfterSeconds && { 'Retry-After': `${retryAfterSeconds}` })",
    ],
  }),
  ...bugsIn('shared/http/host.ts', 'door/malformed-requests', {
    'the host of a target may be anything': ['  if (!isHost(authority)) return false;\n', ''],
  }),
  ...bugsIn('shared/http/http-server.ts', 'door/malformed-requests', {
    'an expectation is refused without a word': [
      '    refuse(response, refusals.expectation);\n',
      '    response.writeHead(417).end();\n',
    ],
    'a compressed transfer is published as it came': [
      "coding.toLowerCase() === 'chunked'",
      "coding.includes('chunked')",
    ],
    'the name of a transfer coding has one spelling': ["coding.toLowerCase() === 'chunked'", "coding === 'chunked'"],
    'a broken body that offers an upgrade gets no answer': [
      'onCutBody(request, () => refuseBroken(request.socket));',
      'void onCutBody;',
    ],
  }),
  ...bugsIn('shared/table/client.ts', 'shared/table/lost-replies', {
    'a write that was done is unavailable at the end of its time': [
      'if (transaction.isIn(await late.read(transaction.rows))) return undefined;',
      '',
    ],
    'a write that was not done is not sent again': [
      'return late.writeUntil(late.signal, transaction);',
      'throw error;',
    ],
    'a write whose answers were lost gives up early against others': [
      'Math.max(this.reserveMilliseconds, left)',
      'this.reserveMilliseconds',
    ],
    'a write has all the time of its request, and then some': [
      'milliseconds - this.reserveMilliseconds',
      'milliseconds',
    ],
  }),
  ...bugsIn('shared/table/transaction.ts', 'shared/table/client', {
    'a write whose reply was lost is refused': [
      'refusal.some((reason) => reason?.found?.writeId === this.writeId) ? undefined : refusal',
      'refusal',
    ],
  }),
  ...bugsIn('shared/table/transaction.ts', 'shared/table/lost-replies', {
    'what somebody else has written is taken for done': ['read.find(row)?.writeId === this.writeId', 'read.find(row)'],
  }),
];
