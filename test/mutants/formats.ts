import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the package types for Python, Maven, Go and Helm. */
export const formatMutants: readonly Mutant[] = [
  ...bugsIn(
    'shared/packages/serve/upstream-search.ts',
    ['functions/cargo/get-cargo-search', 'functions/npm/get-npm-search-upstream'],
    {
      'a blocked word is sent upstream': [
        'if (parts.some((part) => isBlocked(part, sources.upstreamNames))) return false;',
        '',
      ],
      'a name that is held here is sent upstream': [
        'return (await fetchableNames(table, sources, names)).size === new Set(names).size;',
        'return true;',
      ],
      'an upstream shows what is held here': ['.filter(({ name }) => fetchable.has(name))', ''],
    },
  ),
  ...bugsIn('functions/pypi/names.ts', 'functions/pypi/names', {
    'a run of separators stays a run': ['/[-_.]+/g', '/[-_.]/g'],
    'a name has a case': [".replaceAll(/[-_.]+/g, '-').toLowerCase()", ".replaceAll(/[-_.]+/g, '-')"],
  }),
  ...bugsIn('shared/packages/changes/publication-store.ts', 'functions/pypi/publish-pypi-file', {
    'a version with more zeros is another one': ['!version && spelledOtherwise', 'version && spelledOtherwise'],
  }),
  ...bugsIn('shared/packages/changes/publication-writes.ts', 'functions/pypi/publish-pypi-file', {
    'two spellings of a version can come at once': [
      'known.version ? [] : otherSpellingsAbsent(ref, publication)',
      '[]',
    ],
  }),
  ...bugsIn('functions/pypi/versions.ts', 'functions/pypi/names', {
    'zeros make another version': ["digits.replace(/^0+(?=\\d)/, '')", 'digits'],
    'preview is another letter than rc': [", preview: 'rc'", ''],
  }),
  ...bugsIn('functions/pypi/paths.ts', 'functions/pypi/names', {
    'a file has an address in every version': ['version === addressVersion(file, name)', 'version !== undefined'],
  }),
  ...bugsIn('functions/pypi/filenames.ts', ['functions/pypi/names', 'functions/pypi/publish-pypi-file'], {
    'the order of tags makes another wheel': [".map((set) => set.split('.').toSorted().join('.'))", ''],
  }),
  ...bugsIn('functions/pypi/project-files.ts', 'functions/pypi/upstream-pages', {
    'METADATA that an index denies stays denied': [
      'members.map((member) => [member, true])',
      'members.slice(0, 1).map((member) => [member, true])',
    ],
    'a page promises METADATA of archives': ["file.filename.endsWith('.whl') && ", ''],
  }),
  ...bugsIn('functions/pypi/wheel-metadata.ts', 'functions/pypi/get-pypi-document-from-upstream', {
    'a wheel is read for each reader of its METADATA': ['if (known) return known;', ''],
  }),
  ...bugsIn('functions/pypi/wheel-parts.ts', 'functions/pypi/wheel-parts', {
    'any part of a wheel is taken': ["headers['content-range'] !== `bytes ${first}-${last}/${size}` || ", ''],
    'parts of two wheels make one': [' || headers.etag !== etag', ''],
    'as many parts are asked for as a directory has': ['if (parts > partsMax) throw otherPart(context);', ''],
    'an upstream that fails is asked for the wheel at once': [' && (error.status ?? 0) < 500', ''],
  }),
  ...bugsIn('shared/packages/fetch/remote-files.ts', 'functions/pypi/wheel-parts', {
    'a part of a file is asked for by each who waits': [', ...(part ? [part.name] : [])', ''],
    'a part is asked for although the file is kept': ['part: copy ? undefined : part', 'part'],
  }),
  ...bugsIn(
    'functions/pypi/upstream-pages.ts',
    ['functions/pypi/get-pypi-document-from-upstream', 'functions/pypi/upstream-pages'],
    {
      'links of a page are relative to where it was asked for': ['{ name, url: answer.url.href }', '{ name, url }'],
      'METADATA is promised that nobody stores': [
        'source.isRemoteCacheEnabled ? withMetadata(page) : page',
        'withMetadata(page)',
      ],
      'the hash of a file is not checked': [
        'expected: { ...(Number.isSafeInteger(size) && { size: size as number }), ...Object.fromEntries(promised) }',
        'expected: {}',
      ],
      'a page of another project is taken': ['projectIn(page.name) !== name', 'projectIn(page.name) === undefined'],
    },
  ),
  ...bugsIn('functions/maven/paths.ts', 'functions/maven/names', {
    'a group may have any characters': ['/^[\\w-]+$/.test(text)', '/./.test(text)'],
    'a checksum has a checksum': [
      "if (file === '' || checksumEnding.test(file)) return undefined;",
      "if (file === '') return undefined;",
    ],
    'an encoded slash leads to another folder': ["  !file.includes('/') &&\n", ''],
    'a version may have an encoded slash': ['!/[/:"<>|?*]/.test(text)', '!/[:"<>|?*]/.test(text)'],
  }),
  ...bugsIn('functions/maven/snapshot-times.ts', 'functions/maven/publish-maven-file', {
    'a build is from the next century': ['time.getTime() <= Date.now() + aheadMilliseconds', 'true'],
    'a build is from no day of the calendar': ['time.toJSON() === moment && ', ''],
    'the clock of a build may not be ahead': ['Date.now() + aheadMilliseconds', 'Date.now()'],
  }),
  ...bugsIn('shared/packages/formats/one-file.ts', 'functions/packages/one-file', {
    'a second file is left out': [' || others.length > 0) throw', ') throw'],
    'an announced file is of any length': ['if (file.size > bytesMax)', 'if (false)'],
  }),
  ...bugsIn('functions/maven/format.ts', 'functions/maven/publish-maven-file', {
    'a form has a build from the next century': ['for (const address of addresses) requireTimestamp(address);', ''],
  }),
  ...bugsIn('functions/maven/checksums.ts', 'functions/maven/publish-maven-file', {
    'a file may change on its way': ['known !== undefined && known !== sent', 'known === undefined'],
  }),
  ...bugsIn(
    'functions/maven/snapshot-names.ts',
    ['functions/maven/publish-maven-file', 'functions/maven/get-maven-file', 'functions/maven/metadata'],
    {
      'a build of a SNAPSHOT may be replaced': [
        'isSnapshot(version) && snapshotFileOf(name, version, file) === undefined',
        'isSnapshot(version)',
      ],
    },
  ),
  ...bugsIn(
    'functions/maven/snapshot-files.ts',
    ['functions/maven/publish-maven-file', 'functions/maven/get-maven-file', 'functions/maven/metadata'],
    {
      'an older build replaces a newer one': ['if (known && !isNewer(added, known)) return files;', ''],
    },
  ),
  ...bugsIn('functions/maven/metadata.ts', ['functions/maven/metadata', 'functions/maven/get-maven-file'], {
    'a SNAPSHOT is the release': ['sorted.findLast((version) => !isSnapshot(version))', 'sorted.at(-1)'],
  }),
  ...bugsIn('functions/maven/plugins.ts', ['functions/maven/get-maven-file', 'functions/maven/format'], {
    'the name of a plugin goes before its own prefix': [
      'newestOf(prefixesAt(0)) ?? newestOf(prefixesAt(1))',
      'newestOf(prefixesAt(1)) ?? newestOf(prefixesAt(0))',
    ],
  }),
  ...bugsIn('functions/go/escapes.ts', 'functions/go/names', {
    'a capital has no escape': [
      'text.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)',
      'text.toLowerCase()',
    ],
    'a capital is read as it is': ['[ "-@[-~]|', '[ "-~]|'],
  }),
  ...bugsIn('functions/go/module-paths.ts', 'functions/go/names', {
    'a version of v2 is one of any path': [
      "return major === 'v0' || major === 'v1' || isIncompatible(version);",
      'return true;',
    ],
    'a path needs no dot': ["if (!first.includes('.')) return", 'if (false) return'],
  }),
  ...bugsIn('functions/go/module-zip.ts', ['functions/go/module-zip', 'functions/go/publish-go-module'], {
    'two paths may differ in case': ['if (other && other.path !== path)', 'if (other && other.isFolder !== isFolder)'],
    'a zip of one module is published as another': ['if (declared !== name)', 'if (declared === undefined)'],
    'a failure of the store is one of the zip': [
      'if (reader.failure !== undefined) throw unavailable(reader.failure);',
      '',
    ],
    'a module may have entries for folders': ["if (name.endsWith('/'))", 'if (name === this.prefix)'],
    'a nested module is part of its parent': ["if (path !== 'go.mod')", 'if (false)'],
  }),
  ...bugsIn('functions/go/publish-go-module.ts', 'functions/go/publish-go-module', {
    'a module gets the version in the address': [
      'content.name !== name || content.version !== version',
      'content.name !== name',
    ],
  }),
  ...bugsIn('functions/helm/paths.ts', 'functions/helm/names', {
    'two dots are the name of a chart': [" && name !== '.' && name !== '..'", ''],
    'a file name means two charts': [
      "`charts/${isClear ? '' : `${name}/`}${encodeURIComponent(file)}`",
      '`charts/${isClear ? encodeURIComponent(file) : encodeURIComponent(file)}`',
    ],
  }),
  ...bugsIn('functions/helm/metadata.ts', ['functions/helm/metadata', 'functions/helm/upstream-index'], {
    'a number stays where helm expects a text': [
      "if (shape === 'text' && isScalar(value)) return String(value);",
      "if (shape === 'text' && isScalar(value)) return value;",
    ],
    'a null in a list breaks every index': ["item === null && typeof shape !== 'string'", 'item === undefined'],
    'a chart brings its own digest': [
      '!Object.hasOwn(indexFields, key.toLowerCase())',
      'key !== undefined',
      'functions/helm/metadata',
      'functions/helm/publish-chart',
    ],
  }),
  ...bugsIn('functions/helm/archive.ts', 'functions/helm/publish-chart', {
    'a chart may be in a folder of another name': ['else if (name !== folder)', 'else if (folder === undefined)'],
    'the last of several descriptions counts': [
      "if (this.chartYaml) throw malformed('The chart must have one Chart.yaml in its folder, and has several.');",
      '',
    ],
    'a chart may reach beyond its folder': ["if (path.startsWith('../') || path.startsWith('/'))", 'if (false)'],
  }),
  ...bugsIn('functions/helm/provenance.ts', ['functions/helm/publish-provenance', 'functions/helm/publish-chart'], {
    'a signature may be that of other bytes': [
      'if (provenance.sha256 !== sha256)',
      'if (provenance.sha256 === undefined)',
    ],
    'a provenance without a version is said to be a Chart.yaml': [', label), label)', ', label))'],
  }),
  ...bugsIn('functions/helm/upstream-index.ts', '~functions/helm/upstream-index', {
    'an entry of an upstream may have a member twice in other cases': ['new Set(names).size === names.length && ', ''],
    'an entry of an upstream may have letters that Go folds': [
      ' && names.every((name) => name.toUpperCase().toLowerCase() === name)',
      '',
    ],
  }),
  ...bugsIn('functions/helm/rendering.ts', ['functions/helm/get-helm-document', 'functions/helm/upstream-index'], {
    'the oldest version comes first': [
      'compareVersions(other.parsed, one.parsed)',
      'compareVersions(one.parsed, other.parsed)',
      'functions/helm/get-helm-document',
    ],
  }),
];
