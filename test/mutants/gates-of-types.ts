import { bugsIn, type Mutant } from './mutant.ts';

const held = 'functions/held-versions';

/** Bugs in how the package types say what a gate may hold back, and lose it. */
export const typeGateMutants: readonly Mutant[] = [
  ...bugsIn('functions/npm/gate.ts', held, {
    'a tag of a held version dangles': ['held.has(version) ? movedTag(version, versions) : version', 'version'],
    'a tag of a held version goes': ['movedTag(version, versions)', 'undefined'],
    'npm prints nothing': ['sentences.length === 0 ?', 'sentences.length > 0 ?'],
    'npm counts a version for each child': ['[one.release.id, one]', '[one, one]'],
    'npm names a gate for what is blocked': ['(one) => one.held.state', "() => 'held'"],
  }),
  ...bugsIn('functions/npm/get-npm-document.ts', held, {
    'npm misses what another child has': ['!listed.has(release.id)', 'listed.has(release.id) || true'],
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
  ...bugsIn('functions/npm/upstream-documents.ts', 'functions/npm/untimed-versions', {
    'what is new is old to a form that nobody asked for before': [
      "...(form === 'full' && { otherCopy: abbreviatedCopy }),",
      '',
    ],
    'a packument that does not say when it changed is old': [
      'known.isTimed && allPass(open, known)',
      'allPass(open, known)',
    ],
  }),
  ...bugsIn('shared/packages/fetch/document-times.ts', 'functions/npm/untimed-versions', {
    'what another document remembers is forgotten': ['{ ...before.times,', '{'],
  }),
  ...bugsIn('shared/packages/fetch/document-times.ts', `${held}#remembers`, {
    'what was first seen before an absence is forgotten': ['return times ? {', 'return times && copy ? {'],
    'an absence forgets when a version was published': ['{ all, ...before.times }', '{ all: [], ...before.times }'],
  }),
  ...bugsIn('shared/packages/fetch/remote-documents.ts', `${held}#remembers`, {
    'an absence forgets what was first seen': [
      'rememberMissing(load, cached, releases)',
      'rememberMissing(load, cached, undefined)',
    ],
  }),
  ...bugsIn('shared/packages/fetch/document-cache.ts', 'shared/packages/fetch/remote-documents#ask for the times', {
    'an absence is deleted with the times in it': ['Math.max(expiresAt, askedUntil)', 'expiresAt'],
  }),
  ...bugsIn('shared/packages/releases/release-times.ts', 'functions/npm/untimed-versions', {
    'a version that loses its time is old': ['publishedAt && times.has(id) ?', 'times.has(id) ?'],
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
  ...bugsIn('functions/cargo/index-lines.ts', 'functions/cargo/get-crate-index-from-upstream#over a gate', {
    'a crate that one child holds back is yanked in all': ['(before.isHeld && !line.isHeld)', 'false'],
    'a crate that its first child yanked is listed as another one has it': ['before.isHeld && ', ''],
    'a crate that all children hold back is that of the last one': [' && !line.isHeld', ''],
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
  ...bugsIn('shared/packages/nupkg-protocol/gate.ts', held, {
    'nobody asks when an upstream got a version': ['?? millisecondsOf(created)', ''],
    'held versions of NuGet are listed': ['entries.filter(({ version }) => !held.has(idOf(version)))', 'entries'],
    'a search shows what is held back': ['held !== undefined && isEnforced(open, held.held)', 'false'],
    'to observe changes a search': ['held !== undefined && isEnforced(open, held.held)', 'held !== undefined'],
    'a version on a page that is new is old': [
      'list ? joinTimes([pages.times, list.times]) : pages.times',
      'pages.times',
    ],
    'the list of versions has no times': ['({ ...known.get(idOf(version)), version })', '({ version })'],
  }),
  ...bugsIn('functions/composer/upstream-documents.ts', 'functions/composer/held-files', {
    'a gate takes any commit of a version for another': [
      'versionAt(await loaded?.read(), address);',
      '(await loaded?.read())?.find((each) => each.version === address.version);',
    ],
    'a check knows one commit of a version': [
      'listed.filter(({ version }) => version === asked.version)',
      'listed.filter(({ version }, at) => version === asked.version && at === 0)',
    ],
  }),
  ...bugsIn('functions/composer/gate.ts', held, {
    'a version that is tagged again is as old as before': [
      'dist ? `${version} ${dist.reference || dist.file}` : version',
      'version',
    ],
    'another file without a reference is as old as before': [
      'dist.reference || dist.file',
      'dist.reference',
      'functions/composer/held-files',
    ],
    'the times of authors count': ['    isAuthorsTime: true,\n', ''],
  }),
  ...bugsIn('functions/maven/gate.ts', `${held}#of its POM also`, {
    'a version whose POM is gone is as old as its metadata': ['firstSeen(times, version) === undefined ?', 'times ?'],
  }),
  ...bugsIn('functions/maven/gate.ts', held, {
    'metadata are as old as they say': [
      'Math.max(changedAt(metadata), loaded.times?.newest ?? 0)',
      'changedAt(metadata)',
    ],
  }),
  ...bugsIn('functions/maven/found-metadata.ts', 'functions/verdicts/spelled-versions', {
    'metadata of a blocked SNAPSHOT leave': ['    gate: snapshotGate(version),\n', ''],
  }),
  ...bugsIn('functions/helm/gate.ts', held, {
    'a key of an entry makes the index fail': [
      '(JSON.parse(text) as JsonObject).created',
      "text.includes('__proto__') ? JSON.parse('{') : (JSON.parse(text) as JsonObject).created",
    ],
  }),
  ...bugsIn('functions/go/gate.ts', held, {
    'authors write when they published': ['Math.max(committedAt, seenAt)', 'committedAt'],
    'a list is as new as it is kept': ["if (!kept.lacksIt || kept.cache !== 'hit') return kept;", 'return kept;'],
    'what no list has is as old as its author says': ['if (list.lacksIt)', 'if (list.lacksIt === undefined)'],
    'every version is in a list': ['!isPseudoVersion(version) && !isIncompatible(version)', 'true'],
    'held modules are listed': ['versions.filter((version) => !held.has(version))', 'versions'],
    'what a name stands for passes': ['without: () => undefined', 'without: (info) => info'],
  }),
  ...bugsIn('functions/go/upstream-documents.ts', `${held}#time is gone`, {
    'a module that loses its time is old': ['publishedAt: committedAt, ', ''],
  }),
  ...bugsIn('functions/go/documents.ts#latestBelow', held, {
    'a held latest version leaves none': ['if (!held) return undefined;', 'if (!held || held) return undefined;'],
  }),
  ...bugsIn('functions/go/reading.ts', held, {
    'go asks elsewhere for what was withdrawn': ['await refuseWithdrawn(call, addressOf(wanted), files);', ''],
  }),
  ...bugsIn('functions/conan/gate.ts', held, {
    'a binary passes before its recipe': ['|| !heldBy(open, name, recipe)) return binary', '|| recipe) return binary'],
    'recipes of Conan have no time': ['releases.some((release) => !heldBy(open, recipe.name, release))', 'true'],
    'held recipes are found': ['recipes.filter((recipe) => !held.has(recipe))', 'recipes'],
  }),
  ...bugsIn('functions/conan/gate.ts', 'functions/conan/untimed-revisions', {
    'a binary passes whose recipe has no time': [
      'own === undefined || ofRecipe === undefined ? undefined : Math.max(own, ofRecipe)',
      'own',
    ],
    'a recipe of Conan passes whose revisions have no time': [
      'times.length > 0 ? Math.min(...times) : undefined',
      'Math.min(...times, 0)',
    ],
    'nobody asks when a revision of Conan was first seen': [
      'listedReleases(await loadDocument(request, source, document), document.releases)',
      'listedReleases(await loadDocument(request, source, upstreamDocument(source, path, revisionsIn)), document.releases)',
    ],
    'a revision of Conan has any time': ['publishedAt: millisecondsOf(time)', 'publishedAt: Date.parse(time)'],
  }),
  ...bugsIn('functions/conan/gate.ts', 'functions/conan/ruled-revisions', {
    'a recipe is there although all its revisions are blocked': ["decision.state === 'blocked'", 'false'],
    'one blocked revision is all of them': ["decision.state === 'passes' || !isEnforced", 'false && !isEnforced'],
    'a gate that only observes blocks no revision': ['!isEnforced(open, decision)', 'open.isObserving'],
    'a verdict on a binary is one on its recipe': [
      'hasRevision(version, revisionOf(entry) ?? entry)',
      'entry.startsWith(`${version}#`)',
    ],
  }),
  ...bugsIn('shared/packages/gate/gated-index.ts', 'functions/conan/ruled-revisions', {
    'without a gate, a list says itself what it has': ['if (dated) return dated;', 'if (gate && dated) return dated;'],
  }),
  ...bugsIn('functions/conan/questions.ts', held, {
    'held revisions are listed': ['!held.has(revision)', 'true'],
  }),
  ...bugsIn('functions/conan/questions.ts', 'functions/conan/untimed-revisions', {
    'nobody asks when the latest revision of Conan was first seen': [
      'listed ? revisionsDocument(plain, revisionsOf) : plain',
      'plain',
    ],
  }),
  ...bugsIn('functions/maven/gate.ts', held, {
    'held versions of Maven are listed': ['!held.has(version)', 'true'],
    'latest of Maven dangles': [
      'versioning: repaired(metadata.versioning, versions)',
      'versioning: metadata.versioning',
    ],
    'a POM has no date': ["headers['last-modified']", 'undefined'],
    'a POM that loses its date is old': [
      '  releases: ({ publishedAt }) => [{ id: version, version, publishedAt }],\n',
      '',
      `${held}#time is gone`,
    ],
  }),
  ...bugsIn('functions/composer/gate.ts', held, {
    'held versions of Composer are listed': ['!held.has(idOf(each))', 'true'],
    'versions of Composer have no time': ['millisecondsOf(each.fields.time)', 'undefined'],
  }),
  ...bugsIn('functions/helm/gate.ts', held, {
    'charts have no time': ['millisecondsOf(createdIn(entry.parts))', 'undefined'],
  }),
];
