import { bugsIn, type Mutant } from './mutant.ts';

const nugetPages = 'functions/nuget/get-nuget-vulnerabilities';

export const auditMutants: readonly Mutant[] = [
  ...bugsIn('functions/npm/audits.ts', 'functions/npm/check-npm-packages', {
    'an audit tells the name of the project': ['...projectAbout(body), ...treeAbout', '...body, ...treeAbout'],
    'an audit tells what own packages require': ['filter((entry) => namesIn(...entry).every(isTold))', 'slice()'],
    'an audit tells own packages that are nested': [
      'filter(([name, { version }]) => namesIn(name, version).every(isTold))',
      'slice()',
    ],
    'an audit tells own packages behind an alias': ['namesIn(name, version).every(isTold)', 'isTold(name)'],
    'an audit tells own packages that are required behind an alias': [
      'namesIn(...entry).every(isTold)',
      'isTold(entry[0])',
    ],
    'an audit tells what a project installs': ['{ install: [] }', '{ install }'],
    'an audit tells what a project removes': ['{ remove: [] }', '{ remove }'],
    'an audit tells all metadata of a project': [
      "picked(metadata, 'string', 'npm_version', 'node_version', 'platform')",
      'metadata',
    ],
    'an audit tells where packages come from': ['...treeAbout(each, isTold),', '...each, ...treeAbout(each, isTold),'],
    'an audit tells the address of a repository': ["? version : 'file:'", '? version : version'],
    'an audit in bulk tells any text as a version': ['versions.filter(isPlain)', 'versions'],
  }),
  ...bugsIn('functions/npm/check-npm-packages.ts', 'functions/npm/check-npm-packages', {
    'an audit tells all names': ['about((name) => told.has(name))', 'about(() => true)'],
    'an upstream is asked about nothing': ['source && told.size > 0', 'source'],
    'an audit may be about any number of packages': ['names.length > namesMax', 'false'],
  }),
  ...bugsIn('functions/npm/signatures.ts', 'functions/npm/signatures', {
    'the attestations of a held version are served': ['address ? await passGate', 'address === null ? await passGate'],
    'an upstream is asked for attestations of own packages': [
      'answeringSources(sources, path.name, read).filter(isRemote)',
      'sources.all.filter(isRemote)',
    ],
  }),
  ...bugsIn('functions/composer/check-composer-packages.ts', 'functions/composer/check-composer-packages', {
    'an audit of Composer tells all names': [
      'const told = [...(await fetchableNames(table, sources, names))];',
      'const told = names;',
    ],
    'an upstream is asked although advisories on Composer were imported': [
      'importedAt !== undefined;',
      'importedAt === undefined;',
    ],
    'an answer is about what nobody asked': [
      'answer ? advisoriesIn(answer, names) : {}',
      '{ ...Object(answer?.advisories) }',
    ],
    'an audit of Composer may be about any number of packages': ['names.length <= namesMax', 'names.length > 0'],
    'a form without names is an audit of nothing': ['if (fields.length === 0)', 'if (fields.length < 0)'],
  }),
  ...bugsIn('functions/composer/imported-advisories.ts', 'functions/composer/check-composer-packages', {
    'prereleases of a fixed version are safe': ['? `${text}-stable` : text', '? text : text'],
    'a version that no constraint can name ends the audit': [
      'nameableVersion(version) ?? []',
      'nameableVersion(version) ?? version',
    ],
    'branches are in ranges': ['isBranch(version) || !concerns', '!concerns'],
    'a range begins with a branch': ["=== '0' || !isBranch(bound)", "!== ''"],
    'each affected version is listed beside its range': ['!concerns(ofRanges, version, order)', 'true'],
  }),
  ...bugsIn('functions/nuget/vulnerability-page.ts', nugetPages, {
    'NuGet is told of an interval without bounds': ["const lowest = '[0.0.0-0';", "const lowest = '(';"],
    'each affected version of NuGet is listed beside its range': [
      '!concerns({ versions: [], ranges }, version, order)',
      'version.length > 0',
    ],
    'NuGet is told of a version that is none': ['normalVersion(version) ?? []', 'normalVersion(version) ?? version'],
    'the last affected version of NuGet is safe': ["to.isAffected ? ']' : ')'", "to.isAffected ? ')' : ')'"],
    'malware is moderate for NuGet': ["=== 'malware' ? severities.critical", "=== 'malware' ? severities.moderate"],
    'names without entries are on a page': ['entries.length > 0),', 'entries.length >= 0),'],
  }),
  ...bugsIn('functions/nuget/upstream-vulnerabilities.ts', nugetPages, {
    'a page may be at any host': ['|| !hosts.includes(new URL(id, url).host)', ''],
    'a page is kept however old it is': [
      'Math.max(0, Date.now() - Date.parse(page.updated))',
      'Math.max(3_600_000, Date.now() - Date.parse(page.updated))',
    ],
    'a page is asked for each time': ['Math.max(0, Date.now() - Date.parse(page.updated))', '0'],
    'a page may be any JSON': ["parseObject(kept, 'The page", "JSON.parse(String(kept) || 'The page"],
    'an index may be any JSON': [
      'if (!Array.isArray(list)) throw',
      'if (!Array.isArray(list)) return []; if (list.length < 0) throw',
    ],
    'a page has no time': ['|| Number.isNaN(Date.parse(updated))', ''],
  }),
  ...bugsIn('functions/nuget/get-nuget-vulnerabilities.ts', nugetPages, {
    'what was imported is told of local repositories': ['remotes.length > 0 ? (call', 'remotes.length >= 0 ? (call'],
    'an upstream is asked although advisories on NuGet were imported': [
      'list ? importedPages',
      'list === null ? importedPages',
    ],
    'an upstream without a list ends the search': ['if (!index) continue;', 'if (!index) break;'],
    'an index is what was imported once': ['revision: list.updatedAt,', "revision: 'imported',"],
    'the name of a page is no part of an address': ['${encodeURIComponent(name)}.json', '${name}.json'],
  }),
  ...bugsIn('shared/packages/nupkg-protocol/reading.ts', nugetPages, {
    'a repository of own packages tells of vulnerabilities': ['sources.all.some(isRemote) ? paths : ofLocal', 'paths'],
  }),
  ...bugsIn('shared/packages/releases/affected-intervals.ts', '~shared/packages/releases/affected-intervals', {
    'a second introduction begins a range again': ['begun ??= version', 'begun = version'],
    'a range with a bound that is no version has versions': ['if (events.some(', 'if (!events.every('],
    'an interval without versions is one': ['if (!isEmpty) intervals', 'intervals'],
    'the last affected version is fixed': ["isAffected: kind === 'last_affected'", "isAffected: kind === 'limit'"],
    'a range without an end has no versions': ['  end(undefined);', ''],
  }),
  ...bugsIn('functions/composer/root.ts', 'functions/composer/check-composer-packages', {
    'a repository of own packages answers audits': ['all.some(isRemote) &&', 'all.length > 0 &&'],
  }),
  ...bugsIn('shared/packages/upstream/upstream-audit.ts', 'functions/npm/check-npm-packages', {
    'an audit takes as long as its upstream likes': ['pause, signal }', 'pause }'],
    'an upstream that takes no POST fails an audit': ['refusals.has(error.status)', 'refusals.has(0)'],
  }),
  ...bugsIn('shared/upstream/upstream-client.ts', 'functions/npm/check-npm-packages', {
    'a body follows a redirect': ['redirects === redirectsMax || ask.sent', 'redirects === redirectsMax'],
  }),
  ...bugsIn('shared/http/requests/bytes.ts', 'functions/npm/check-npm-packages', {
    'a compressed body has any size': ['maxOutputLength: bytesMax', 'maxOutputLength: 2 ** 30'],
  }),
];
