import { bugsIn, type Mutant } from './mutant.ts';

const loops = 'upstreams/request-loops';
const breaker = 'shared/packages/upstream/circuit-breaker';
const waiting = `${breaker}#what another one asks for`;
const realms = 'shared/upstream/token-realms';
const queued = 'shared/packages/queued-fetches';
const slow = 'shared/upstream/slow-upstreams#the floor of a whole body';
const moved = 'functions/repositories/moved-upstream';

/** Bugs that let a request lead back to its service, or a slow upstream take what others need. */
export const outageMutants: readonly Mutant[] = [
  ...bugsIn('shared/request-chain.ts', loops, {
    'a request that comes back goes on': [
      'if (marks.length > 0 && marks.includes(ownMark()))',
      'if (marks.length > 99)',
    ],
    'a way through another service is forgotten': ['...receivedMarks().slice(-marksMax), ', ''],
    'upstreams see the whole Via of clients': [
      '.filter((entry) => markPattern.test(entry))',
      ".filter((entry) => entry !== '')",
    ],
  }),
  ...bugsIn('shared/packages/upstream/upstream-clients.ts', loops, {
    'a hop is not marked': ['    via: viaHeader,\n', ''],
    'a changed password is used a minute later': [
      'remoteRepositoryUsername, passwordCiphertext]);',
      'remoteRepositoryUsername]);',
      'functions/universal/get-universal-file-from-upstream#by a new password',
    ],
    'a token of one repository is that of another': [
      'JSON.stringify([repositoryId, url,',
      'JSON.stringify([url,',
      'functions/docker/get-image-content-from-upstream#for each repository',
    ],
  }),
  ...bugsIn('shared/door/server.ts', 'door/robustness#comes back', {
    'the door passes a loop on': ['      refuseLoop(headersDistinct.via ?? []);\n', ''],
  }),
  ...bugsIn('functions/repositories/own-hosts.ts', `${loops}#The service itself`, {
    'the service may be its own upstream': [
      'wanted === undefined || !own.includes(wanted)',
      'wanted === undefined || own.length > 0',
    ],
  }),
  ...bugsIn('functions/repositories/update-repository.ts', `${loops}#is changed`, {
    'the service may become its own upstream': [
      '  refuseOwnHost({ packageType, remoteRepositoryUrl: body.remoteRepositoryUrl }, call);\n',
      '',
    ],
  }),
  ...bugsIn('shared/table/packages/upstream-outages.ts', breaker, {
    'the circuit never opens': ['(pause?.silences ?? 0) >= silencesMax', '(pause?.silences ?? 0) < 0'],
    'a sixth question is asked': ['silences + 1 !== silencesMax', 'silences !== silencesMax'],
    'everybody is a probe': ["if: '#until = :seen',", "if: 'attribute_exists(#until)',"],
    'an open circuit stays open': ["'SET #until = :zero REMOVE #silences, #silentSince'", "'SET #until = :zero'"],
    'an answer forgets nothing': [
      "'#silences >= :max' : '#silences < :max'",
      "'#silences >= :max' : '#silences > :max'",
    ],
  }),
  ...bugsIn('shared/table/packages/hanging-counts.ts', breaker, {
    'any number of questions may hang': [
      "'#hangingUntil > :now AND #hanging < :max'",
      "'#hangingUntil > :now AND :max > :now - :now'",
    ],
    'what hung is counted for ever': [
      "set: 'SET #hanging = #hanging - :one'",
      "set: 'SET #hanging = #hanging - :zero'",
    ],
    'ended processes hang for ever': ['hanging >= hangingMax && hangingUntil > Date.now()', 'hanging >= hangingMax'],
  }),
  ...bugsIn('shared/packages/upstream/circuit-breaker.ts', breaker, {
    'an endless body is an answer': ["  body.once('error', (error) => void failed(circuit, error));\n", ''],
    'a failed probe is no failure': ['const silence = { isProbe,', 'const silence = { isProbe: false,'],
    'a crowd is let through': ['if (isCrowded(pause)) throw countOfRepository(source).failure();', ''],
    'a workspace may wait with all that it has': [
      ', countOfWorkspace(source)]',
      ']',
      `${breaker}#over all its repositories`,
    ],
    'an error of HTTP is silence': [
      "kind === 'timeout' || kind === 'unreachable' || lateness === 'slow'",
      "kind !== 'aborted' || lateness === 'slow'",
    ],
    'a body does not hang': ["['end', 'error', 'close']", '[]', `${breaker}#hangs until its end`],
    'a question stops to hang with its headers': [
      "if (method === 'HEAD') await hanging.end();",
      'await hanging.end();',
      `${breaker}#hangs until its end`,
    ],
    'a slow body is no silence': ["|| lateness === 'slow'", '', `${breaker}#counts as none at the deadline`],
    'a bad second opens the circuit': [
      "isSudden: kind === 'unreachable'",
      'isSudden: false',
      `${breaker}#for a moment`,
    ],
  }),
  ...bugsIn('shared/packages/upstream/hanging.ts', breaker, {
    'a question that nobody reads hangs for ever': [
      'setTimeout(() => void end(), countedMilliseconds).unref();',
      '',
      'shared/packages/upstream/circuit-breaker#25 seconds',
    ],
    'a question hangs once more when its answer is closed': [
      'if (isOver) return;\n    isOver = true;',
      'isOver = true;',
      'shared/packages/upstream/circuit-breaker#25 seconds',
    ],
    'what the workspace refuses hangs in its repository': [
      'taken.map(async (key)',
      'taken.slice(1).map(async (key)',
      `${breaker}#over all its repositories`,
    ],
    'all of a workspace may wait for one file': ['setTimeout(begin,', 'setTimeout(() => {},', waiting],
    'who waited waits for ever': ['    await end();\n', '', waiting],
    'who may not wait is redirected to wait': ['throw crowd.aborted ? crowd.reason : error;', 'throw error;', waiting],
  }),
  ...bugsIn('shared/packages/upstream/upstream-request.ts', breaker, {
    'a pause has another Retry-After': [
      "{ code: 'UPSTREAM_TIMEOUT', detail: message, retryAt }",
      "{ code: 'UPSTREAM_TIMEOUT', detail: message }",
    ],
  }),
  ...bugsIn('shared/table/packages/worker-slots.ts', 'upstreams/worker-slots', {
    'a workspace has all workers': ['const slotsMax = 5;', 'const slotsMax = 50;'],
    'a slot is never free again': ["set: 'SET #until = :zero',", "set: 'SET #until = #until + :zero',"],
  }),
  ...bugsIn('shared/packages/fetch/worker-queue.ts', 'upstreams/worker-slots', {
    'a worker begins without a slot': ["if (slot === undefined) throw new ApiError('UPSTREAM_BUSY', busy);", ''],
    'the worker forgets the way of a request': ['marks: receivedMarks(), ', ''],
    'what waits for its turn takes a slot': [
      "if (error.lateness === 'queued') throw new ApiError('FILE_PENDING');",
      '',
      queued,
    ],
    'what waits for its turn has failed': [
      "error !== undefined && code !== 'FILE_PENDING'",
      'error !== undefined',
      queued,
    ],
  }),
  ...bugsIn('shared/packages/serve/ordered-map.ts', 'shared/packages/serve/ordered-map', {
    'all upstreams are asked at once': ['Math.min(max, items.length)', 'items.length'],
  }),
  ...bugsIn('shared/packages/sources/sources.ts', 'functions/repositories/virtual-children#with all below them', {
    'a request reads any number of repositories': [
      '  refuseTooMany(repository, found.size + virtuals.size - 1);\n',
      '',
    ],
    'a tree is cut and nobody told': ['visited.size > 1 + combinedMax', 'visited.size > combinedMax'],
  }),
  ...bugsIn('functions/repositories/tree.ts', 'functions/repositories/virtual-children#with all below them', {
    'what virtual children combine counts for nothing': [
      '...below.flatMap(({ children }) => children.map(({ id }) => id))',
      '',
    ],
    'a hundred are too many': ['combined.size <= combinedMax', 'combined.size < combinedMax'],
  }),
  ...bugsIn('shared/packages/serve/joined-answers.ts', 'races/crowded-virtual', {
    'a virtual repository asks all its upstreams at once': [
      'throw refusal;\n    }\n  });',
      'throw refusal;\n    }\n  }, 99);',
    ],
  }),
  ...bugsIn('shared/upstream/paced-body.ts', slow, {
    'a body may take for ever': ['if (this.isBelowFloor()) return;', ''],
    'the floor has no first minute': ['this.isSlow(floorMilliseconds)', 'this.isSlow(0)'],
    'a slow reader is below the floor': ['0 : performance.now() - this.waitingSince', '0 : 1_000'],
  }),
  ...bugsIn('shared/upstream/time-limit.ts', 'shared/upstream/slow-upstreams#an upstream is not given up', {
    'an upstream is to blame while this process is busy': ['afterReading = setImmediate(end);', 'end();'],
  }),
  ...bugsIn('shared/upstream/token-realms.ts', realms, {
    'a password goes without TLS': ["if (realm.protocol !== 'https:') return false;", ''],
    'whoever is in between names the realm': ["if (home.protocol !== 'https:') return false;", ''],
    'all of a country is one owner': ['secondLevel.test(second) ? 3 : 2', 'secondLevel.test(second) ? 2 : 2'],
    'all of a platform is one owner': ['sharedDomains.has(domain) || ', ''],
  }),
  ...bugsIn('shared/upstream/upstream-client.ts', 'shared/upstream/registry-tokens', {
    'a password goes wherever a registry says': [
      'credential !== undefined && !isRealmOf(',
      'credential === undefined && !isRealmOf(',
    ],
  }),
  ...bugsIn('shared/upstream/upstream-client.ts', 'shared/upstream/addresses', {
    'readers learn internal hosts': ['if (!this.isInternal(target) && ', 'if (this.isHome(target) || '],
  }),
  ...bugsIn('shared/upstream/target.ts', 'shared/upstream/target', {
    'readers learn where a redirect leads': ['host !== undefined && isPublicHost(host) ?', 'host !== null ?'],
  }),
  ...bugsIn('functions/repositories/record.ts', 'functions/repositories/create-remote-repository', {
    'no upstream is dangerous': ['/^http:/i.test(plainUrl(packageType, remoteRepositoryUrl))', 'false'],
    'cargo is never warned': ['plainUrl(packageType, remoteRepositoryUrl)', 'remoteRepositoryUrl'],
  }),
  ...bugsIn('functions/repositories/remote-changes.ts', moved, {
    'files of a mirror outlive it': ['contentId: isMoved ? randomUUID() : undefined,', ''],
    'every change empties the cache': [
      'contentId: isMoved ? randomUUID() : undefined,',
      'contentId: url ? randomUUID() : undefined,',
    ],
    'files of another path outlive it': ["differsIn('href', repository, url)", "differsIn('origin', repository, url)"],
  }),
  ...bugsIn('functions/repositories/remote-changes.ts', moved, {
    'what was cached counts for ever': ['isMoved ? await contentLeft(table, repository) : []', '[]'],
  }),
];
