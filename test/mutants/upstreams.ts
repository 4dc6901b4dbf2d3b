import { bugsIn } from './mutant.ts';

const worker = 'functions/fetcher';
const publish = 'functions/npm/publish-npm-package';

/** Bugs in fetches that take longer than a request, and in what is too large for an item of the table. */
export const upstreamMutants = [
  ...bugsIn('shared/packages/serve/wait-redirects.ts', worker, {
    'a redirect to wait loses the query': ['...others, wait: wait + 1', 'wait: wait + 1'],
    'a client waits without an end': ['&& wait < waitsMax', '&& wait <= waitsMax'],
  }),
  ...bugsIn('shared/table/packages/upstream-fetches.ts', worker, {
    'a staged file serves for an hour': ['stagedMilliseconds = 300_000', 'stagedMilliseconds = 3_600_000'],
    'two requests fetch the same file': [
      "'(attribute_not_exists(#until) OR #until <= :now)'",
      "'(attribute_not_exists(#until) OR #until <= :now OR #until > :now)'",
      'shared/packages/fetch/remote-files#is kept once by 20',
    ],
    'a staged answer does not replace an older copy': ['staged.copy.checkedAt <= copyAt', 'copyAt > 0'],
  }),
  ...bugsIn('shared/packages/fetch/file-flight.ts', 'shared/packages/queued-fetches', {
    'a fetch that failed keeps its lease': ['await concluded(fetch, fetchId, { error });\n', ''],
  }),
  ...bugsIn('shared/packages/fetch/file-flight.ts', 'shared/packages/fetch/remote-files#is kept once by 20', {
    'whoever waits does not look for the result': [
      'fetchId === undefined ? await outcomeOf(fetch) : await fetchHere(fetch, fetchId, upstream)',
      "await fetchHere(fetch, fetchId ?? '', upstream)",
    ],
  }),
  ...bugsIn('shared/packages/fetch/remote-documents.ts', worker, {
    'a staged document that is none stays': ['if (error instanceof UpstreamError) await', 'if (!error) await'],
    'a slow document is kept as missing': ['if (staged) return use(staged);', 'if (staged) return undefined;'],
  }),
  ...bugsIn('shared/packages/fetch/staged-answers.ts', worker, {
    'who waits sees no failure': ['const failure = hasWaited &&', 'const failure = false &&'],
    'a slow answer is not handed over': ['await begin(fetch, left);', ''],
    'a copy is not served where the worker cannot be asked': [
      'log.bestEffortFailure(error);',
      'if (error) throw error;',
    ],
  }),
  ...bugsIn('shared/packages/fetch/worker-fetch.ts', worker, {
    'the worker keeps files of a repository without a cache': [' && source.isRemoteCacheEnabled', ''],
  }),
  ...bugsIn('shared/packages/serve/package-indexes.ts', worker, {
    'a virtual repository does not wait for a slow child': ['if (pending && query', 'if (!pending && query'],
  }),
  ...bugsIn('functions/npm/upstream-documents.ts', worker, {
    'a tarball waits for the other form of its packument': [
      'staged.copy.checkedAt) || 0',
      'staged.copy.checkedAt) && 0',
    ],
  }),
  ...bugsIn('infra/api/gateway-responses.ts', 'infra/routes', {
    'npm prints nothing of a refusal of the gateway': ['error: body.detail', 'reason: body.detail'],
  }),
  ...bugsIn('functions/npm/publish-body.ts', publish, {
    'a publication moves any number of tags': ['entries.length > tagsMax', 'entries.length < 0'],
    'a readme keeps its control characters': [".replace(controlCharacters, '')", ''],
  }),
  ...bugsIn('shared/packages/index/package-index.ts', publish, {
    'the metadata of a version has no limit after compression': ['packed.length > packedBytesMax', 'packed.length < 0'],
  }),
  ...bugsIn('shared/table/writes.ts', 'functions/npm/update-dist-tag', {
    'an item that is too large is a fault of the service': ['if (isItemTooLarge(error))', 'if (!error)'],
  }),
];
