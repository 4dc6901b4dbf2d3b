import { bugsIn, type Mutant } from './mutant.ts';

const pages = 'upstreams/foreign-pages';
const pypi = 'functions/pypi/empty-upstream-pages';
const denials = 'upstreams/denials';
const without = 'functions/docker/registries-without';

/** Bugs that take a page of a portal for a document or a file. */
const pageMutants: readonly Mutant[] = [
  ...bugsIn('functions/pypi/upstream-pages.ts', `${pages}#PyPI in HTML`, {
    'any page is a project without files': [
      "      requireIndex(sent, answer.headers['content-type'], name, page);\n",
      '',
    ],
  }),
  ...bugsIn('functions/pypi/index-pages.ts', `${pages}#PyPI in`, {
    'a page of another media type is an index': ['  requireMediaType(type, isJson);\n', ''],
    'a page that was cut is an index': ['  requireEnd(text);\n', ''],
    'a page with any file is an index': ['isOfProject(filename, name)))', "isOfProject(filename, '') && name !== ''))"],
    'a project without files is no index': ['|| marks.some((mark) => mark.test(head))', '', pypi],
    'a page of the media type of an index needs a mark': ['type === indexType || ', '', pypi],
  }),
  ...bugsIn('functions/npm/upstream-packument.ts', `${pages}#packument`, {
    'any object is a packument': ['.every((member) => member === undefined)', '.every((member) => member === null)'],
  }),
  ...bugsIn('functions/go/upstream-documents.ts', `${pages}#Go module`, {
    'any text is a list of versions': ["versions.length === 0 ? list.trim() !== '' : /^\\s*[<{]/.test(list)", 'false'],
    'a list that was cut is a list': ['if (isCut || ', 'if ('],
    'a page is an answer of a checksum database': ['isJson || isWebPage(kept)', 'isJson', `${pages}#checksum`],
    'an error in JSON is one of a checksum database': [
      'isJson || isWebPage(kept)',
      'isWebPage(kept)',
      `${pages}#checksum`,
    ],
    'anything is a module': ["zip: 'zip'", "zip: 'any'"],
  }),
  ...bugsIn('functions/maven/upstream.ts', `${pages}#A jar`, {
    'any text is a jar': ["zipEnding.test(path) ? 'jar' : 'any'", "'any'"],
  }),
  ...bugsIn('functions/maven/upstream.ts', `${pages}#archive for Android`, {
    'any text is an archive for Android': ['|aar|', '|'],
  }),
  ...bugsIn('shared/packages/upstream/web-pages.ts', 'functions/maven/get-maven-file-from-upstream', {
    'a jar begins as a zip': ['jar: () => true', 'jar: (bytes) => beginsWith(bytes, 0x50, 0x4b)'],
    'only the beginning of a jar is read': ['        end?.add(chunk);\n', ''],
    'a jar ends anywhere': ['requireThat(end?.isThere !== false);', ''],
  }),
  ...bugsIn('shared/packages/upstream/zip-end.ts', '~shared/packages/upstream/zip-end', {
    'a zip ends in the middle': ['this.#bytesSince <= endBytesMax', 'this.#bytesSince < Number.POSITIVE_INFINITY'],
    'a zip has no comment': ['22 + 65_535', '22'],
    'a zip ends in its last piece': ['? this.#bytesSince + chunk.length :', '? Number.POSITIVE_INFINITY :'],
    'the end of a zip is in one piece': ['Buffer.concat([this.#overlap, chunk])', 'Buffer.from(chunk)'],
  }),
  ...bugsIn('functions/maven/upstream.ts', `${pages}#POM`, {
    'any text is a POM': ["if (path.endsWith('.pom')) return 'xml';", ''],
    'a text in a page is a checksum': ['isWebPage(content) ? undefined : ', ''],
    'no HTML file is fetched': ['if (/\\.x?html?$/i.test(path)) return undefined;', ''],
  }),
  ...bugsIn('functions/cargo/upstream-documents.ts', `${pages}#crate`, {
    'an index of a crate ends anywhere': ["if (texts.at(-1)?.trim() && !fieldsOf(texts.at(-1) ?? ''))", 'if (!texts)'],
  }),
  ...bugsIn('functions/helm/index-pieces.ts', `${pages}#index of charts`, {
    'any object with an apiVersion is an index': [
      'if (head.entries === undefined)',
      'if (head.apiVersion === undefined)',
    ],
    'an index of charts ends anywhere': ['&& isCut(bytes, charts))', '&& bytes.length < 0 && isCut(bytes, charts))'],
  }),
  ...bugsIn('functions/docker/upstream.ts', `${pages}#tag`, {
    'any object is an empty list of tags': [
      'if (!Array.isArray(list)) throw',
      'if (list === undefined) return [];\n  if (!Array.isArray(list)) throw',
    ],
    'a page has the digest of a manifest': ['if (readJson(sent).schemaVersion !== 2)', 'if (!readJson(sent))'],
  }),
  ...bugsIn('shared/packages/upstream/web-pages.ts', `${pages}#without a promised hash`, {
    'a page is any file': ['beginnings[form](bytes) && !isWebPage(bytes)', 'beginnings[form](bytes)'],
    'a text is an archive': ['beginnings[form](bytes) && !isWebPage(bytes)', '!isWebPage(bytes)'],
  }),
  ...bugsIn('shared/packages/upstream/upstream-body.ts', `${pages}#without a promised hash`, {
    'a file without a hash is anything': ['form && isUnverified', 'form && !isUnverified'],
  }),
  ...bugsIn('shared/packages/serve/upstream-search.ts', 'functions/npm/get-npm-search-upstream', {
    'an answer without a list finds nothing': [
      'if (!Array.isArray(list)) throw',
      'if (!Array.isArray(list)) return [];\n  if (!list) throw',
    ],
  }),
];

/** Bugs in how denials and pauses of upstreams are passed on. */
const denialMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/upstream/upstream-denials.ts', denials, {
    'a denial without credentials is one of the credentials': [
      "&& source.passwordCiphertext === null) return 'none';",
      "&& source.passwordCiphertext === null) return 'sent';",
    ],
    'credentials count as sent to another host': ["? 'sent' : 'elsewhere'", "? 'sent' : 'sent'"],
    'a sentence of an upstream shows credentials': ['cleaned(sentence, secrets)', 'cleaned(sentence, [])'],
    'a sentence of an upstream shows tokens': ['    .replaceAll(tokenLike, mask)\n', ''],
    'a sentence of an upstream keeps control characters': ["    .replaceAll(/[\\p{C}\\p{Z}\\s]+/gu, ' ')\n", ''],
    'a sentence of an upstream has any length': ['.slice(0, sentenceLengthMax)', ''],
    'a page of HTML is a sentence': [" && !page.includes('<')", ''],
    'a denial waits for its page': [
      'setTimeout(() => response.body.destroy(), pageMilliseconds)',
      'setTimeout(() => {}, pageMilliseconds)',
    ],
  }),
  ...bugsIn('shared/packages/upstream/upstream-request.ts', denials, {
    'a pause is kept from the first client': ['{ ...context, retryAt }', 'context'],
  }),
  ...bugsIn('shared/packages/upstream/circuit-breaker.ts', denials, {
    'a pause is kept from the next clients': ['status: 429, retryAt }', 'status: 429 }'],
  }),
  ...bugsIn('shared/packages/fetch/worker-queue.ts', denials, {
    'a pause is kept from those who wait': ['...(retryAt !== undefined && { retryAt })', ''],
  }),
  ...bugsIn('shared/packages/upstream/fetch-failure.ts', denials, {
    'Retry-After is no whole number of seconds': [
      'Math.ceil((retryAt - Date.now()) / 1000)',
      '(retryAt - Date.now()) / 1000',
    ],
  }),
  ...bugsIn('shared/upstream-error-kinds.ts', 'upstreams/misbehaving', {
    'a timeout does not say when to come again': ['    retryAfterSeconds: 10,\n', ''],
  }),
  ...bugsIn('functions/docker/upstream.ts', without, {
    'a tag without a digest leads nowhere': ['digestInHeaders(headers) !== undefined', 'headers !== undefined'],
  }),
  ...bugsIn('shared/packages/upstream/upstream-request.ts', without, {
    'what refuses HEAD is not asked with GET': ['headRefusals.has(error.status)', 'headRefusals.has(0)'],
  }),
  ...bugsIn('shared/packages/fetch/remote-documents.ts', without, {
    'what HEAD does not say is not asked for': [
      "if (answer && (answer.kind !== 'content' || isInHeaders(answer.response.headers))) return answer;",
      'if (answer) return answer;',
    ],
  }),
  ...bugsIn('functions/docker/upstream-referrers.ts', without, {
    'a fallback tag is not looked for': ['`manifests/${fallbackTag(digest)}`', '`manifests/${digest}`'],
  }),
  ...bugsIn('functions/docker/referrers.ts', without, {
    'a registry without referrers has none': ['if (isUnknown && all.length === 0)', 'if (isUnknown && !all)'],
    'a registry without referrers hides those of others': ['if (isUnknown && all.length === 0)', 'if (isUnknown)'],
    'an empty list of referrers is none': [
      'const isUnknown = remotes.length > found.length',
      'const isUnknown = remotes.length >= found.length',
    ],
  }),
];

export const foreignPageMutants: readonly Mutant[] = [...pageMutants, ...denialMutants];
