import { bugsIn, type Mutant } from './mutant.ts';

const gated = 'functions/packages/gated-versions';
const downloads = 'functions/packages/list-downloads';
const imageDownloads = 'functions/packages/list-image-downloads';

/** Bugs in what is said of kept versions, and of who fetched them. */
export const keptGateMutants: readonly Mutant[] = [
  ...bugsIn('functions/packages/delete-content.ts', 'functions/packages/delete-content', {
    'who may manage a repository makes its gate forget': [' && !caller.isWorkspaceAdmin', ' && !caller.level'],
  }),
  ...bugsIn('functions/packages/kept-gates.ts#gateOf', gated, {
    'verdicts say nothing of kept versions': [
      'rulingFor(upstream, source, open, { name, version }) ??',
      'undefined ??',
    ],
  }),
  ...bugsIn('functions/packages/kept-gates.ts', gated, {
    'a kept version that the upstream withdrew is unknown': [
      ' ?? (gate && decisionOnWithdrawn({ ...open, gate }, name, kept))',
      '',
    ],
    'versions that pass are among those that do not': ["state && state !== 'passes'", 'state'],
    'what is not known passes': ["state: 'unknown'", "state: 'passes'"],
    'what a verdict names is in no list where no index is kept': [
      '...named.map((text) => source.versionSpelling?.normalize(text) ?? text), ',
      '',
    ],
    'a verdict on all versions is in no list where no index is kept': [', ...kept]', ']'],
    'a version is told of in each spelling': ['source.versionSpelling?.normalize(text) ?? text', 'text'],
    'a deleted version is told of': ['isLive(item) ?', 'item ?'],
    'what has no version of a package tells what verdicts name': [
      'holders.find((holder) => holder.source === source)?.ref',
      'holders[0].ref',
    ],
    'advisories of another child say nothing of kept versions': [
      'releaseGate || advisedBy || observedBy ||',
      'releaseGate ||',
    ],
    'the times of single versions are never read': [
      '!upstream.hasOtherTimes ||',
      'upstream.hasOtherTimes !== undefined ||',
    ],
  }),
  ...bugsIn('functions/packages/decisions.ts', gated, {
    'what only observes is said to refuse': ['isHeld && isEnforced(open, decided)', 'isHeld'],
    'what another child observes is said to refuse': [
      'isHeld && isEnforced(open, decided)',
      'decision !== undefined && isEnforced(open, decision)',
    ],
    'what another child observes is not told of kept versions': [
      '(observedOn(open, name, version) ?? decided)',
      'decided',
    ],
  }),
  ...bugsIn('functions/packages/kept-gates.ts', 'scale/gated-reads', {
    'a gate without an index costs a call more': ['if (!hasRulings({ ...open, verdicts })) return [];', ''],
    'a version reads more than is needed': [
      'const listed = asked.open.gate && (await listedOf(asked));',
      'await listedOf({ ...asked, request: keptRequest(table) });\n  const listed = asked.open.gate && (await listedOf(asked));',
    ],
  }),
  ...bugsIn('shared/packages/fetch/kept-documents.ts', 'scale/gated-reads', {
    'each kept document costs a call': ['next ??= readWanted();', 'next = readWanted();'],
  }),
  ...bugsIn('shared/packages/releases/gate-of.ts#gateOfWithdrawn', gated, {
    'what is withdrawn is held back whatever is set': ["if (gate.withdrawnUpstream === 'serve')", 'if (keptAt < 0)'],
    'a sentence says that what was kept was published then': [
      "heldByTime(keptAt, gate, now, 'it has been kept since')",
      'heldByTime(keptAt, gate, now)',
    ],
  }),
  ...bugsIn('shared/packages/releases/gate-of.ts', 'functions/packages/gated-versions#withdrew', {
    'what builds rely on is gone': ['if (keptAt < now - reliedOnMilliseconds) return passes;', ''],
    'what builds rely on is held back by the other rules': [
      'if (keptAt < now - reliedOnMilliseconds) return passes;',
      'if (keptAt < now - reliedOnMilliseconds) return heldByTime(keptAt, gate, now);',
    ],
  }),
  ...bugsIn('functions/packages/check-version.ts', 'functions/packages/gated-versions#withdrew', {
    'a check knows no kept version': [' ?? decidedOnKept(request, source, open, asked)', ''],
  }),
  ...bugsIn('functions/cargo/upstream-documents.ts', 'functions/packages/check-version', {
    'a crate is asked for with hyphens alone': ["name.replaceAll('-', '_')", 'name'],
  }),
  ...bugsIn('shared/packages/sources/identifiers.ts', downloads, {
    'workspaces are told of the downloads of others': [
      'JSON.stringify([workspaceId, packageType, name, version])',
      'JSON.stringify([packageType, name, version])',
    ],
    'all versions are one': [
      'JSON.stringify([workspaceId, packageType, name, version])',
      'JSON.stringify([workspaceId, packageType, name])',
    ],
  }),
  ...bugsIn('shared/packages/serve/file-download.ts', downloads, {
    'who asks with HEAD has fetched it': ['if (isHead || !source) return;', 'if (!source) return;'],
  }),
  ...bugsIn('shared/packages/serve/file-download.ts', 'upstreams/late-answers', {
    'who waited for a file has no time left for it': ['serving.serve(inTime(wanted), ', 'serving.serve(wanted, '],
  }),
  ...bugsIn('functions/packages/list-downloads.ts', downloads, {
    'who was refused has fetched it': [' && $.outcome = "OK"', ''],
    'nobody has fetched any revision of a version': [
      'if (spelling.versions?.hasFiles?.(version) === false) throw invalid([withoutFiles(sent)]);',
      '',
    ],
    'a cursor goes on with another version': ['[listDownloads.id, ...keys, since, until]', '[listDownloads.id]'],
    'nobody has a name': ['username: username ?? null', 'username: null'],
    'the time that is asked for counts for nothing': ['asked.since', '0'],
  }),
  ...bugsIn('functions/packages/list-downloads.ts', imageDownloads, {
    'nobody pulled an image by a tag': ["['version', 'tag']", "['version']"],
    'nobody pulled an image by its digest': ["['version', 'tag']", "['tag']"],
  }),
  ...bugsIn('functions/docker/get-image-content.ts#noteTag', imageDownloads, {
    'who pulls by a tag is not found by the digest': ['...table.usage.served, ', ''],
    'who pulls an image by a tag has pulled all its tags': ['image, tag)', "image, '')"],
  }),
  ...bugsIn('shared/log-search.ts', downloads, {
    'a page has no next one': ['at.group < search.groups.length ? at : undefined', 'undefined'],
  }),
  ...bugsIn('infra/api/download-logs.ts', downloads, {
    'nobody may search the logs': ["actions: ['logs:FilterLogEvents']", "actions: ['logs:GetLogEvents']"],
  }),
  ...bugsIn('shared/packages/gate/gated-index.ts', 'functions/held-versions', {
    'lists that lack versions are not counted': ["countGated('answersWithout');", ''],
    'what a gate would do is not counted in lists': ["if (isObserved) countGated('wouldHold');", ''],
  }),
  ...bugsIn('shared/packages/gate/gated-file.ts', 'functions/held-versions', {
    'what a gate would do is not counted in files': ["countGated('wouldHold');", ''],
  }),
  ...bugsIn('shared/packages/gate/gated-file.ts', 'functions/published-times', {
    'a file of an upstream does not say when it was published': ['publishedHeaders(listed.publishedAt)', '{}'],
    'a gate that observes does not say when a file was published': [
      "return headers === 'not listed' ? {} : headers;",
      'return headers && {};',
    ],
  }),
  ...bugsIn('shared/packages/serve/file-download.ts', 'functions/published-times', {
    'own files do not say when they were published': [', ...publishedHeaders(Date.parse(file.createdAt))', ''],
  }),
  ...bugsIn('functions/console/app/pages/package.ts', 'console/verdicts.ts', {
    'everybody is led to decide': ['decideAt: administers(me, workspace)', 'decideAt: workspace'],
    'a kept version that does not pass has no mark': [
      "(gate?.state === 'held' || gate?.state === 'blocked')",
      "gate?.state === 'unknown'",
    ],
  }),
  ...bugsIn('functions/console/app/pages/verdicts.ts', 'console/verdicts.ts', {
    'a form forgets what was decided': ['defaultValue: before?.reason', "defaultValue: ''"],
    'no version stands for none': ["found.length > 0 ? found : ['*']", 'found'],
  }),
];
