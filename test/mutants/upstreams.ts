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
    'a staged answer does not replace an older copy': [
      'return staged.copy.checkedAt > unusableBefore(',
      'return copyAt === 0 && staged.copy.checkedAt > unusableBefore(',
    ],
  }),
  ...bugsIn('shared/packages/fetch/single-flight.ts', worker, {
    'a fetch that failed keeps its lease': [
      'await concluded(fetch, fetchId, { error });\n    throw error;',
      'throw error;',
      'shared/packages/queued-fetches',
    ],
    'whoever waits does not look for the result': [
      'const outcome = await outcomeOf(flight, true);\n    if (outcome) return outcome.answer;',
      "return (await askedUnderLease(flight, '', async () => question))?.answer;",
      'shared/packages/fetch/remote-files#is kept once by 20',
    ],
    'who waits sees no failure': ['const failure = isWaiting &&', 'const failure = false &&'],
    'a slow answer that is not kept is not handed over': ['await beginInWorker(flight, await question.left());', ''],
    'a copy is not served where the worker cannot be asked': [
      'if (!flight.kept?.isServable) throw error;',
      'if (error) throw error;',
    ],
    'a slow answer is kept as missing': [
      'if (staged) return { outcome: { answer: await use(staged) } };',
      'if (staged) return { outcome: undefined };',
    ],
    'what replaces a stale copy late is not used': [
      'if (staged) return withReserve(async () => use(staged), stale);',
      'if (staged) return stale();',
    ],
  }),
  ...bugsIn('shared/packages/fetch/remote-documents.ts', worker, {
    'a staged document that is none stays': ['if (error instanceof UpstreamError) await', 'if (!error) await'],
  }),
  ...bugsIn('shared/packages/fetch/remote-documents.ts', worker, {
    'the worker does not know the second address of a document': ['url, otherwise, accept }),', 'url, accept }),'],
  }),
  ...bugsIn('shared/packages/serve/uncached-files.ts', `${worker}#second address`, {
    'what is not kept has one address': ['source, url, otherwise, accept,', 'source, url, accept,'],
  }),
  ...bugsIn('shared/packages/fetch/worker-fetch.ts', worker, {
    'what comes late is where it was asked for': ['redirectedTo !== withoutQuery(event.url) && ', 'false && '],
    'the worker asks one address for a document': ['otherwise: event.otherwise,', ''],
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
  ...bugsIn('shared/http/problem.ts#refusalBody', 'infra/local/authorization', {
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
