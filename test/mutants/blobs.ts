import { bugsIn, type Mutant } from './mutant.ts';

// The suite calls the table layer itself: what serves it needs no bug.
const table = '~shared/table/stale-blobs';

/** Bugs in the conditions under which bytes are referred to, released and deleted, each of them gone. */
export const blobMutants: readonly Mutant[] = [
  ...bugsIn('shared/table/packages/blobs.ts', table, {
    'a blob that is being deleted gets a reference': [
      "if: '#objectId = :objectId AND #state <> :deleting',\n  values: { ':live': 'live', ':times': times, ':objectId': objectId, ':deleting': 'deleting' },",
      "if: '#objectId = :objectId',\n  values: { ':live': 'live', ':times': times, ':objectId': objectId },",
    ],
    'a reference to an earlier life counts': [
      "if: '#objectId = :objectId AND #state <> :deleting',\n  values: { ':live': 'live', ':times': times, ':objectId': objectId, ':deleting': 'deleting' },",
      "if: 'attribute_exists(pk) AND #state <> :deleting',\n  values: { ':live': 'live', ':times': times, ':deleting': 'deleting' },",
    ],
    'a blob with a reference is still due': ['SET #state = :live REMOVE #dueAt ADD', 'SET #state = :live ADD'],
    'a blob is released more often than it is referred to': [
      "if: '#objectId = :objectId AND #references > :none',\n      values: { ':dueAt': dueAt, ':less': -times, ':objectId': objectId, ':none': 0 },",
      "if: '#objectId = :objectId',\n      values: { ':dueAt': dueAt, ':less': -times, ':objectId': objectId },",
    ],
    'a release of an earlier life hits the new one': [
      "if: '#objectId = :objectId AND #references > :none',\n      values: { ':dueAt': dueAt, ':less': -times, ':objectId': objectId, ':none': 0 },",
      "if: '#references > :none',\n      values: { ':dueAt': dueAt, ':less': -times, ':none': 0 },",
    ],
    'a blob goes half an hour after its last reference': [
      'unreferencedMilliseconds = 24 * 60 * 60 * 1000',
      'unreferencedMilliseconds = 24 * 60 * 1000',
    ],
    'a blob stays for a week': [
      'unreferencedMilliseconds = 24 * 60 * 60 * 1000',
      'unreferencedMilliseconds = 7 * 24 * 60 * 60 * 1000',
    ],
    'the sweeper takes blobs before they are due': ['.filter(({ dueAt }) => dueAt <= now)', '.filter(() => now)'],
    'the sweeper is not told of announced bytes': [
      '      { put: { ...blobSweepKey(dueAt, workspaceId, sha256) } },\n    ]);',
      '    ]);',
    ],
    'bytes are announced in a life that has ended': ["allOf(equals('state', blob.state), equals", 'allOf(equals'],
    'the bytes of the next life get the object of the last one': [
      "equals('objectId', blob.objectId), equals('references', 0)",
      "equals('references', 0)",
    ],
    'bytes that are announced lose a reference': [", equals('references', 0))", ')'],
    'bytes that were released anew are deleted': [
      "if: '#references = :none AND #dueAt = :dueAt AND #objectId = :objectId',\n      values: { ':deleting': 'deleting', ':none': 0, ':dueAt': dueAt, ':objectId': blob.objectId },",
      "if: '#references = :none AND #objectId = :objectId',\n      values: { ':deleting': 'deleting', ':none': 0, ':objectId': blob.objectId },",
    ],
    'the next life of a blob ends with the last one': [
      "if: '#references = :none AND #dueAt = :dueAt AND #objectId = :objectId',\n      values: { ':deleting': 'deleting', ':none': 0, ':dueAt': dueAt, ':objectId': blob.objectId },",
      "if: '#references = :none AND #dueAt = :dueAt',\n      values: { ':deleting': 'deleting', ':none': 0, ':dueAt': dueAt },",
    ],
    'a blob ends without an entry in the queue': [
      "      if: 'attribute_exists(pk)',\n      values: { ':objectId': blob.objectId },",
      "      values: { ':objectId': blob.objectId },",
    ],
    'a blob that lives is forgotten': [
      "if: '#state = :deleting AND #objectId = :objectId',\n        values: { ':objectId': ended.objectId, ':deleting': 'deleting' },",
      "if: '#objectId = :objectId',\n        values: { ':objectId': ended.objectId },",
    ],
    'the next life of a blob is forgotten with the last one': [
      "if: '#state = :deleting AND #objectId = :objectId',\n        values: { ':objectId': ended.objectId, ':deleting': 'deleting' },",
      "if: '#state = :deleting',\n        values: { ':deleting': 'deleting' },",
    ],
  }),
  ...bugsIn('shared/table/repositories/swept-content.ts', table, {
    'a version that was deleted meanwhile is released again': [
      'Object.entries({ blob, snapshot, deletedAt })',
      'Object.entries({ blob, snapshot, ...(deletedAt && { deletedAt }) })',
    ],
    'a version that got other bytes meanwhile keeps them for ever': [
      'Object.entries({ blob, snapshot, deletedAt })',
      'Object.entries({ snapshot, deletedAt })',
    ],
    'an index that got a snapshot meanwhile keeps it for ever': [
      'Object.entries({ blob, snapshot, deletedAt })',
      'Object.entries({ blob, deletedAt })',
    ],
    'the bytes of a tombstone are released again': ['return deletedAt === undefined ? ', 'return deletedAt !== "" ? '],
    'bytes that two versions share are released once': [
      'releaseBlob({ ...blob, workspaceId }, same.length)',
      'releaseBlob({ ...blob, workspaceId })',
    ],
  }),
  ...bugsIn('shared/table/packages/blobs.ts', 'upstreams/item-blobs', {
    'an item keeps bytes of any size': ['itemBytesMax = 8 * 1024;', 'itemBytesMax = 80 * 1024;'],
    'an item keeps the bytes of a life that is over': ["remove: blob?.content ? ['content'] : []", 'remove: []'],
    'bytes get a reference in an item that is being deleted': [
      "if: 'attribute_not_exists(pk) OR (#objectId = :objectId AND #state <> :deleting)',",
      "if: 'attribute_not_exists(pk) OR (#objectId = :objectId AND #objectId <> :deleting)',",
    ],
    'bytes in an item take the place of those in an object': [
      "if: 'attribute_not_exists(pk) OR (#objectId = :objectId AND #state <> :deleting)',",
      "if: 'attribute_not_exists(pk) OR #state <> :deleting',",
    ],
  }),
  ...bugsIn('shared/packages/changes/reference-writes.ts', 'functions/maven/replaced-files', {
    'bytes that stay are referred to and released in one transaction': [
      'changes, ({ ref }) => ref.sha256)',
      'changes, ({ ref, by }) => ref.sha256 + by)',
    ],
    'bytes in several files get one reference': ['refer(more)', 'refer()'],
    'bytes that several files lose are released once': ['releaseBlob(ref, -more)', 'releaseBlob(ref)'],
    'bytes that are replaced are never released': ['...gone.map(', '...gone.slice(gone.length).map('],
  }),
  ...bugsIn('shared/packages/blobs/blob-storage.ts', 'upstreams/cold-fetches', {
    'few bytes get an object all the same': ['if (known || size > itemBytesMax || ', 'if (size >= 0 || '],
  }),
  ...bugsIn('shared/packages/blobs/stored-bytes.ts', 'upstreams/item-blobs', {
    'bytes in items are looked for in the store': ['if (!isInItem(blob)) return undefined;', 'return undefined;'],
    'an item that has other bytes stays so': [
      "return stateOf(bytes, blob) === 'intact' ? bytes : undefined;\n};\n\n/** The bytes of a blob as",
      'return bytes;\n};\n\n/** The bytes of a blob as',
      'faults/lost-bytes',
    ],
  }),
  ...bugsIn('shared/packages/fetch/document-cache.ts', 'upstreams/item-blobs', {
    'a document whose item is being deleted is not kept': [
      'const isOtherLife = refusal?.[0] !==',
      'const isOtherLife = refusal?.[100] !==',
    ],
    'a document that an item has lost stays lost': [
      'isSame ? await stored() : await prepareFetched(',
      'isSame && !isSame ? await stored() : await prepareFetched(',
      'faults/lost-bytes',
    ],
    'only the first document of a package is kept': [
      'isListed || refusal?.[1] !== undefined',
      'isListed',
      'upstreams/cold-fetches',
    ],
    'a document hides the files of its package': [
      'insertion(packageEntryKey(ref), { displayName: ref.name, isEmpty: true })',
      '{ put: { ...packageEntryKey(ref), displayName: ref.name, isEmpty: true } }',
      'upstreams/cold-fetches',
    ],
  }),
  ...bugsIn('shared/packages/blobs/blob-storage.ts', table, {
    'bytes that are being deleted are stored': ["if (!blob || blob.state === 'deleting')", 'if (!blob)'],
    'bytes that nothing refers to yet are not stored': [
      "if (!blob || blob.state === 'deleting')",
      "if (!blob || blob.state !== 'live')",
    ],
    'bytes without an object are stored': ['return isStored && objectId;', 'return isStored ? objectId : objectId;'],
  }),
  ...bugsIn('shared/store/client.ts', 'shared/store/client', {
    'two writes of one object at once are a failure': ['status >= 500 || status === 409 ||', 'status >= 500 ||'],
    'an S3 that is slow is a failure': ['status >= 500 ||', 'status === 500 ||'],
    'a write is tried twice': ['attemptsMax = 4', 'attemptsMax = 2'],
    'a write is tried for ever': ['attemptsMax = 4', 'attemptsMax = 9'],
  }),
  ...bugsIn('shared/table/packages/version-writes.ts#isLiveItem', 'functions/npm/update-dist-tag#VERSION_NOT_FOUND', {
    'a tag points to a deleted version': ["allOf(isThere, isUnset('deletedAt'))", 'isThere'],
    'a tag points to a version that never was': ["allOf(isThere, isUnset('deletedAt'))", "isUnset('deletedAt')"],
  }),
  ...bugsIn(
    'shared/table/packages/uploads.ts',
    '~functions/packages/publish-upload#does not replace a later SNAPSHOT',
    {
      'two completions publish a session twice': [
        "'attribute_exists(pk) AND attribute_not_exists(#published)'",
        "'attribute_exists(pk)'",
      ],
    },
  ),
];
