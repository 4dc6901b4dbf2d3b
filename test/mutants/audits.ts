import { bugsIn, type Mutant } from './mutant.ts';

export const auditMutants: readonly Mutant[] = [
  ...bugsIn('functions/npm/audits.ts', 'functions/npm/check-npm-packages', {
    'an audit tells the name of the project': ["without(body, 'name', 'version')", 'body'],
    'an audit tells what own packages require': ['requires: only(requires, isTold)', 'requires'],
    'an audit tells own packages that are nested': [
      'isObject(each) ? treeAbout(each, isTold, depth + 1) : each',
      'each',
    ],
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
  }),
  ...bugsIn('shared/upstream/upstream-client.ts', 'functions/npm/check-npm-packages', {
    'a body follows a redirect': ['redirects === redirectsMax || ask.sent', 'redirects === redirectsMax'],
  }),
  ...bugsIn('shared/http/requests/bytes.ts', 'functions/npm/check-npm-packages', {
    'a compressed body has any size': ['maxOutputLength: bytesMax', 'maxOutputLength: 2 ** 30'],
  }),
];
