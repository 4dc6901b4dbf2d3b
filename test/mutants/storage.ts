import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the table, the object store and the way to upstreams. */
export const storageMutants: readonly Mutant[] = [
  ...bugsIn('shared/table/reading-table.ts', ['shared/table/client', 'shared/table/retries'], {
    'reads are not consistent': ['Keys: unprocessed, ConsistentRead: true', 'Keys: unprocessed'],
    'queries are not consistent': [
      '{ ...rangeOf(list), ConsistentRead: true,',
      '{ ...rangeOf(list),',
      'scale/table-calls',
    ],
    'keys that are left unprocessed are absent': [
      'unprocessed = answer.UnprocessedKeys?.[config.tableName]?.Keys ?? [];',
      'unprocessed = [];',
    ],
    'a batch has more keys than DynamoDB takes': ['const batchKeysMax = 100', 'const batchKeysMax = 101'],
    'a throttled table is asked without end': [
      "(reason === 'throttle' && attempt >= this.triesMax)",
      'attempt > 100_000',
    ],
    'an error of the SDK leaves the table': [
      'throw unavailable(error);\n        await this.backOff',
      'throw error;\n        await this.backOff',
    ],
  }),
  ...bugsIn('shared/table/races.ts', 'shared/table/races', {
    'a change gives up after eight lost races': [
      'for (let isAgain = false; ; isAgain = true) {',
      'for (let isAgain = false, tries = 0; tries < 8; isAgain = true, tries += 1) {',
    ],
  }),
  ...bugsIn('shared/table/retries.ts', 'shared/table/retries', {
    'a conflict is a failure': ["if (codes.some((code) => conflicts.has(code))) return 'conflict';", ''],
  }),
  ...bugsIn('shared/table/dynamodb-client.ts', 'shared/table/client', {
    'a hanging table is waited for': ['throwOnRequestTimeout: true', 'throwOnRequestTimeout: false'],
  }),
  ...bugsIn('shared/table/list-range.ts', 'shared/table/list-range', {
    'a list ends at U+10FFFF': [
      'const next = last + 1 === surrogatesFirst ? surrogatesEnd : last + 1;',
      'const next = 0x10ffff;',
    ],
    'a list may end in half a character': ['last + 1 === surrogatesFirst ? surrogatesEnd : last + 1', 'last + 1'],
    'a prefix of the last character has an end': ["prefix.replace(/\\u{10FFFF}+$/u, '')", 'prefix'],
  }),
  ...bugsIn('shared/table/lists.ts', 'shared/table/lists', {
    'a page has one entry too many': [
      'entries: entries.slice(0, limit), next',
      'entries, next',
      'functions/repositories/list-repositories',
    ],
    'a page starts with its cursor': ['position > after', 'position >= after'],
    'a page that was read whole is in no order': [
      '.toSorted((one, other) => (one.position < other.position ? -1 : 1))',
      '',
    ],
  }),
  ...bugsIn('shared/table/writes.ts', 'shared/table/client', {
    'an insert replaces what is there': ["...expression('', 'attribute_not_exists(pk)'),", ''],
    'rows carry no write ID': ['stored({ ...write.insert, writeId })', 'stored({ ...write.insert })'],
    'a refusal does not say what was there': [
      "ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const",
      "ReturnValuesOnConditionCheckFailure: 'NONE' as const",
    ],
  }),
  ...bugsIn('shared/table/identity/password-failures.ts', 'functions/authorizer', {
    'wrong passwords are counted for ever': [
      'failures.windowEndsAt > now && ',
      '',
      'functions/users/update-user',
      'functions/authorizer',
    ],
    'guessing is not slowed': ['failures.count >= failuresMax', 'failures.count >= failuresMax * 1_000'],
  }),
  ...bugsIn('shared/upstream/public-hosts.ts', 'shared/upstream/public-hosts', {
    'the address of another cloud is public': [
      "const reserved = ['3fff::/20', '168.63.129.16/32'];",
      "const reserved = ['3fff::/20'];",
    ],
    'an IPv4 address in IPv6 is public': ['ipaddr.process(text)', 'ipaddr.parse(text)'],
    'a name inside a network is public': ['|lan|', '|'],
    'the metadata of Google is public': ['|metadata\\.goog)', ')'],
    'a listed name may lead to credentials': [
      '(allowedPrivate.includes(host) && !isInOneOf(metadataServices, address))',
      'allowedPrivate.includes(host)',
    ],
    'all of IPv6 is public': ["address.kind() === 'ipv4' || isInNetwork(globalUnicast, address)", 'true'],
    'port 0 is a port': ["port === '0' || ", ''],
    'an empty label is a name': ["|| host.split('.').includes('')", ''],
  }),
  ...bugsIn('shared/upstream/target.ts', 'shared/upstream/target', {
    'a redirect may leave TLS': [
      "if (url.protocol === 'http:' && referrer.url.protocol === 'https:') return 'would be reached without TLS';",
      '',
    ],
    'a redirect may have any port': ["!['80', '443', portOf(rules.configured)].includes(portOf(url))", 'false'],
    'a redirect may bring a password': [
      "if (url.username || url.password) return 'has a user or a password in its URL';",
      '',
    ],
    'a redirect may lead inside': [
      "isPermittedHost(host, rules.allowedPrivate) ? undefined : 'is not a public host'",
      'undefined',
    ],
    'an address without a host is relative to the repository': [
      'referrer.status === undefined ? undefined : referrer.url.href',
      'referrer.url.href',
    ],
  }),
  ...bugsIn('shared/upstream/connection.ts', 'shared/upstream/addresses', {
    'the addresses of a name are not looked at': [
      'done(error ?? unusable(target, addresses, allowedPrivate), addresses)',
      'done(error, addresses)',
    ],
    'one public address is enough': ['addresses.every(({ address })', 'addresses.some(({ address })'],
  }),
  ...bugsIn('shared/upstream/exchange.ts', 'shared/upstream/addresses', {
    'an answer may have headers without end': ['32 * 1024', '16 * 1024 * 1024', 'shared/upstream/broken-answers'],
    'a silent upstream is waited for': [
      "() => request.destroy(new UpstreamError('timeout', url, predicate))",
      "() => new UpstreamError('timeout', url, predicate)",
      'shared/upstream/slow-upstreams',
    ],
    'half a file passes for the whole': ['answer?.destroy(error);', '', 'shared/upstream/broken-answers'],
  }),
  ...bugsIn('shared/upstream/upstream-client.ts', 'shared/upstream/redirects', {
    'another host gets the password': ['isAtHome &&= target.url.origin === this.rules.configured.origin;', ''],
    'a way back gets the password again': ['isAtHome &&= target', 'isAtHome = target'],
    'redirects are followed without end': ['redirects === redirectsMax ||', 'redirects === 100 ||'],
    'a file comes compressed': [
      "ask.content === 'metadata' ? 'gzip' : 'identity'",
      "'gzip'",
      'shared/upstream/upstream-response',
    ],
    'a failed decryption is kept': ['this.authorization = undefined;\n      throw error;', 'throw error;'],
  }),
  ...bugsIn('shared/upstream/upstream-response.ts', 'shared/upstream/upstream-response', {
    'an upstream blocks itself for ever': ['Math.min(Math.max(seconds, 0), dayInSeconds)', 'Math.max(seconds, 0)'],
    'a pause may be negative': ['Math.max(seconds, 0)', 'seconds'],
    'any text is a date': ['httpDate.test(value) ? ', 'value ? '],
  }),
  ...bugsIn('shared/upstream/verifying-stream.ts', 'shared/upstream/verifying-stream', {
    'the last piece leaves before it is verified': ['done(this.excess(), previous);', 'done(this.excess(), chunk);'],
    'a file may be longer than promised': ['if (this.bytes > bytes)', 'if (this.bytes > bytes * 2)'],
    'a wrong hash is right': ['return wrong ? new UpstreamError', "return wrong === 'md5' ? new UpstreamError"],
    'a promise in capitals is wrong': ['hashes[algorithm]?.toLowerCase()', 'hashes[algorithm]'],
    'a file has no maximum': [
      "this.bytes > bytesMax ? new UpstreamError('too-large', context, `sent more than ${bytesMax} bytes`) : null",
      'null',
    ],
  }),
  ...bugsIn('shared/upstream/paced-body.ts', 'shared/upstream/slow-upstreams', {
    'an upstream may send a byte a minute': ['if (this.bytesMissing <= 0) this.stopWaiting();', 'this.stopWaiting();'],
    'a slow reader is blamed on the upstream': [
      'this.message.pause();\n    this.stopWaiting();',
      'this.message.pause();',
    ],
  }),
  ...bugsIn('shared/store/objects.ts', 'shared/store/objects', {
    'a role without a list fails where nothing is': [
      'const absent: readonly number[] = [403, 404]',
      'const absent: readonly number[] = [404]',
    ],
    'an object is overwritten': [
      "{ 'if-none-match': '*' }",
      '{}',
      'shared/store/objects',
      'functions/universal/publish-universal-file',
    ],
  }),
  ...bugsIn('shared/packages/blobs/blob-storage.ts', 'faults/lost-bytes', {
    'the item decides whether bytes are there': [
      'if (isStored) await restoreBlob(table, ref, file);\n  else',
      'if (!isStored)',
    ],
    'a large file that is damaged stays so': [
      'if (sourceKey !== undefined) await copyObjectOnce({ sourceKey, size }, damaged, signal);\n  else',
      'if (sourceKey === undefined)',
    ],
  }),
  ...bugsIn('shared/packages/blobs/stored-bytes.ts', 'faults/lost-bytes', {
    'damaged bytes leave': ["=== sha256 ? 'intact' : 'damaged'", "=== '' ? 'damaged' : 'intact'"],
  }),
  ...bugsIn('shared/packages/serve/file-answers.ts', 'faults/lost-bytes', {
    'clients are redirected to nothing': ['if (!hasStored) await requireBlob(table, file.blob, file.size);\n', ''],
  }),
  ...bugsIn('shared/packages/changes/publication-store.ts', 'faults/lost-bytes', {
    'a publish that is refused heals nothing': ['await bestEffort(restoreFiles(table, publication, known));', ''],
  }),
  ...bugsIn('shared/packages/serve/file-download.ts', 'faults/lost-bytes', {
    'a lost copy is not fetched anew': ['async () => fetchAndServe(true)', 'async () => fetchAndServe(false)'],
  }),
  ...bugsIn('shared/packages/fetch/remote-documents.ts', 'faults/lost-bytes', {
    'a lost document is only revalidated': [
      'isLost ? undefined : cached?.blob && cached.copy',
      'cached?.blob && cached.copy',
    ],
  }),
  ...bugsIn('shared/table/packages/blobs.ts', 'faults/lost-images', {
    'bytes are stored under a life that soon ends': ['references === 0 && dueAt <', 'references < 0 && dueAt <'],
  }),
  ...bugsIn('shared/packages/fetch/joined-documents.ts', 'shared/packages/serve/origin-headers', {
    'a stale part of an answer hides behind a fresh one': [
      "['stale', 'miss', 'revalidated', 'hit']",
      "['hit', 'revalidated', 'miss', 'stale']",
    ],
  }),
  ...bugsIn('shared/packages/serve/origin-headers.ts', 'shared/packages/serve/origin-headers', {
    'a stale answer has no warning': ["cache === 'stale' ? ['110 - \"Response is Stale\"'] : []", '[]'],
    'a failed upstream goes without a word': [
      '...unreachable.map((name) => `199 - "The upstream of ${name} failed"`),',
      '',
    ],
  }),
  ...bugsIn('shared/packages/sources/path-segments.ts', 'functions/npm/paths', {
    'two dots are a segment': ["  segment === '..' ||\n", ''],
    'a control character is a segment': ['/[\\p{Cc}\\p{Cf}', '/[\\p{Cf}'],
    'a segment is as long as it likes': ['Buffer.byteLength(segment) > segmentBytesMax', 'segment.length > 99_999'],
    'half of a surrogate pair is a segment': ['  !segment.isWellFormed() ||\n', ''],
  }),
  ...bugsIn('shared/packages/sources/path-segments.ts', 'functions/universal/publish-universal-file#names no file', {
    'a name turns the direction of what follows': ['\\p{Cf}\\p{Zl}', '\\p{Zl}'],
    'a name begins with a blank': ['|^\\s|\\s$/u', '|\\s$/u'],
    'a name ends with a blank': ['|^\\s|\\s$/u', '|^\\s/u'],
    'a name has lines': ['\\p{Zl}\\p{Zp}]', ']'],
  }),
  ...bugsIn('shared/http/fields.ts', 'functions/tokens/create-personal-access-token#nobody sees', {
    'the name of a token turns its direction': ['\\\\p{Bidi_Control}', ''],
    'the name of a token has characters without a width': ['\\\\u200b\\\\u2060\\\\ufeff', ''],
  }),
  ...bugsIn('shared/packages/sources/sources.ts', 'shared/packages/sources/sources', {
    'a block in lower case passes capitals': [' || isListed(each.toLowerCase(), block)', ''],
    'an image of the hub has two names': ['...(aliasesOf?.(name) ?? [])', '', 'functions/name-spellings'],
    'an index does not know its rules': ["? '' : JSON.stringify([allow, block])", "? '' : ''"],
    'a star in a list is a letter': [
      "entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry",
      'name === entry',
    ],
    'a name in a list is a beginning': [': name === entry));', ': name.startsWith(entry)));'],
  }),
];
