import { bugsIn, type Mutant } from './mutant.ts';

const metadata = 'scale/metadata-bounds';
const reads = 'scale/bounded-reads';
const combined = 'scale/combined-indexes';
const uploads = 'scale/open-uploads';
const lists = 'functions/docker/bounded-lists';
const packagesOfBefore = 'records/released-packages';

/** Bugs in what bounds metadata, what is read at once, and what is stored before it is published. */
export const boundMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/index/entry-bounds.ts', 'scale/metadata-bounds#An entry of any type', {
    'an entry of any type is ten times as large': ['entryBytesMax = 1_400_000', 'entryBytesMax = 14_000_000'],
  }),
  ...bugsIn('shared/packages/nupkg/package-entries.ts', 'functions/nuget/publish-nuget-package', {
    'a nuspec in an index is as large as in its package': ['entryBytesMax = 256_000', 'entryBytesMax = 1_256_000'],
  }),
  ...bugsIn('functions/docker/index-entries.ts', 'functions/docker/index-entries', {
    'a manifest names as much as fits into it': ['neededBytesMax = 1_000_000', 'neededBytesMax = 4_000_000'],
  }),
  ...bugsIn('shared/packages/index/entry-bounds.ts', metadata, {
    'a text of an entry has no limit before compression': ['if (bytes > bytesMax)', 'if (bytes < 0)'],
    'an index has room for anything': ['entryBytes + addedBytes > indexBytesMax', 'entryBytes < 0'],
    'an entry is counted by its characters': ['sum + Buffer.byteLength(part)', 'sum + 1'],
    'any number of entries without texts fits into an index': ['overheadBytes = 200', 'overheadBytes = 0'],
    'a removed entry costs nothing': ['Math.min(countedBytes, sizeOfEntry(entry))', 'Math.min(countedBytes, 0)'],
  }),
  ...bugsIn('shared/table/packages/head-writes.ts', metadata, {
    'two entries that come at once exceed the index': ['addedBytes > 0 ? anyOf', 'addedBytes < 0 ? anyOf'],
  }),
  ...bugsIn('shared/packages/serve/combined-size.ts', combined, {
    'indexes of any size are combined': ['bytes <= combinedBytesMax', 'bytes <= 100 * combinedBytesMax'],
    'an index alone is too large to be combined': ['indexes.length < 2', 'indexes.length < 1'],
  }),
  ...bugsIn('shared/packages/serve/package-indexes.ts', combined, {
    'upstreams are asked for what is too large already': ['if (bytes > combinedBytesMax) return undefined;', ''],
    'what is published counts nothing': ['bytes: entryBytes,', 'bytes: 0 * entryBytes,'],
  }),
  ...bugsIn('shared/packages/fetch/document-cache.ts', combined, {
    'nobody knows the size of a document that is kept': ['blob, bytes, copy', 'blob, copy'],
  }),
  ...bugsIn('functions/go/version-info.ts', 'functions/go/version-info', {
    'all that an upstream says of an origin is passed on': [
      "originFields.filter((field) => typeof origin[field] === 'string')",
      "Object.keys(origin).filter((field) => typeof origin[field] === 'string')",
    ],
    'a version is described by what is said of another one': [
      'wanted !== undefined && version !== wanted',
      "wanted === ''",
    ],
  }),
  ...bugsIn('shared/packages/changes/removal-writes.ts', metadata, {
    'an index counts what was deleted': ['entryBytes = addedTo(growths)', 'entryBytes = 0 * addedTo(growths)'],
  }),
  ...bugsIn('shared/packages/index/packed-entries.ts', metadata, {
    'an entry to which files are added is counted twice': ['isLive(known) ? counted :', 'isLive(known) ? 0 :'],
  }),
  ...bugsIn('shared/packages/changes/version-changes.ts', metadata, {
    'changes of one version are never merged': ['if (needsCompaction(current.head))', 'if (!current.head)'],
    'a change of a version has room for anything': ['requireRoom(current.head, addedBytes);', ''],
  }),
  ...bugsIn('shared/packages/changes/gone-error.ts', '~shared/packages/changes/emptied-meanwhile', {
    'an emptied repository passes for a deleted one': [
      'refusal[at] && !foundBy(repositoryKey(workspaceId, repositoryId), refusal, at)',
      'refusal[at]',
    ],
    'a deleted repository passes for an emptied one': [
      'refusal[at] && !foundBy(repositoryKey(workspaceId, repositoryId), refusal, at)',
      '!refusal',
    ],
  }),
  ...bugsIn('shared/packages/changes/version-changes.ts', '~shared/packages/changes/emptied-meanwhile', {
    'an entry of an emptied repository is changed until no attempt is left': [
      "if (refusal?.[0]) throw goneError(repository, refusal, 'VERSION_NOT_FOUND');",
      '',
    ],
  }),
  ...bugsIn('functions/npm/index-entries.ts', metadata, {
    'a manifest of npm has no limit of its own': ['manifestBytesMax = 1_000_000', 'manifestBytesMax = 100_000_000'],
    'what an installation needs has no limit of its own': [
      'abbreviatedBytesMax = 256_000',
      'abbreviatedBytesMax = 900_000',
    ],
  }),
  ...bugsIn('functions/helm/chart-content.ts', metadata, {
    'a Chart.yaml has no limit of its own': ['entryBytesMax = 64_000', 'entryBytesMax = 64_000_000'],
  }),
  ...bugsIn('shared/packages/blobs/shared-documents.ts', reads, {
    'each GET of a large document stores it': ['[...parts, day]', '[...parts, day, Math.random()]'],
    'large documents of two packages are one object': ['[...parts, day]', '[day]'],
  }),
  ...bugsIn('shared/packages/serve/document-answers.ts', reads, {
    'each GET of a large document renders it': [
      'if (size > answerBytesMax) return redirectToShared(call, answered, key);',
      'if (size > answerBytesMax) return undefined;',
    ],
  }),
  ...bugsIn('shared/packages/serve/document-answers.ts', 'scale/shared-documents', {
    'each process renders a large document': [
      'isShared ? await sharedAnswer(call, answered, head, key) : undefined',
      'undefined',
    ],
    'a document of a small index is shared': ['sharedSourceBytesMin = 1_000_000', 'sharedSourceBytesMin = 900_000'],
    'a shared document is read each time': ['if (content) remember(answered, head, content);', ''],
    'a document that one process rendered is not shared': [
      'if (isShared) await shareDocument',
      'if (!key) await shareDocument',
    ],
    'all forms of a document are one object': [
      'sharedDocumentKey(answered.name, head.etag)',
      'sharedDocumentKey(answered.name)',
    ],
  }),
  ...bugsIn('functions/npm/get-npm-document.ts', 'scale/shared-documents', {
    'no packument is shared': ['sourceBytes: found.bytes', 'sourceBytes: 0'],
  }),
  ...bugsIn('shared/front/shared-documents.ts', 'scale/shared-documents', {
    'the front renders what is not shared': [' ?? needApi()', ''],
  }),
  ...bugsIn('functions/maven/plugins.ts', `${packagesOfBefore}#keep their prefixes`, {
    'plugins of before have no prefix': ['...(marked.get(source) ?? []), ', ''],
  }),
  ...bugsIn('shared/packages/changes/removal-writes.ts', `${packagesOfBefore}#keep their prefixes`, {
    'a deleted version stays in its other indexes': [
      'Object.entries(heldEntries(found, version)).map(',
      'Object.entries(heldEntries(found, version)).slice(0, 1).map(',
    ],
  }),
  ...bugsIn('shared/table/packages/packages.ts', `${packagesOfBefore}#helm`, {
    'a chart of before is in an index of its own': ["[head?.indexedIn ?? 'package']:", 'package:'],
  }),
  ...bugsIn('shared/packages/index/index-writes.ts', `${packagesOfBefore}#swept`, {
    'a named index is never swept': ['[{ put: { ...namedIndexKey(contentId, index) } }]', '[]'],
  }),
  ...bugsIn('shared/packages/index/index-rebuild.ts', 'faults/lost-indexes#by its name', {
    'an entry counts as lost when the version changes in another index': [
      'if (indexes) return indexes[index]?.revision;',
      'if (indexes) return revision;',
    ],
  }),
  ...bugsIn('functions/maven/marked-plugins.ts', reads, {
    'any number of plugins is read': ['markedMax = 5_000', 'markedMax = 50_000'],
  }),
  ...bugsIn('functions/maven/plugins.ts', reads, {
    'plugins of an upstream come from names that are held': [
      'loaded.find(key) !== undefined',
      'loaded.find(key) === null',
    ],
    'plugins of an upstream come from names that nobody looked up': ['!loaded.hasRead(key) || ', ''],
  }),
  ...bugsIn('functions/maven/found-metadata.ts', reads, {
    'metadata of a group keep their ETag when a name becomes held': [
      'revisionOf([plugins, theirs.map((each) => each.plugins)])',
      'revisionOf([plugins])',
    ],
  }),
  ...bugsIn('functions/pypi/root-page.ts', reads, {
    'each repository has a budget of its own': ['budget.left -= items.length', 'budget.left -= 0'],
  }),
  ...bugsIn('functions/docker/referrers.ts', lists, {
    'all referrers are one answer': ['return bytes > pageBytesMax', 'return bytes < 0'],
    'the next page of referrers begins at the first one': ['digest > last', "digest > ''"],
  }),
  ...bugsIn('functions/docker/upstream-referrers.ts', lists, {
    'an upstream annotates without end': ['<= describedBytesMax) return referrer', '> 0) return referrer'],
  }),
  ...bugsIn('functions/docker/upstream.ts', lists, {
    'an upstream has tags without end': ['if (tags.size < tagsMax) tags.add(tag)', 'tags.add(tag)'],
  }),
  ...bugsIn('shared/http/quota.ts', uploads, {
    'open uploads do not count': ['usage.entryBytes + openBytes', 'usage.entryBytes'],
    'what is published counts as an open upload, too': ['workspaceId, uploadId)', 'workspaceId)'],
  }),
  ...bugsIn('shared/table/packages/open-uploads.ts', uploads, {
    'uploads that have ended count': ['if (isOpen(item) && item.uploadId', 'if (item.uploadId'],
    'a slot is taken twice': ['OR #expiresAt <= :now', 'OR #expiresAt > :now'],
    'an actor has any number of open sessions': ['session: 100', 'session: 10_000'],
    'an upload that ends keeps its slot': [
      "remove: keyOf(owner, slot),\n  if: '",
      "remove: keyOf(owner, slot + 5_000),\n  if: '",
    ],
    'what has come of an upload is not counted': ["set: 'SET #bytes = :bytes'", "set: 'SET #sent = :bytes'"],
  }),
  ...bugsIn('functions/docker/update-blob-upload.ts', uploads, {
    'pieces are stored whatever the limit': [
      '{ bytes: call.body.length, packages: 0 }',
      '{ bytes: -1e9, packages: 0 }',
    ],
    'pieces that nothing needs stay': ['await removeObjects(unneeded, table.signal);', ''],
  }),
  ...bugsIn('functions/docker/publish-image-content.ts', uploads, {
    'the pieces of a blob stay': [
      'if (upload.size > 0) await removeObjects',
      'if (upload.size < 0) await removeObjects',
    ],
  }),
  ...bugsIn('functions/docker/delete-image-content.ts', uploads, {
    'the pieces of an upload that was ended stay': ['await removeObjects(keysOf(upload), call.table.signal);', ''],
  }),
  ...bugsIn('functions/docker/blob-uploads.ts', uploads, {
    'an upload begins in a full workspace': [
      'await checkQuota(call.table, call.workspace, target.workspaceId, { bytes: 0, packages: 0 });',
      '',
    ],
  }),
  ...bugsIn('shared/http/door-steps.ts', 'door/references', {
    'the door takes what a workspace has no room for': [
      'await checkRoom(Number(length ?? 0));',
      'Number.POSITIVE_INFINITY;',
    ],
  }),
  ...bugsIn('functions/helm/index-pieces.ts', 'laws/regular-expressions', {
    'whether an index of charts was cut takes quadratic time': ['/^[ \\t]+(?:created', '/^\\s+(?:created'],
  }),
];
