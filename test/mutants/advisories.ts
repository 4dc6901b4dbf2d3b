import { bugsIn, type Mutant } from './mutant.ts';

const ranges = '~shared/packages/releases/advised-versions';
const blocked = 'functions/advised-versions';
const lists = 'functions/advisories/advisory-lists';
const imported = 'functions/advisories/create-advisory-import';
const killed = 'faults/advisory-imports';
const reads = 'scale/gated-reads';
const hourly = 'functions/advisories/hourly-updates';

/** Bugs in advisories: which versions they are about, where gates ask for them, and how they are imported. */
export const advisoryMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/releases/advised-versions.ts', ranges, {
    'a fixed version is affected': [': compared < 0 && before;', ': compared <= 0 && before;'],
    'the last affected version is not': ['compared <= 0 && before :', 'compared < 0 && before :'],
    'nothing is affected from where it was introduced': ['compared >= 0 || before', 'compared > 0 || before'],
    'events count in the order of the entry': ['events.toSorted(byVersion(order))', 'events'],
    'a listed version has one spelling': [' || order(each, version) === 0', ''],
    'a range alone is nothing': ['isInRange(events, version, order)', 'events.length < 0'],
    '0 is a version': ["bound === '0' ? 1 :", "bound === 'none' ? 1 :"],
    'a bound that is no version is below all': ['if (compared === undefined) return false;', ''],
    'a gate blocks what is less severe than it says': ['<= leastBlocked(gate)', '>= leastBlocked(gate)'],
    'what was known of a name stays': ['before?.text === text', 'before'],
  }),
  ...bugsIn('functions/composer/versions.ts', ranges, {
    'a branch of Composer is below all numbers': [
      "if (first !== second && (first.startsWith('dev-') || second.startsWith('dev-'))) return undefined;",
      '',
    ],
  }),
  ...bugsIn('shared/packages/releases/advised-versions.ts', blocked, {
    'a gate blocks for every advisory': ['.filter((each) => blocksLevel(gate, levelOf(each)))', ''],
  }),
  ...bugsIn('shared/table/repositories/advisory-pages.ts', ranges, {
    'a page has any size': ['bytes + more > pageBytesMax', 'bytes + more > 10_000_000'],
    'malware stands behind vulnerabilities': [
      'levels.indexOf(levelOf(one)) - levels',
      '-levels.indexOf(levelOf(one)) + levels',
    ],
    'an advisory in pieces is several': ['...before.versions, ', ''],
    'a name has any number of pages': ['.slice(0, pagesMax)', ''],
  }),
  ...bugsIn('shared/table/repositories/advisory-pages.ts', imported, {
    'advisories that went stay': ['pagesBefore - pages.length', '0'],
  }),
  ...bugsIn('shared/packages/releases/rulings.ts', blocked, {
    'an advisory gives way to every verdict': ['verdict && !isAboutAll(verdict) ?', 'verdict ?'],
    'an advisory gives way to no verdict': [
      'verdict && !isAboutAll(verdict) ?',
      'verdict && verdict.versions.length < 0 ?',
    ],
  }),
  ...bugsIn('shared/packages/releases/open-gate.ts', blocked, {
    'a gate that observes blocks by advisories': [" && (rule === 'verdict' || isAdvised)", ''],
    'advisories need another reason for a gate': [
      'verdicts.length > 0 || Boolean(advisory ?? observedAdvisory)',
      'verdicts.length > 0',
    ],
  }),
  ...bugsIn('shared/packages/gate/gated-file.ts#ruled', blocked, {
    'nothing says that a gate only observes an advisory': ['return wouldHold();', 'return {};'],
  }),
  ...bugsIn('shared/packages/sources/advisory-reads.ts', blocked, {
    'only the first page counts': ['return [first, ...further];', 'return further.length < 0 ? further : [first];'],
  }),
  ...bugsIn('shared/packages/sources/advisory-reads.ts', reads, {
    'every page is read': ['levels.indexOf(level) <= least ?', 'levels.indexOf(level) >= 0 ?'],
  }),
  ...bugsIn('shared/packages/sources/sources.ts', reads, {
    'a repository without a gate asks for advisories': ['Boolean(repository.releaseGate) &&', ''],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', reads, {
    'advisories are in a read of their own': [
      '...holdersIn(reached, name), ...advisoryKeysFor(reached, name)]',
      '...holdersIn(reached, name)]',
    ],
  }),
  ...bugsIn('functions/advisories/osv-entry.ts', imported, {
    'a withdrawn entry counts': ['if (isText(withdrawn))', 'if (isText(withdrawn) && entry.withdrawn === null)'],
    'a limit of * is a version': ["kind === 'limit' && version === '*'", 'kind.length + version.length === 0'],
    'commits are versions': ["type === 'SEMVER' || type === 'ECOSYSTEM'", 'isText(type)'],
    'an entry of another ecosystem is one of this': ['found === ecosystem ||', 'found.length > 0 ||'],
    'any text is a name': ['&& spelling.isName(normal) ?', '?'],
    'malware is a vulnerability': ["id.startsWith('MAL-')", "id.startsWith('BAD-')"],
    'a name has a case': ['spelling.normalize(name)', 'name'],
    'an entry may have the name of another one': ['`${id}.json` !== path', 'path.length === 0'],
  }),
  ...bugsIn('functions/advisories/cvss.ts', '~functions/advisories/cvss', {
    'a score has no word': ["if (score >= 9) return 'critical';", "if (score >= 99) return 'critical';"],
    'CVSS 4 has no score': ['(?:3\\.[01]|4\\.0)', '(?:3\\.[01])'],
    'any text has a score': [')\\//.test(vector)', ')/.test(`CVSS:3.1/${vector}`)'],
    'a score lacks metrics': ['!read?.isBaseFullyDefined()', '!read'],
    'a score is that of an exploit': ['scores.baseMetricsOnly : scores.base', 'scores.overall : scores.base'],
    'a vector has any length': ['vector.length > lengthMax ||', ''],
  }),
  ...bugsIn('functions/advisories/advisory-list.ts', 'functions/advisories/hourly-updates', {
    'a type whose clients read no list has one': ['if (!type.listsAdvisories)', 'if (!type.ecosystem)'],
  }),
  ...bugsIn('functions/advisories/advisory-list.ts', lists, {
    'names are in no order': ['[...names].toSorted()', '[...names].toSorted().toReversed()'],
  }),
  ...bugsIn('shared/table/repositories/advisory-lists.ts', lists, {
    'a list ends the one that is being read': ['keysOf(packageType, before).map', 'keysOf(packageType, current).map'],
    'a list that nobody reads stays': ['...keysOf(packageType, before).map', '...keysOf(packageType, undefined).map'],
    'a list has any size': ['if (list.parts > partsMax) return undefined;', ''],
    'a list is read without a part': ['if (parts.length < keys.length) throw', 'if (parts.length > keys.length) throw'],
  }),
  ...bugsIn('functions/advisories/feed-update.ts', lists, {
    'an update lists nothing anew': ['isChanged ||= changed.length > 0;', ''],
    'what an update before wrote is not listed': ["before.running !== '' ||", ''],
    'a release without lists has none until something changes': ['|| before.lists === undefined', ''],
    'each update lists all anew': ['list = isChanged ? await', 'list = before ? await'],
  }),
  ...bugsIn('functions/advisories/archive.ts', imported, {
    'a damaged entry is imported': ['crc32(content) !== entry.crc32', 'content.length < 0'],
    'an entry has any size': ['uncompressedSize <= archiveBounds.entryBytes', 'uncompressedSize >= 0'],
    'a bomb goes off': ['sum > Math.min(bytes, size * ratio)', 'sum > bytes'],
    'an entry may be there twice': ['if (ids.has(id)) throw', 'if (ids.size < 0) throw'],
    'an archive may be empty': ['ids.size === 0', 'ids.size < 0'],
  }),
  ...bugsIn('functions/advisories/running-import.ts', imported, {
    'an archive with fewer entries is imported': ['archive.ids.size < before * leastShare', 'archive.ids.size < 0'],
    'nobody can allow fewer entries': ['&& !allowsFewer', ''],
    'an import that a later one replaces has failed': [
      '!(error instanceof ImportTaken) ||',
      'error instanceof ImportTaken ||',
    ],
    'what is gone stays': ['!run.archive.ids.has(item.id)', 'item.id.length === 0'],
    'an entry is checked when it is written': [
      "begun.phase === 'checking' ? await check(run, begun) : begun",
      "begun.phase === 'checking' ? { ...begun, phase: 'writing' as const } : begun",
    ],
  }),
  ...bugsIn('functions/advisories/written-entries.ts', imported, {
    'names that an entry was on before keep it': ['...before]', '...before.slice(before.length)]'],
    'an entry that is gone is remembered': ['if (!entry) return { remove: key };', ''],
    'an entry whose names are read otherwise stays': [
      " && names.toSorted().join('\\n') === [...entry.byName.keys()].toSorted().join('\\n')",
      '',
    ],
    'all is written anew': [
      'before && isAsWritten(before, entry) ? [] :',
      'before && isAsWritten(before, entry) && !before.id ? [] :',
    ],
  }),
  ...bugsIn('functions/advisories/feed-update.ts', hourly, {
    'what was never imported stays so': [
      'if (before?.newest === undefined) return importAll(update);',
      "if (before?.newest === undefined) return 'done';",
    ],
    'a late change is overlooked': ['Date.parse(before.newest) - overlapMilliseconds', 'Date.parse(before.newest)'],
    'what is known is asked for again': ['!== entry.modified)', '!== 0)'],
    'one bad entry keeps the others out': [
      'if (!(error instanceof FormatProblem || (error instanceof UpstreamError && error.status === 404))) throw error;',
      'throw error;',
    ],
    'an entry that did not come is left out': ['&& error.status === 404', ''],
    'an update writes beside another one': ['[...writes, own]', 'writes'],
    'an import is not continued': ["running.kind === 'import'", "running.id === ''"],
    'the last change is forgotten': ['const last = first ?', 'const last = first && listed.length === 0 ?'],
  }),
  ...bugsIn('functions/advisories/osv-feed.ts', hourly, {
    'a list is read to its end': ['if (entry.modified <= since) break;', ''],
    'any number of entries is asked for one by one': ['found.length > listedMax', 'found.length < 0'],
    'an ID may be a path': ['Number.isNaN(modified) || !isEntryId(id)', 'Number.isNaN(modified)'],
    'a line has any length': ['rest.length > lineLengthMax', 'rest.length < 0'],
  }),
  ...bugsIn('shared/table/repositories/advisory-feeds.ts', hourly, {
    'an update replaces an import': [' OR begins_with(#running, :prefix)', ' OR begins_with(#running, :none)'],
  }),
  ...bugsIn('functions/npm/imported-audit.ts', 'functions/npm/check-npm-packages', {
    'an audit is told what is about other versions': [
      'versions.some((version) => concerns(each, version, order))',
      'versions.length > 0',
    ],
    'events stand in the order of the entry': ['.toSorted(byVersion(order))', ''],
    '0 is no version of npm': [".replaceAll(/>=0(?= |$)/g, '>=0.0.0-0')", ''],
    'malware is moderate': ["advisory.kind === 'malware' ? 'critical' :", "advisory.kind !== 'malware' ? 'critical' :"],
  }),
  ...bugsIn('functions/npm/check-npm-packages.ts', 'functions/npm/check-npm-packages', {
    'the upstream is asked although advisories were imported': [
      'importedAt !== undefined &&',
      'importedAt === undefined &&',
    ],
    'older clients get the form of newer ones': [" && params.path === 'advisories/bulk'", ''],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', `${blocked}#no other child`, {
    'a child without a gate serves what another one blocks': [
      'strictestOf([source.advisedBy, source.observedBy])',
      'source.releaseGate',
    ],
    'the advisories of another child are read and not heeded': ["advisedBy: strictestGate(asking, 'enforce'), ", ''],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', `${blocked}#only observes would block by`, {
    'what one child observes is told of itself alone': [", observedBy: strictestGate(asking, 'observe')", ''],
  }),
  ...bugsIn('shared/packages/gate/gated-file.ts#passGate', `${blocked}#only observes would block by`, {
    'nobody says of a file what another child observes': [
      'isMarked || !observedOn(open, name, version) ? headers',
      'isMarked || headers ? headers',
    ],
  }),
  ...bugsIn('shared/packages/gate/gated-index.ts', `${blocked}#only observes would block by`, {
    'nobody says of a list what another child observes': [
      ' || listed.some((each) => observedOn(gate, each.name ?? name, each.version))',
      '',
    ],
  }),
  ...bugsIn('functions/packages/decisions.ts', `${blocked}#only observes would block by`, {
    'a check does not say what another child observes': ['(observedOn(open, name, version) ?? decided)', 'decided'],
  }),
  ...bugsIn('shared/packages/sources/advisory-reads.ts', `${blocked}#no other child`, {
    'a gate that only observes counts for its neighbours': ['releaseGate?.mode === mode ?', 'releaseGate ?'],
  }),
  ...bugsIn('shared/packages/releases/open-gate.ts', `${blocked}#no other child`, {
    'a gate that only observes serves what its neighbour blocks': [' || isAdvised)', ')'],
  }),
  ...bugsIn('functions/advisories/running-import.ts', killed, {
    'an import goes on behind what was not written': [
      'position: progress.position + entries.length,',
      'position: progress.position + entries.length + 1,',
    ],
  }),
];
