import { bugsIn, type Mutant } from './mutant.ts';

const rules = '~shared/packages/releases/gate-of';
const held = 'functions/held-versions';
const rulings = '~shared/packages/releases/rulings';
const spelledVersions = 'functions/verdicts/spelled-versions';
const blocked = 'functions/verdicts/blocked-versions';
const blockedOfEach = 'functions/verdicts/blocked-of-each-type';
const unreadable = 'functions/pypi/blocked-files';

export const gateMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/releases/gate-of.ts', rules, {
    'a version is held back for good': ['until <= now', 'false'],
    'a version counts as published when it was seen': ["'first seen'} on", "'published'} on"],
    'no version is too young': ["return { state: 'held', rule: 'minimumAgeHours', until, why };", 'return passes;'],
    'a date of a freeze holds nothing back': ['frozenAt !== null && time > Date.parse(frozenAt)', 'false'],
    'a version is held back that was published at the date of the freeze': [
      'time > Date.parse(frozenAt)',
      'time >= Date.parse(frozenAt)',
    ],
    'a version without a time passes whatever is set': ["gate.untimed === 'pass' ?", 'gate.untimed !== undefined ?'],
    'nobody asks when a version was first seen': ["untimed === 'firstSeen' ? seenAt", "untimed === 'firstSeen' ? 0"],
    'an exemption of one version is one of all': [
      'namesVersion(entry.slice(name.length + 1), version, spelling)',
      'true',
    ],
    'only whole names are exempt': ['name.startsWith(entry.slice(0, -1))', 'name === entry.slice(0, -1)'],
    'the cutoff forgets the freeze': [
      'frozenAt === null ? Number.POSITIVE_INFINITY : Date.parse(frozenAt)',
      'Number.POSITIVE_INFINITY',
    ],
  }),
  ...bugsIn('shared/packages/releases/gate-of.ts', held, {
    'what the upstream withdrew is never served': ["withdrawnUpstream === 'serve'", 'false'],
    'an exemption ends when the upstream withdraws a version': [
      'if (isExempt(name, version, gate, spelling)) return exempted;',
      '',
    ],
    'nobody published in 1990, and somebody in 1970': ['Date.UTC(1990, 0)', 'Date.UTC(1960, 0)'],
  }),
  ...bugsIn('shared/packages/releases/gate-of.ts', spelledVersions, {
    'a rule is compared as it is written': ['spelling?.normalize(text) ?? text', 'text'],
    'a version with fewer zeros is another one': [' || spelling?.covers?.(ruled, listed) === true', ''],
  }),
  ...bugsIn('shared/packages/releases/gate-of.ts', '~functions/version-spellings', {
    'an index spells versions as their type does': ['[normal(entry), normal(version)]', '[normal(entry), version]'],
  }),
  ...bugsIn('shared/packages/releases/gate-of.ts', rules, {
    'any time is one': ['time < latestTime', 'time < Number.POSITIVE_INFINITY'],
    'the empty time of Go is one': ['time >= earliestTime && ', ''],
    'the year 1 is 2001': ['&& !emptyYear.test(text)', ''],
  }),
  ...bugsIn('functions/packages/list-downloads.ts', spelledVersions, {
    'a download is found by its text alone': ['[sent, version].map', '[sent].map'],
    'a download is found by the spelling of its type alone': ['[sent, version].map', '[version].map'],
  }),
  ...bugsIn('functions/verdicts/update-verdict.ts', spelledVersions, {
    'a verdict is on what is no version': ['requireVersions(target, body.versions);', ''],
  }),
  ...bugsIn('functions/npm/type.ts', spelledVersions, {
    'a verdict on a name with capitals is on another name': [
      'normalize: oneSpelling',
      'normalize: (text) => text.toLowerCase()',
    ],
    'a verdict is on a range of npm': ['.exec(text)?.[1]', '.exec(text)?.[1] ?? text'],
  }),
  ...bugsIn('functions/gems/full-names.ts', 'functions/gems/versions', {
    'a verdict leaves the gems for platforms': ['other.startsWith(`${version}-`)', 'other === version'],
  }),
  ...bugsIn('functions/conan/references.ts', 'functions/conan/references', {
    'an epoch is a version': [
      "version.includes('#') && !version.includes(':') ? ':' : '#'",
      "version.includes('#') ? '#' : ':'",
    ],
  }),
  ...bugsIn('shared/table/packages/release-times.ts', 'shared/packages/releases/release-times', {
    'a release called constructor has a time': ['seen && Object.hasOwn(seen, id) ? seen[id] : undefined', 'seen?.[id]'],
  }),
  ...bugsIn('shared/packages/releases/release-times.ts', rules, {
    'the first copy of a document is new': [
      ': { seen: {} };',
      ': { seen: Object.fromEntries(all.filter(isSeen).map(({ id }) => [id, now])) };',
    ],
    'a version is new at each change of its document': ['keptTime(earlier.seen, id) ?? (', '('],
    'what is too much to remember is old': ['...(seenFloor > now - longestHold && { seenFloor }) };', '};'],
    'what was too much before is old': ['Math.max(asked[seenMax]?.[1] ?? 0, floor)', 'asked[seenMax]?.[1] ?? 0'],
    'of two documents the floor is none': ['...(seenFloor > 0 && { seenFloor }),', ''],
    'authors write when they published': ['|| isAuthorsTime === true', ''],
    'versions that were just seen need no look': ['...Object.values(seen.seen), seen.seenFloor ?? 0', ''],
    'versions without a time need no look': ["(times.isTimed || gate.untimed !== 'hold')", 'true'],
  }),
  ...bugsIn('shared/packages/gate/gated-index.ts', held, {
    'one ETag for what is held back and what is not': [
      'revision: revisionWithout(found.revision, ids)',
      'revision: found.revision',
    ],
    'an index that lacks versions may be kept': ["'Cache-Control': 'no-store', ...headers", '...headers'],
    'nothing says that a gate observes': [
      'const headers = isObserved ? observedHeaders : {};',
      'const headers = isObserved ? {} : {};',
    ],
  }),
  ...bugsIn('shared/packages/gate/gated-file.ts', held, {
    'a withdrawn version is served from the cache': [
      "if (decision.state !== 'passes') throw refusal(open, address, decision);",
      '',
    ],
    'a version that is served although it was withdrawn looks like any other': [
      'return unlistedHeaders;',
      'return {};',
    ],
    'metadata is filtered and files are served': ['if (held) throw heldError(held);', ''],
    'to observe refuses files': ["gate.mode === 'observe'", 'false'],
  }),
  ...bugsIn('shared/packages/gate/gated-file.ts', blocked, {
    'a blocked version is served from the cache': [
      "if (ruling?.state !== 'blocked')",
      'if (ruling?.why !== undefined)',
    ],
    'the gate holds back what a verdict allows': [
      'if (headers || !gate) return headers ?? {};',
      'if (!gate) return headers ?? {};',
    ],
  }),
  ...bugsIn('shared/packages/releases/open-gate.ts', held, {
    'to observe hides versions': ['!isObserving || (', 'true || ('],
  }),
  ...bugsIn('shared/packages/releases/open-gate.ts', rulings, {
    'a verdict is only for repositories with a gate': ['gate || hasRulings(open) ?', 'gate ?'],
    'the gate decides before a verdict': [
      'rulingOn(open, name, release.version) ?? (open.gate ? gateOf(name, release, open.gate, open)',
      "(open.gate && gateOf(name, release, open.gate, open)) ?? (hasRulings(open) ? rulingOn(open, name, release.version) ?? { state: 'passes' }",
    ],
    'a request that did not read the verdicts forgets them': [
      'if (!verdicts) throw',
      'if (!verdicts && name === undefined) throw',
    ],
    'where a gate observes a verdict does, too': ["rule === 'verdict' || isAdvised", 'isAdvised'],
  }),
  ...bugsIn('shared/packages/releases/rulings.ts', rulings, {
    'a verdict on a name counts before one on a version': [
      'if (!isAboutAll(verdict)) return 2;',
      'if (!isAboutAll(verdict)) return 0;',
    ],
    'of two verdicts the one that allows counts': [
      "Number(other.verdict === 'block') - Number(one.verdict === 'block')",
      "Number(one.verdict === 'block') - Number(other.verdict === 'block')",
    ],
    'a verdict on versions is one on all': ['isAboutVersion(verdict, version, rulings.spelling)', 'version.length > 0'],
    'nobody says when a verdict ends': ['expiresAt !== null && {', 'expiresAt === null && {'],
    'a verdict on a name is one on all that begin so': [
      'verdict.package === name;',
      'name.startsWith(verdict.package);',
    ],
  }),
  ...bugsIn('shared/packages/releases/rulings.ts', `${blocked}#in one sentence`, {
    'a refusal has two full stops': ["reason.endsWith('.') ? reason.slice(0, -1) : reason", 'reason'],
  }),
  ...bugsIn('shared/packages/releases/rulings.ts', unreadable, {
    'a verdict on a version passes files of no known version': [
      "(verdict.verdict === 'block' && isUnknown(rulings, version))",
      'false',
    ],
    'a verdict that allows a version allows files of no known version': [
      "verdict.verdict === 'block' && isUnknown",
      'isUnknown',
    ],
    'an advisory passes files of no known version': ['isUnknown(rulings, version) ? undefined : version', 'version'],
  }),
  ...bugsIn('shared/packages/gate/gated-index.ts', blocked, {
    'an old package shows blocked versions': [
      'return hasRulings(open) ? { ...open, gate: undefined } : undefined;',
      'return undefined;',
    ],
    'what is blocked is in the index': ['gate: undefined }', 'gate: undefined, verdicts: [] }'],
  }),
  ...bugsIn('shared/packages/gate/gated-index.ts', blockedOfEach, {
    'a list of additions shows what is blocked': [
      'ofNames && verdicts.length > 0 ?',
      'ofNames && verdicts.length < 0 ?',
    ],
  }),
  ...bugsIn('shared/table/repositories/verdicts.ts', blocked, {
    'a verdict never ends': ['Date.parse(expiresAt) > now', 'true'],
  }),
  ...bugsIn('shared/table/repositories/verdicts.ts', 'functions/verdicts/update-verdict', {
    'a workspace has as many verdicts as it likes': ['> verdictsBytesMax', '> Number.POSITIVE_INFINITY'],
    'a verdict is added to the one before': ['each !== before', 'true'],
    'the record does not say what was before': [
      'difference(fieldsOf(before), fieldsOf(after))',
      '{ before: null, after: fieldsOf(after) }',
    ],
  }),
  ...bugsIn('functions/packages/check-version.ts', 'functions/packages/check-version', {
    'a check says nothing of verdicts': ['if (ruling) return ruling;', ''],
    'a check asks upstreams that are not asked for the name': [
      'answeringSources(sources, name, read).filter(isRemote)',
      'sources.all.filter(isRemote)',
    ],
  }),
  ...bugsIn('functions/packages/decisions.ts', 'functions/packages/check-version', {
    'a version that passes is refused': ["&& decided.state !== 'passes'", ''],
    'nobody says until when': ['latestOf(decision) > 0 ?', 'latestOf(decision) < 0 ?'],
  }),
  ...bugsIn('shared/packages/gate/version-releases.ts', 'functions/packages/check-version', {
    'a check looks at the files of other versions': [
      'namesVersion(version, release.version, source.versionSpelling)',
      'release.version !== version',
    ],
  }),
  ...bugsIn('shared/table/queues/sweeps.ts', 'sweeps/sweeper', {
    'verdicts outlive their workspace': ['await sweepVerdicts(table, workspaceId);', ''],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', 'scale/gated-reads', {
    'the verdicts are in a read of their own': [', ...verdictKeys(reached)]', ']'],
  }),
  ...bugsIn('shared/packages/serve/file-download.ts', held, {
    'what one source holds back no other one serves': [' || isHeld(error)', ''],
    'a held version is called a failure of the upstream': ['isHeld(refusal) ? [] :', ''],
  }),
  ...bugsIn('shared/packages/releases/release-times.ts#additionTimes', held, {
    'what was added before is forgotten': ['...Object.entries(earlier), ', ''],
  }),
  ...bugsIn('shared/packages/releases/release-times.ts#joinTimes', held, {
    'the first document says when all were seen': [
      'Object.assign({}, ...known.map(({ seen }) => seen))',
      'Object.assign({}, known[0]?.seen)',
    ],
  }),
  ...bugsIn('shared/packages/gate/dated-lists.ts', held, {
    'no highest version is asked for': ['const askedMax = 5;', 'const askedMax = 0;'],
    'nobody asks a list when it first had a version': ['seenAt: firstSeen(times, version) });', '});'],
  }),
  ...bugsIn('shared/packages/serve/repository-index.ts#versionGate', held, {
    'held charts are listed': ['!held.has(`${name} ${version}`)', 'true'],
  }),
  ...bugsIn('shared/packages/sources/sources.ts', '~shared/packages/sources/sources', {
    'verdicts of a type without a gate are read': ['    .filter(isGated)\n', ''],
  }),
  ...bugsIn('functions/repositories/release-gate.ts', 'functions/repositories/release-gate', {
    'a patch of a gate replaces it': ['...defaults, ...before, ...given', '...defaults, ...given'],
    'an empty text ends a freeze': ['frozenAt !== null && !isTime(frozenAt)', 'frozenAt && !isTime(frozenAt)'],
    'null takes the default of a new gate away': ['value !== null || before', 'value !== undefined'],
    'a gate has no defaults': ['...defaults, ...before', '...before'],
    'exemptions keep their spelling': ['normalEntry(spelling, name) + version', 'entry'],
    'any name may be exempt': ["canMatch(spelling, normalEntry(spelling, name)) && version !== '@'", 'true'],
    'every type has a gate': ['!definition.hasGate', 'false'],
  }),
];
