import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the package types and in the use cases of the management API. */
export const packageMutants: readonly Mutant[] = [
  ...bugsIn('functions/npm/names.ts', 'functions/npm/names', {
    'node_modules is a package': ["new Set(['node_modules', 'favicon.ico'])", "new Set(['favicon.ico'])"],
    'a name may begin with a dot': ['return !/^[._-]/.test(unscoped);', 'return true;'],
    'a new name may have capitals': [
      'if (name !== name.toLowerCase()) problems.push',
      'if (name.length > 999) problems.push',
    ],
    'a name is as long as it likes': ['name.length > newNameLengthMax', 'name.length > 9_999'],
    'a scope is anything': ['urlSafe.test(scope) && ', ''],
  }),
  ...bugsIn('functions/npm/paths.ts', 'functions/npm/paths', {
    'a file may be named like an escape of a key': ['isSegment(text) && !/[#%]/.test(text)', 'isSegment(text)'],
    'the file of one package belongs to another': [
      'suffix === undefined || !file.startsWith(prefix)',
      'suffix === undefined',
    ],
    'any scope leads to a file': [
      'name.startsWith(`${second}/`) ? filePath(name, third) : unknown',
      'filePath(name, third)',
    ],
    'a tag has a tail': [
      "rest.length === 2 ? { kind: 'dist-tag', name, tag } : unknown",
      "{ kind: 'dist-tag', name, tag }",
    ],
  }),
  ...bugsIn('functions/npm/manifest.ts', 'functions/npm/manifest', {
    'an installation is not told of optional peers': ["  'peerDependenciesMeta',\n", ''],
    'an installation is not told of scripts': ['? { ...picked, hasInstallScript: true }', '? picked'],
    'a publisher may keep a weak hash': ["algorithm === 'sha512')", "algorithm !== 'sha1')"],
    'a deprecation never ends': ["message !== '' && { deprecated: message }", '{ deprecated: message }'],
    'the manifest says that there is no shrinkwrap': ['_hasShrinkwrap: hasShrinkwrap', '_hasShrinkwrap: false'],
  }),
  ...bugsIn('functions/npm/integrity.ts', 'functions/npm/integrity', {
    'a hash of another length is a hash': ['digest.length === lengths[algorithm] ?', 'digest.length > 0 ?'],
    'only the first hash counts': ['integrity.split(/\\s+/)', "[integrity.split(/\\s+/)[0] ?? '']"],
    'a shasum has a case': ['/^[0-9a-f]{40}$/i', '/^[0-9a-f]{40}$/'],
  }),
  ...bugsIn('shared/packages/formats/json-objects.ts', 'shared/packages/formats/json-objects', {
    'a prototype may be set': ["key === '__proto__' || ", ''],
    'a constructor may be an object': [" || ((key === 'constructor' || key === 'prototype') && isObject(member))", ''],
    'a document nests without end': ['depth > depthMax', 'depth > 100_000'],
    'what is in a list is not looked at': [
      'if (Array.isArray(value)) return firstFlaw(value, depth);',
      'if (Array.isArray(value)) return undefined;',
    ],
  }),
  ...bugsIn('functions/npm/tags.ts', 'functions/npm/versions', {
    'a range is a tag': ['&& validRange(text, true) === null', ''],
  }),
  ...bugsIn('functions/npm/versions.ts', ['functions/npm/versions', 'functions/npm/packument'], {
    'a prerelease is the latest': [
      'isRelease === latest.isRelease ? semver.compare(latest.semver) > 0 : isRelease',
      'semver.compare(latest.semver) > 0',
    ],
    'the latest is the first': [
      'semver.compare(latest.semver) > 0 : isRelease',
      'semver.compare(latest.semver) < 0 : isRelease',
    ],
  }),
  ...bugsIn('functions/npm/packument.ts', 'functions/npm/packument', {
    'a removed version is shown': ['[...entries].filter(({ isRemoved }) => !isRemoved)', '[...entries]'],
    'the last child wins': ['if (!entries.has(entry.version)) entries.set', 'entries.set'],
    'tags of the last child win': [
      'list.toReversed().flatMap((child) => Object.entries(child.tags))',
      'list.flatMap((child) => Object.entries(child.tags))',
    ],
    'a package without a tag has no latest': [
      'return latest === undefined ? tags : { latest, ...tags };',
      'return tags;',
    ],
  }),
  ...bugsIn('functions/npm/packument-update.ts', 'functions/npm/deprecations-elsewhere', {
    'a deprecation of what another child has is passed over': ['!== before)', '=== undefined)'],
  }),
  ...bugsIn('functions/npm/packument-update.ts', 'functions/npm/packument-update', {
    'a deprecation without a text is one': [
      "typeof deprecated === 'string' ? [[version, deprecated] as const] : []",
      '[[version, String(deprecated)] as const]',
    ],
    'what an update leaves out stays': [
      'filter((version) => !versions.has(version))',
      'filter((version) => versions.has(version))',
    ],
    'a client changes all tags that it sends back': ['version !== known', 'version.length > 0'],
    'a body without anything is an update': [
      "violations.push(broken([], 'update', 'The body must contain versions, or attachments to publish.'));",
      '',
    ],
  }),
  ...bugsIn('functions/npm/publish-npm-package.ts', 'functions/npm/publish-npm-package', {
    'a record has all of a long message': ['.slice(0, recordedLength)', ''],
    'a deprecation moves tags': ['  if (!isUnpublish) return;\n', ''],
    'a tag that moved meanwhile is set back': ['before === undefined || now === undefined || now === before', 'true'],
  }),
  ...bugsIn('functions/npm/publish-body.ts', 'functions/npm/publish-body', {
    'a wrong hash in the manifest is kept': ['if (wrong.length > 0)', 'if (wrong.length > 2)'],
    'two versions are published at once': ['!first || others.length > 0 || ', '!first || '],
    'the manifest may be of another package': ['if (manifest.name !== name)', 'if (manifest.name === undefined)'],
    'a tag may point at another version': [
      'if (version !== undefined && target !== version)',
      'if (version !== undefined && target === undefined)',
    ],
    'a readme is as long as it likes': ['.subarray(0, readmeBytesMax)', '.subarray(0)'],
    'a package without a readme says so': [" || readme === 'ERROR: No README data found!'", ''],
    'a tarball may be cut off': [
      'if (length !== undefined && length !== actual)',
      'if (length !== undefined && length < 0)',
    ],
    'what is no base64 is skipped': ['text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)', 'text.length > 0'],
    'a further file is passed over': [
      'tarballs.length + bundles.length < attachments.length',
      'attachments.length > 99',
    ],
  }),
  ...bugsIn('functions/npm/tarball.ts', 'functions/npm/tarball', {
    'a second package.json replaces the first': [
      "if (this.manifest) throw malformed('The tarball has more than one package.json at its root.');",
      '',
    ],
    'a backslash hides a file': [".replaceAll('\\\\', '/')", ''],
  }),
  ...bugsIn('shared/packages/formats/tar-archive.ts', 'functions/npm/tarball', {
    'a bomb is inflated': ['bytes > limits.ratioMax * gunzip.bytesWritten', 'bytes > limits.inflatedBytesMax * 9'],
    'an archive has files without end': ['count > limits.entriesMax', 'count < 0'],
    'a README is kept whole': [
      'kept.push(chunk.subarray(0, room))',
      'kept.push(chunk)',
      '~shared/packages/formats/tar-archive',
    ],
    'chunks behind the end are kept': ['if (room > 0) kept', 'kept', '~shared/packages/formats/tar-archive'],
    'an extended header is as long as it likes': [
      '[64 * 1024, 1024]',
      '[4096 * 1024, 1024]',
      '~shared/packages/formats/tar-archive',
    ],
    'a header for all entries is copied for each of them': [
      '[64 * 1024, 1024]',
      '[64 * 1024, 4096 * 1024]',
      '~shared/packages/formats/tar-archive',
    ],
  }),
  ...bugsIn('functions/npm/upstream-packument.ts', 'functions/npm/upstream-packument', {
    'an upstream may answer with another package': [
      'document.name !== undefined && document.name !== name',
      'document.name !== undefined && document.name === 0',
    ],
    'a tarball may have any scheme': [
      "if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return [];",
      'if (!url) return [];',
    ],
    'a version of an upstream has the name that it gives itself': ['namedAs(name, manifest)]', 'manifest]'],
    'a version that no path can name is listed': [' && hasTarballPath(name, member[0])', ''],
    'a promised size is forgotten': ['...(Number.isSafeInteger(size) && { size: size as number }),', ''],
  }),
  ...bugsIn('functions/npm/kept-packument.ts', 'functions/npm/kept-packument', {
    'addresses of tarballs are not kept': ['return tarball ?? undefined;', 'return undefined;'],
    'each look at a packument takes it apart': ['known = new WeakRef(entries);', ''],
    'times are not kept': ['parts: [full, short, time] };', "parts: [full, short, ''] };"],
  }),
  ...bugsIn('functions/npm/search.ts', 'functions/npm/search', {
    'a search returns any number': [
      'Math.min(countOf(query.size, sizeDefault), sizeMax)',
      'countOf(query.size, sizeDefault)',
    ],
    'one of the words is enough': ['words.every((word)', 'words.some((word)'],
    'a search has a case': ['word.toLowerCase()),', 'word),'],
    'a search of a scope finds others': ['(scope === undefined || scopeOf(name) === scope) && ', ''],
    'npm fails on a package without maintainers': [
      'maintainers: Array.isArray(maintainers) ? maintainers.filter(isObject).map(maintainerOf) : [],',
      '',
    ],
  }),
  ...bugsIn('functions/repositories/upstream-url.ts', 'functions/repositories/upstream-url', {
    'a URL may bring a password': ["if (authority.includes('@'))", "if (authority === '@')"],
    'a backslash is a slash': ['/[\\p{Cc}\\p{Z}\\\\]/u', '/[\\p{Cc}\\p{Z}]/u'],
    'an upstream may be inside': [
      'if (isPermittedHost(host, config.allowedPrivateUpstreams)) return undefined;',
      'return undefined;',
    ],
    'a universal upstream has no placeholder': [
      'return violation ? [violation, ...missing] : missing;',
      'return violation ? [violation] : [];',
    ],
  }),
  ...bugsIn('functions/tokens/expiration.ts', 'functions/tokens/create-personal-access-token', {
    'a token made with a token lasts for ever': [
      'if (requested === null) return limit;',
      'if (requested === null) return null;',
    ],
    'a token outlives its maker': [
      'limit === null || expirationDate <= limit',
      'limit === null || expirationDate > limit || expirationDate <= limit',
    ],
  }),
  ...bugsIn('shared/sorted-entries.ts', 'functions/tokens/get-workspace-token', {
    'members have the order of the table': ['.toSorted(([one], [other]) => (one < other ? -1 : 1))', ''],
  }),
  ...bugsIn('functions/tokens/record.ts', 'functions/tokens/get-workspace-token', {
    'the repositories of a token are in no order': ['sortedEntries(', 'Object.entries('],
  }),
  ...bugsIn('shared/http/limits-record.ts', 'functions/tokens/get-personal-access-token', {
    'the workspaces of a token are in no order': ['sortedEntries(', 'Object.entries('],
  }),
  ...bugsIn('shared/table/packages/packages.ts', 'functions/npm/get-dist-tags', {
    'the tags of a document are in no order': ['sortedEntries(', 'Object.entries('],
  }),
  ...bugsIn('functions/packages/records.ts', 'functions/packages/get-package', {
    'the tags of several repositories are in the order of these': ['sortedEntries(', 'Object.entries('],
  }),
  ...bugsIn('shared/table/repositories/repositories.ts', 'functions/repositories/update-repository', {
    'a record names rules that stay as they are': [
      'upstreamNames && { allow: upstreamNames.allow, block: upstreamNames.block }',
      'upstreamNames',
    ],
  }),
  ...bugsIn('shared/http/times.ts', 'functions/tokens/create-personal-access-token', {
    '30 February is a day': ['new Date(toTheSecond).toJSON() === toTheSecond && ', ''],
    'a token may expire in the past': [' && timeOf(text) > Date.now()', ''],
  }),
  ...bugsIn('shared/http/times.ts', 'functions/packages/list-downloads', {
    'a query has times in any form': ['!isTime(text)', 'Number.isNaN(Date.parse(text))'],
  }),
  ...bugsIn('functions/repositories/release-gate.ts', 'functions/repositories/release-gate', {
    'a gate is frozen at any text that looks like a time': ['!isTime(frozenAt)', 'Number.isNaN(Date.parse(frozenAt))'],
  }),
  ...bugsIn('shared/http/answers/list.ts', 'functions/audit/list-workspace-records', {
    'a list without a query has no next page': ['(event.queryStringParameters ?? {})', 'event.queryStringParameters'],
  }),
  ...bugsIn('shared/http/encodings.ts', ['functions/system/get-openapi-document', 'functions/helm/get-helm-document'], {
    'q=0 accepts gzip': ['(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))', ''],
  }),
  ...bugsIn('shared/http/encodings.ts', 'shared/http/encodings', {
    'what is said of all counts for gzip as well': ['^(?!.*gzip).*', ''],
  }),
  ...bugsIn('shared/http/requests/bytes.ts', 'functions/universal/publish-universal-file', {
    'a part is the whole': ["headerOf(event, 'content-range') !== undefined", 'false'],
  }),
  ...bugsIn('functions/pypi/upstream-pages.ts', 'functions/pypi/get-pypi-document-from-upstream#promises files by', {
    'an MD5 is no promise': [', md5: 32', ''],
    'a hash that few have is no promise': [' sha384: 96, sha224: 56,', ''],
  }),
  ...bugsIn('functions/universal/publish-universal-file.ts', 'functions/universal/publish-universal-file#checksum', {
    'the checksums of a body are not compared': ['compareChecksums(checksums, received.hashes);', ''],
  }),
];
