import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in how the table is read. */
export const readMutants: readonly Mutant[] = [
  ...bugsIn('shared/table/table-calls.ts', 'shared/table/table-calls', {
    'a silent table is waited for': ['silenceMilliseconds: 1_500', 'silenceMilliseconds: 15_000'],
    'a read is tried once': ['const attemptsMax = 3', 'const attemptsMax = 1'],
    'a refused read is tried again': [": 'CLIENT_ERROR'", ": 'TRANSIENT'"],
    'the tries of a read are different calls': [
      "'amz-sdk-invocation-id': randomUUID(),",
      "get 'amz-sdk-invocation-id'() { return randomUUID(); },",
    ],
    'what stood in the way of a plain write is lost': ['{ Item, CancellationReasons });', '{});'],
    'each try of a plain write is the first': ['$metadata: { attempts }', '$metadata: { attempts: 1 }'],
  }),
  ...bugsIn('shared/service-calls.ts', 'shared/table/table-calls', {
    'a long refusal is cut': ['this.body = () => text;', 'this.body = () => text.slice(0, 500);'],
  }),
  ...bugsIn('shared/table/retries.ts', 'shared/table/retries', {
    'a transaction that is under way is no reason to wait': [" || name === 'TransactionInProgressException'", ''],
  }),
  ...bugsIn('shared/table/dynamodb-client.ts', 'shared/table/signed-writes', {
    'what may be another on its way is signed': ["'user-agent': _agent, ", ''],
    'a write has the time of a wrong clock': ['new Date(signingDate)', 'new Date()'],
  }),
  ...bugsIn('shared/post-signatures.ts', 'shared/post-signatures', {
    'a path is signed as it is sent': ["path.split('/').map(encoded).join('/')", 'path'],
    'a path is signed by the rules of URLs': ["/[!'()*]/g", '/[!]/g'],
    'the key of a day signs for ever': ['this.known?.day === day', 'this.known'],
    'the session is not signed': ["if (sessionToken) signed['x-amz-security-token'] = sessionToken;", ''],
    'headers are signed as they come': ['Object.keys(signed).toSorted()', 'Object.keys(signed)'],
    'the body is not signed': ["hash('sha256', body)", "hash('sha256', '')"],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', 'scale/document-reads', {
    'the head of an index is no part of the first read': [
      '[indexHeadKey({ contentId, ...(name !== undefined && { name }) })]',
      '[]',
    ],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', 'upstreams/cold-fetches', {
    'what is kept of an upstream is no part of the first read': [
      ': documents.flatMap((document) => keysOfDocument(contentId, document))',
      ': documents.slice(documents.length).flatMap((document) => keysOfDocument(contentId, document))',
    ],
  }),
  ...bugsIn('functions/npm/get-npm-document.ts', 'upstreams/cold-fetches', {
    'the first read has the other form of a packument': [
      "isAbbreviated ? 'abbreviated' : 'full')]",
      "isAbbreviated ? 'full' : 'abbreviated')]",
    ],
  }),
  ...bugsIn('shared/packages/serve/package-indexes.ts', 'scale/document-reads', {
    'an index is read for whoever has it already': [
      'map(headKeyIn), ...alsoRead, ...keys], loaded)',
      'map(headKeyIn), ...alsoRead, ...keys])',
    ],
    'a package is there after its last version': ['if (versionCount === 0) return undefined;', ''],
  }),
  ...bugsIn('functions/docker/addresses.ts', 'scale/document-reads#docker', {
    'what has a digest is no part of the first read': [
      "if (path.kind === 'blob') return alsoReadAddress(request, blobAddress(path.image, path.digest));",
      "if (path.kind === 'blob') return [];",
    ],
    'the version of a tag is no part of the second read': [
      '...versions.flatMap(({ version }) => alsoReadAddress(request, manifestAddress(image, version))),',
      '',
    ],
  }),
  ...bugsIn('infra/api/built-contracts.ts', 'laws/bundles', {
    'who only reads has the SDK, too': ['table.some((action) => !readingActions.has(action))', 'table.length >= 0'],
  }),
  ...bugsIn('shared/table/stored-items.ts', 'shared/table/table-calls', {
    'bytes are sent as JSON has them': ['toJSON(): string', 'asText(): string'],
    'bytes stay text': ["if (typeof bytes !== 'string') return bytes;", 'if (bytes) return bytes as Uint8Array;'],
  }),
];
