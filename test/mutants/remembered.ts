import { bugsIn, type Mutant } from './mutant.ts';

const lifetimes = 'shared/packages/lifetimes';
const failing = 'shared/packages/failing-upstreams';
const files = 'shared/packages/fetch/remote-files';
const switched = 'upstreams/switched-cache';
const tokens = 'shared/upstream/registry-tokens';
const limits = 'functions/workspaces/update-workspace';
const counted = 'scale/counted-metadata';

/** Bugs in how long something is remembered, in limits of zero, and in what is the second of two. */
export const rememberedMutants: readonly Mutant[] = [
  ...bugsIn('shared/table/packages/upstream-fetches.ts', lifetimes, {
    'a killed request holds its fetch for five minutes': [
      'requestMilliseconds = 30_000',
      'requestMilliseconds = 300_000',
    ],
    'a killed worker holds its fetch for ten minutes': ['workerMilliseconds = 60_000', 'workerMilliseconds = 600_000'],
    'a worker has the lease of a request': ['lease: workerMilliseconds', 'lease: requestMilliseconds'],
    'a failure is forgotten before its clients come back': [
      'failureMilliseconds = 60_000',
      'failureMilliseconds = 6_000',
    ],
    'a staged absence serves for ten minutes': ['absenceMilliseconds = 60_000', 'absenceMilliseconds = 600_000'],
    'a staged answer replaces a copy for ten days': [
      'replacementMilliseconds = 86_400_000',
      'replacementMilliseconds = 864_000_000',
    ],
    'what is stored does not end the lease': [
      "values: { ':ended': 0, ':now'",
      "values: { ':ended': Date.now() + 30_000, ':now'",
    ],
  }),
  ...bugsIn('shared/table/packages/worker-slots.ts', lifetimes, {
    'a killed worker keeps its slot for ten minutes': ['slotMilliseconds = 60_000', 'slotMilliseconds = 600_000'],
    'a slot is removed while it is taken': ['Math.ceil(until / 1000)', 'Math.floor(until / 1000) - 30'],
  }),
  ...bugsIn('shared/table/packages/upstream-outages.ts', lifetimes, {
    'a pause lasts for five minutes': ['const pauseMilliseconds = 30_000;', 'const pauseMilliseconds = 300_000;'],
  }),
  ...bugsIn('shared/table/packages/upstream-copies.ts', failing, {
    'a pause is removed before its end': [' + pauseSecondsMax;', ' + 300;'],
  }),
  ...bugsIn('shared/table/packages/upstream-outages.ts', failing, {
    'a late answer shortens a pause': ['NOT #until >= :until OR', 'NOT #until = :until OR'],
    'a pause leaves the circuit open': [
      '#expiresAt = :expiresAt REMOVE #silences, #silentSince',
      '#expiresAt = :expiresAt',
    ],
  }),
  ...bugsIn('shared/packages/fetch/freshness.ts', lifetimes, {
    'a missing file is removed from the table after a minute': [
      '(checkedAt + absenceMilliseconds[what]) / 1000',
      '(checkedAt + absenceMilliseconds.document) / 1000',
    ],
    'a copy beyond seven days is served for a month': [
      'staleMillisecondsMax = 7 * 24',
      'staleMillisecondsMax = 30 * 24',
      files,
    ],
    'an upstream that fails is asked for each request': [
      'revalidationPauseMilliseconds = 30_000',
      'revalidationPauseMilliseconds = 0',
      failing,
    ],
  }),
  ...bugsIn('shared/packages/fetch/file-cache.ts', lifetimes, {
    'the origin of a file has the fragment of its URL': [
      'const { origin, pathname } = new URL(url);\n  return origin + pathname;',
      'const { origin, pathname, hash } = new URL(url);\n  return origin + pathname + hash;',
      files,
    ],
  }),
  ...bugsIn('shared/packages/fetch/worker-queue.ts', lifetimes, {
    'the lease is not prolonged before the worker is called': [
      'await keepFetch(table, leaseKey, fetchId);\n  const ids',
      'const ids',
    ],
  }),
  ...bugsIn('shared/packages/fetch/single-flight.ts', files, {
    'who waits takes a copy as it was before': [
      'return { outcome: { answer: now.serve',
      'return { outcome: { answer: (kept ?? now).serve',
    ],
    'a failure is shown to who did not wait': [
      'await outcomeOf(flight, request.isWaiting) : undefined',
      'await outcomeOf(flight, true) : await outcomeOf(flight, true)',
      lifetimes,
    ],
    'the second of two gets a stale copy as fresh': ['return now?.isFresh ? now', 'return now ? now', failing],
    'a stale copy is no reserve': ['      async () => ({ answer: await stale() }),\n', '', 'upstreams/silent'],
  }),
  ...bugsIn('shared/packages/fetch/remote-documents.ts', switched, {
    'a kept document is served although the cache is off': [
      'const cached = source.isRemoteCacheEnabled ? read.find(key) : undefined;',
      'const cached = read.find(key);',
    ],
  }),
  ...bugsIn('shared/packages/serve/file-download.ts', switched, {
    'a fresh file is served although the cache is off': [
      'if (!source.isRemoteCacheEnabled) {',
      'if (!source.isRemoteCacheEnabled && !(file && isFresh(source, file))) {',
    ],
  }),
  ...bugsIn('shared/upstream/registry-tokens.ts', tokens, {
    'a token is used until its last moment': ['* 1000 - reserveMilliseconds', '* 1000'],
    'a token without an end is used for ten minutes': ['lifetimeSeconds = 60', 'lifetimeSeconds = 600'],
    'a token that has ended is used': ['token && token.until > Date.now()', 'token && token.until > 0'],
  }),
  ...bugsIn('shared/http/quota.ts', limits, {
    'a storage limit of 0 is none': ['if (storageLimit != null && used', 'if (storageLimit && used'],
    'limits of 0 are not looked at': [
      'if (storageLimit == null && packageLimit == null)',
      'if (!storageLimit && !packageLimit)',
    ],
    'the room of a body without a length is the whole limit': [
      ': storageLimit - used;',
      ': storageLimit;',
      'door/references#of an unknown length',
    ],
  }),
  ...bugsIn('shared/http/door-steps.ts', 'door/references#of an unknown length', {
    'a body without a length is taken whole': [
      'length === undefined ? Math.min(bodyBytesMax, room)',
      'length === undefined ? bodyBytesMax',
    ],
    'no body is allowed more than the room': ['length === undefined ? Math.min', 'length !== undefined ? Math.min'],
  }),
  ...bugsIn('shared/packages/changes/removal-writes.ts', 'functions/packages/delete-package-version', {
    'the newest version that is left is the highest text': [
      'one.createdAt < other.createdAt ? 1 : -1',
      'one.version < other.version ? 1 : -1',
    ],
    'of the versions that are left, only the first two are looked at': [
      'await firstLive(table, versionsList(ref)))',
      'await firstLive(table, versionsList(ref), 2))',
    ],
  }),
  ...bugsIn('shared/packages/changes/version-changes.ts', counted, {
    'what a deprecation adds is beyond no limit': [
      'if (addedBytes > 0) await checkQuota',
      'if (addedBytes < 0) await checkQuota',
    ],
    'a full workspace refuses what makes it smaller': ['if (addedBytes > 0) await', 'await'],
  }),
  ...bugsIn('functions/packages/get-workspace-usage.ts', counted, {
    'open uploads are not shown': ['openUploadBytes: openBytes', 'openUploadBytes: 0 * openBytes'],
  }),
  ...bugsIn('functions/packages/records.ts', counted, {
    'the metadata of one repository pass for those of all': [
      '(total, { entryBytes }) => total + entryBytes',
      '(_, { entryBytes }) => entryBytes',
    ],
    'tokens without a user see who published a file': [
      '    createdAt,\n    ...originRecord(caller, origin),\n  })),',
      '    createdAt,\n    ...originRecord({ user: {} as never }, origin),\n  })),',
      'rights/limited-callers#who published',
    ],
  }),
  ...bugsIn('shared/packages/changes/publisher.ts', 'rights/limited-callers#who published', {
    'tokens without a user are shown no name at all': [
      "user === undefined && by.kind === 'user'",
      'user === undefined',
    ],
  }),
  ...bugsIn('functions/npm/get-npm-search.ts', 'rights/limited-callers#who published', {
    'npm search shows everybody the names of users': ['publisherFor(caller, origin.by).username', 'origin.by.username'],
  }),
  ...bugsIn('functions/repositories/virtual-changes.ts', 'functions/repositories/update-repository#with capitals in', {
    'an entry with capitals opens another package': ["list === 'allow' && spelling", "list === 'block' && spelling"],
  }),
  ...bugsIn('shared/packages/blobs/stored-bytes.ts', 'faults/lost-wheels', {
    'what is read in parts is never lost': [
      "noted(blob, 'absent');\n  throw new ApiError('CONTENT_LOST');",
      "noted(blob, 'absent');\n  return Buffer.alloc(0);",
    ],
  }),
  ...bugsIn('shared/http/endpoint.ts', 'upstreams/side-work', {
    'a request is over before what it keeps is kept': ['.use(finishing())', ''],
    'nobody hears that something could not be kept': [
      'sideWork.ended()) log.bestEffortFailure(failure);',
      'sideWork.ended()) void failure;',
    ],
  }),
  ...bugsIn('shared/packages/fetch/remote-documents.ts', 'shared/packages/fetch/remote-documents', {
    'a request waits for its own lease': ['await untilKept(leaseKey);', ''],
  }),
  ...bugsIn('shared/packages/fetch/single-flight.ts', 'upstreams/side-work', {
    'what cannot be kept holds others back': [
      'underLease(fetch, fetchId, async () => {',
      '(async (keepIt: () => Promise<void>) => keepIt())(async () => {',
    ],
  }),
  ...bugsIn('shared/packages/fetch/single-flight.ts', 'upstreams/cold-fetches', {
    'a cold fetch ends its lease by a call of its own': [
      'else if (asked && !asked.hasEnded) await',
      'else if (asked) await',
    ],
  }),
];
