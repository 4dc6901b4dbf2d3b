import { bugsIn, type Mutant } from './mutant.ts';

const rules = '~shared/packages/releases/gate-of';
const held = 'functions/held-versions';
const rulings = '~shared/packages/releases/rulings';
const blocked = 'functions/verdicts/blocked-versions';
const blockedOfEach = 'functions/verdicts/blocked-of-each-type';

export const gateMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/releases/gate-of.ts', rules, {
    'a version is held back for good': ['until <= now', 'false'],
    'no version is too young': ["return { state: 'held', rule: 'minimumAgeHours', until, why };", 'return passes;'],
    'a date of a freeze holds nothing back': ['frozenAt !== null && time > Date.parse(frozenAt)', 'false'],
    'a version is held back that was published at the date of the freeze': [
      'time > Date.parse(frozenAt)',
      'time >= Date.parse(frozenAt)',
    ],
    'a version without a time passes whatever is set': ["gate.untimed === 'pass' ?", 'gate.untimed !== undefined ?'],
    'nobody asks when a version was first seen': ["untimed === 'firstSeen' ? seenAt", "untimed === 'firstSeen' ? 0"],
    'an exemption of one version is one of all': ['entry === `${name}@${version}`', 'entry.startsWith(`${name}@`)'],
    'only whole names are exempt': ['name.startsWith(entry.slice(0, -1))', 'name === entry.slice(0, -1)'],
    'the cutoff forgets the freeze': [
      'millisecondsOf(frozenAt) ?? Number.POSITIVE_INFINITY',
      'Number.POSITIVE_INFINITY',
    ],
  }),
  ...bugsIn('shared/packages/releases/release-times.ts', rules, {
    'the first copy of a document is new': [
      '(earlier && !earlier.ids.has(id) ? now : undefined)',
      '(!earlier?.ids.has(id) ? now : undefined)',
    ],
    'a version is new at each change of its document': ['earlier?.seen[id] ??', ''],
    'versions that were just seen need no look': ['...Object.values(seen)', ''],
    'versions without a time need no look': ["(times.isTimed || gate.untimed !== 'hold')", 'true'],
  }),
  ...bugsIn('shared/packages/gate/gated-index.ts', held, {
    'one ETag for what is held back and what is not': [
      'revision: revisionWithout(found.revision, ids)',
      'revision: found.revision',
    ],
    'an index that lacks versions may be kept': ["'Cache-Control': 'no-store', ...headers", '...headers'],
    'nothing says that a gate observes': [
      'held.length < all.length ? observedHeaders',
      'held.length > all.length ? observedHeaders',
    ],
  }),
  ...bugsIn('shared/packages/gate/gated-file.ts', held, {
    'a withdrawn version is served from the cache': [
      'if (release) return heldBy(open, name, release);',
      'if (release || name) return release && heldBy(open, name, release);',
    ],
    'what the upstream withdrew is never served': ["gate.withdrawnUpstream === 'serve'", 'false'],
    'a blocked version is served from the cache': ["if (ruling?.state === 'blocked')", 'if (false)'],
    'the gate holds back what a verdict allows': [
      'if (isRuled(open, asked.address) || !gate) return {};',
      'isRuled(open, asked.address); if (!gate) return {};',
    ],
    'metadata is filtered and files are served': ['if (held) throw heldError(held);', ''],
    'to observe refuses files': ["gate.mode === 'observe'", 'false'],
  }),
  ...bugsIn('shared/packages/releases/open-gate.ts', held, {
    'to observe hides versions': ["gate?.mode !== 'observe'", 'true'],
  }),
  ...bugsIn('shared/packages/releases/open-gate.ts', rulings, {
    'a verdict is only for repositories with a gate': ['gate || open.verdicts.length > 0 ?', 'gate ?'],
    'the gate decides before a verdict': [
      'rulingOn(verdicts, name, release.version) ?? (gate ? gateOf(name, release, gate, now)',
      "(gate && gateOf(name, release, gate, now)) ?? (verdicts.length > 0 ? rulingOn(verdicts, name, release.version) ?? { state: 'passes' }",
    ],
    'a request that did not read the verdicts forgets them': [
      'if (!verdicts) throw',
      'if (!verdicts && name === undefined) throw',
    ],
    'where a gate observes a verdict does, too': ["state === 'blocked' || gate?.mode", 'gate?.mode'],
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
    'a verdict on versions is one on all': ['verdict.versions.includes(version)', 'version.length > 0'],
    'nobody says when a verdict ends': ['expiresAt !== null && {', 'expiresAt === null && {'],
    'a verdict on a name is one on all that begin so': [
      'verdict.package === name;',
      'name.startsWith(verdict.package);',
    ],
  }),
  ...bugsIn('shared/packages/gate/gated-index.ts', blocked, {
    'an old package shows blocked versions': [
      'return open.verdicts.length === 0 ? undefined : { ...open, gate: undefined };',
      'return undefined;',
    ],
    'what is blocked is in the index': ['gate: undefined };', 'gate: undefined, verdicts: [] };'],
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
    'a version that passes is refused': ["decision.state !== 'passes' &&", ''],
    'nobody says until when': ['decision && latestOf(decision) > 0 ?', 'decision && latestOf(decision) < 0 ?'],
  }),
  ...bugsIn('functions/pypi/upstream-pages.ts', 'functions/packages/check-version', {
    'a check looks at the files of other versions': [
      '(release) => release.version === wanted',
      '(release) => release.version !== wanted',
    ],
  }),
  ...bugsIn('shared/table/queues/sweeps.ts', 'sweeps/sweeper', {
    'verdicts outlive their workspace': ['await sweepVerdicts(table, workspaceId);', ''],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', 'scale/gated-reads', {
    'the verdicts are in a read of their own': ['  ...verdictKeys(workspaceId, params.repository, loaded),\n', ''],
  }),
  ...bugsIn('shared/packages/serve/file-download.ts', held, {
    'what one source holds back no other one serves': [' || isHeld(error)', ''],
    'a held version is called a failure of the upstream': ['isHeld(refusal) ? [] :', ''],
  }),
  ...bugsIn('functions/npm/gate.ts', held, {
    'a tag of a held version dangles': ['held.has(version) ? movedTag(version, versions) : version', 'version'],
    'a tag of a held version goes': ['movedTag(version, versions)', 'undefined'],
    'npm prints nothing': ['if (!first) return {};', 'if (first) return {};'],
  }),
  ...bugsIn('functions/npm/versions.ts', held, {
    'a tag moves to a prerelease': ['semver.prerelease.length === 0 &&', ''],
  }),
  ...bugsIn('functions/npm/upstream-documents.ts', held, {
    'a new version passes while the full packument is older': [
      'newest: open.now, isTimed: false',
      'newest: 0, isTimed: true',
    ],
    'an abbreviated packument is never looked at': [
      'if (!found || (await isOld(open, found))) return found;',
      'return found;',
    ],
    'the full packument is always asked for': [
      'if (!found || (await isOld(open, found))) return found;',
      'if (!found) return found;',
    ],
  }),
  ...bugsIn('functions/pypi/gate.ts', held, {
    'versions without files are listed': ['isShown(normalVersion(version) ?? version)', 'true'],
    'Python files have no time': ["millisecondsOf(file['upload-time'])", 'undefined'],
  }),
  ...bugsIn('functions/pypi/upstream-pages.ts', held, {
    'companions pass the gate': ['splitCompanion(file).main)', 'file)'],
  }),
  ...bugsIn('functions/cargo/gate.ts', held, {
    'the lines of held crates go': ['lines.map((line) => (held.has(line.version) ? yanked(line) : line))', 'lines'],
  }),
  ...bugsIn('functions/maven/get-maven-file.ts', 'functions/maven/get-maven-file-from-upstream', {
    'a kept file of Maven has the date of its fetch': ['copy ? copy.lastModified :', ''],
    'a file of Maven has no date': ['{ ...answer, lastModified: publishedOn(file) }', 'answer'],
  }),
  ...bugsIn('functions/cargo/index-lines.ts', 'functions/cargo/publish-crate', {
    'no line of Cargo says when it was published': ["pubtime: new Date().toISOString().replace(/\\.\\d+Z$/, 'Z'),", ''],
    'Cargo gets a time that it does not read': [".replace(/\\.\\d+Z$/, 'Z')", ''],
  }),
  ...bugsIn('functions/gems/gate.ts', held, {
    'held gems are listed': ['lines.filter(({ key }) => !held.has(key))', 'lines'],
    'gems have no time': ['millisecondsOf(createdAt(line))', 'undefined'],
    'a list over all gems shows what is held back': [
      '(names.has(entry.name) ? withoutVersions(entry, held) : [entry])',
      '[entry]',
    ],
    'each version of a gem that changed is new': ['!known.has(key)', 'true'],
  }),
  ...bugsIn('functions/gems/upstream-documents.ts', held, {
    'a gemspec passes the gate': [
      'upstreamInfo(source, full.name), version);',
      "upstreamInfo(source, full.name), '');",
    ],
  }),
  ...bugsIn('shared/packages/releases/release-times.ts#additionTimes', held, {
    'an addition is new in each copy': ['earlier[id] ?? now', 'now'],
    'what was added before is forgotten': ['...Object.entries(earlier), ', ''],
  }),
  ...bugsIn('shared/packages/nupkg-protocol/gate.ts', held, {
    'versions that are not listed are of 1900': ['new Date(time).getUTCFullYear() > 1901', 'true'],
    'nobody asks when an upstream got a version': ['? time : millisecondsOf(created)', '? time : undefined'],
    'held versions of NuGet are listed': ['entries.filter(({ version }) => !held.has(idOf(version)))', 'entries'],
    'a search shows what is held back': ['held !== undefined && isEnforced(open, held.held)', 'false'],
    'to observe changes a search': ['held !== undefined && isEnforced(open, held.held)', 'held !== undefined'],
    'a version on a page that is new is old': [
      'list ? joinTimes([pages.times, list.times]) : pages.times',
      'pages.times',
    ],
    'the list of versions has no times': ['({ ...known.get(idOf(version)), version })', '({ version })'],
  }),
  ...bugsIn('shared/packages/releases/release-times.ts#joinTimes', held, {
    'the first document says when all were seen': [
      'Object.assign({}, ...known.map(({ seen }) => seen))',
      'Object.assign({}, known[0]?.seen)',
    ],
  }),
  ...bugsIn('functions/composer/gate.ts', held, {
    'held versions of Composer are listed': ['!held.has(version)', 'true'],
    'versions of Composer have no time': ['millisecondsOf(fields.time)', 'undefined'],
  }),
  ...bugsIn('functions/helm/gate.ts', held, {
    'charts have no time': ['millisecondsOf(createdIn(entry.parts))', 'undefined'],
  }),
  ...bugsIn('shared/packages/serve/repository-index.ts#versionGate', held, {
    'held charts are listed': ['!held.has(`${name} ${version}`)', 'true'],
  }),
  ...bugsIn('functions/repositories/release-gate.ts', 'functions/repositories/release-gate', {
    'a patch of a gate replaces it': ['...defaults, ...before, ...given', '...defaults, ...given'],
    'a gate has no defaults': ['...defaults, ...before', '...before'],
    'exemptions keep their spelling': ['normalEntry(spelling, name) + version', 'entry'],
    'any name may be exempt': ["canMatch(spelling, normalEntry(spelling, name)) && version !== '@'", 'true'],
    'every type has a gate': ['!definition?.hasGate', 'false'],
  }),
];
