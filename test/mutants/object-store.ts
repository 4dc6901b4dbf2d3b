import { bugsIn, type Mutant } from './mutant.ts';

const signatures = 'infra/local/object-store-signatures';
const uploads = 'infra/local/object-store-uploads';
const copies = 'infra/local/object-store-copies';

/** Bugs in the stand-ins for S3 and KMS. */
export const objectStoreMutants: readonly Mutant[] = [
  ...bugsIn('infra/local/object-store/signature.ts', signatures, {
    'any signature will do': [
      "if (hmac(key, lines.join('\\n')).toString('hex') === signature) return signature;",
      'if (signature !== undefined) return signature;',
    ],
    'headers of S3 may stay unsigned': ["name === 'host' || name.startsWith('x-amz-')", "name === 'host'"],
    'a signed call is good for an hour': ['15 * 60 * 1000', '60 * 60 * 1000'],
    'a URL never expires': ["if (age > validSeconds * 1000) throw denied('Request has expired');", ''],
    'a URL may be good for a month': ['7 * 24 * 60 * 60', '31 * 24 * 60 * 60'],
    'a URL of the future is good': ["if (age < -skewMilliseconds) throw denied('Request is not yet valid');", ''],
    'a credential of another day is good': ["if (scopeParts.join('/') !== scope) {", 'if (scopeParts.length !== 4) {'],
    'a URL has every right': [
      'const refusal = isPresigned(call) ?',
      'const refusal = !isPresigned(call) ?',
      'infra/local/object-store-process#asks whether the signer',
    ],
    'two credentials are one too few': [
      'if (isInQuery && authorization !== undefined) throw',
      'if (isInQuery && authorization === undefined) throw',
    ],
  }),
  ...bugsIn('infra/local/object-store/process.ts', '~infra/local/object-store-process#that other machines reach', {
    'a credential that a client repeats is one too many': ['delete request.headers.authorization;', ''],
  }),
  ...bugsIn('infra/local/host-for-others.ts', '~infra/local/object-store-process#that other machines reach', {
    'other machines are sent to themselves': ['firstAddress(host) : host;', "'localhost' : host;"],
  }),
  ...bugsIn('infra/local/services.ts', '~infra/local/runner#listens with its object store', {
    'nobody else reaches the object store': ['host: options.host,', ''],
  }),
  ...bugsIn('infra/local/object-store/conditions.ts', 'infra/local/object-store', {
    'If-None-Match lets an object be replaced': ['noneMatch ?? !hasEtag', 'noneMatch === match || !hasEtag'],
    'a range ends one byte early': ['Math.min(Number(last), size - 1)', 'Math.min(Number(last), size - 1) - 1'],
    'the last bytes are the first': ['Math.max(0, size - Number(last))', '0'],
    'a range beyond the end is the whole': [
      "throw new Refusal(416, 'InvalidRange'",
      "if (size > 0) return undefined;\n  throw new Refusal(416, 'InvalidRange'",
    ],
    'If-Match on nothing creates it': ['if (match !== undefined && !existing) throw noSuchKey();', ''],
    'a copy may take more than there is': ['start <= end && end < size', 'start <= end', uploads],
  }),
  ...bugsIn('infra/local/object-store/body.ts', 'infra/local/object-store', {
    'a body shorter than promised is stored': [
      "if (size !== Number(length)) throw invalid('IncompleteBody', 'The body has not the promised length.');",
      '',
      signatures,
      'infra/local/object-store',
    ],
    'another body than the signed one is stored': [
      "if (hash && digests.sha256?.toString('hex') !== hash) {",
      'if (hash && digests.sha256 === undefined) {',
      signatures,
    ],
    'a wrong checksum is stored': [
      "if (!isRight) throw invalid('BadDigest'",
      "if (!isRight && name === 'md5') throw invalid('BadDigest'",
    ],
    'a promised trailer may be missing': [
      'if (trailer && !(trailer in headers)) throw',
      'if (trailer && trailer in {}) throw',
      signatures,
    ],
  }),
  ...bugsIn('infra/local/object-store/chunks.ts', signatures, {
    'chunks are not verified': ['if (isSigned) before = verifySignature(signature, signingKey, lines);', ''],
    'any chunk may be small': ['if (isLast && size > 0) throw', 'if (isLast && size < 0) throw'],
    'trailers are not verified': ["verify(text, 'TRAILER', sha256(trailers))", 'undefined'],
  }),
  ...bugsIn('infra/local/object-store/multipart.ts', uploads, {
    'parts may come in any order': [
      'if (last && Number(last.key) >= number) throw',
      'if (last && Number(last.key) > 10_000) throw',
    ],
    'parts may be small': ['last.size < partBytesMin', 'last.size < 1'],
    'a part that was replaced is taken for the listed one': [
      "part.etag !== textOf(listed, 'ETag')?.replaceAll('\"', '')",
      "textOf(listed, 'ETag') === undefined",
    ],
    'the ETag of an upload is that of a file': ['etag: `${etag}-${parts.length}`', 'etag'],
    'an upload can be completed twice': ['    files.discard(folder);\n', ''],
    'an upload passes over conditions': ['    checkWrite(headers, files.describe(path));\n', ''],
    'part 0 is a part': ['number < 1 || ', ''],
    'an upload of another key is found': ['if (upload?.key !== call.key) throw', 'if (!upload) throw'],
    'an aborted upload stays': ['  await files.remove(folderOf(call, files));\n', ''],
  }),
  ...bugsIn('infra/local/object-store/objects.ts', 'infra/local/object-store', {
    'a write passes over conditions': ['    checkWrite(headers, files.describe(path));\n    swap();', '    swap();'],
    'metadata is lost': ["kept.includes(name) || name.startsWith('x-amz-meta-')", 'kept.includes(name)'],
    'a part comes with the checksum of the whole': [
      "!range && headers['x-amz-checksum-mode']",
      "headers['x-amz-checksum-mode']",
    ],
    'a list is in the order of UTF-16': [
      'Buffer.compare(Buffer.from(a), Buffer.from(b))',
      '(a < b ? -1 : Number(a > b))',
    ],
    'a page is followed by itself': ['compare(name, last) > 0', 'compare(name, last) >= 0'],
    'a list starts with the key to start after': [
      'compare(object.key, startAfter) <= 0',
      'compare(object.key, startAfter) < 0',
    ],
    'a batch of deletions is of any length': ['keys.length < 1 || keys.length > pageMax', 'keys.length < 1'],
    'a deletion passes over conditions': ['  checkWrite(call.headers, files.describe(path));\n', ''],
  }),
  ...bugsIn('infra/local/object-store/files.ts', 'infra/local/object-store-process#lifecycle', {
    'a key leads to a path': [
      "createHash('sha256').update(key).digest('hex')",
      'key',
      'infra/local/object-store-process#lets no key lead out of it',
    ],
    'half an object stays': [
      'fs.rmSync(this.incoming, { recursive: true, force: true });\n    fs.mkdirSync(this.incoming);',
      'fs.mkdirSync(this.incoming, { recursive: true });',
      'infra/local/object-store-process#forgets what was half received',
    ],
    'published files expire': ["key.startsWith('staging/') && ", ''],
    'the bytes of a copy that is replaced stay': ['        this.shared.release(replaced?.extents);\n', '', copies],
    'unfinished uploads stay for ever': ['fs.statSync(path).mtimeMs < now - uploads', 'fs.statSync(path).mtimeMs < 0'],
    'a damaged object keeps the others': ['// It is gone by now', 'break; // It is gone by now'],
  }),
  ...bugsIn('infra/local/object-store/process.ts', 'infra/local/object-store-process#asks whose a key', {
    'a store asks whose a key is at every call': ['if (known !== undefined) return known;', ''],
    'a key that nobody had stays so': ['  waiting.delete(accessKeyId);\n', ''],
  }),
  ...bugsIn('infra/local/object-store/shared-files.ts', copies, {
    'a copy goes with its source': ['(this.users.get(file) ?? 0) - 1', '0'],
    'what nobody uses stays': ['fs.rmSync(join(this.folder, file), { force: true });', ''],
    'what a killed store left stays': [
      'for (const file of files) if (!this.users.has(file)) fs.rmSync(join(this.folder, file));',
      '',
    ],
    'all that the store had shared goes at a start': ['if (files.length > 0) this.use(usedExtents);', ''],
    'a reader does not keep what it reads': ['    this.use(counted);\n    const stream', '    const stream'],
    'a reader removes what it does not know': [
      'extents.filter(({ file }) => this.users.has(file))',
      'extents',
      `${copies}#put back`,
    ],
    'an object without its data stands in the way': [
      'every((file) => fs.existsSync(join(this.folder, file)))',
      'every(Boolean)',
      `${copies}#counts as absent`,
    ],
    'a range of a copy begins at its first piece': ['start + first - offset', 'start'],
  }),
  ...bugsIn('infra/local/object-store/server.ts', 'infra/local/object-store', {
    'a header that is not known is passed over': ['if (!operation || unknown) throw', 'if (!operation) throw'],
  }),
  ...bugsIn('infra/local/object-store/server.ts', 'infra/local/object-store-process#pages of other origins', {
    'a page may delete': ["headers['access-control-request-method'] === pageUploads.method && ", ''],
    'a page cannot read the answer to its upload': ['...headers, ...ofPage,', '...headers,'],
  }),
  ...bugsIn('infra/local/object-store/wire.ts', ['infra/local/object-store', 'infra/local/object-store-signatures'], {
    'markup in a key breaks the answer': ['/[&<>"\'\\p{Cc}]/gu', '/[>"\'\\p{Cc}]/gu'],
    'a bucket may be named like a path': ['!/^[a-z\\d][a-z\\d.-]{1,61}[a-z\\d]$/.test(bucket)', "bucket === ''"],
    'a checksum in the query counts': ['/^x-amz-(?!checksum-(?:crc|sha))/', '/^x-amz-/'],
  }),
  ...bugsIn('infra/local/key-service.ts', 'infra/local/key-service', {
    'a password is decrypted for another repository': [
      '.setAAD(additionalData(request))\n    .setAuthTag',
      '.setAuthTag',
    ],
    'the order of a context matters': ['sortedEntries(EncryptionContext)', 'Object.entries(EncryptionContext)'],
  }),
  ...bugsIn('infra/local/key-file.ts', 'infra/local/key-service', {
    'the key is for every user of the machine': [
      'mode: 0o600',
      'mode: 0o644',
      'infra/local/runner#token of the first admin',
    ],
    'each start makes a new key': [
      "if (!size) writeKeyOnce(file, randomBytes(keyBytes).toString('base64'));",
      "rmSync(file, { force: true });\n  writeKeyOnce(file, randomBytes(keyBytes).toString('base64'));",
    ],
    'a damaged key is taken': ['key.length !== keyBytes', 'key.length > keyBytes'],
    'a start without room leaves an empty key': [
      'const temporary = `${file}.${randomUUID()}`;',
      'const temporary = file;',
    ],
    'a key is left beside its file': ['    rmSync(temporary, { force: true });\n', ''],
    'an empty key beside a table is replaced': [' && !(await hasTable())', ''],
    'starts at the same moment have a key each': [
      'linkSync(temporary, file);',
      "writeFileSync(file, readFileSync(temporary), { flag: 'w' });",
    ],
  }),
];
