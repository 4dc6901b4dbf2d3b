import { bugsIn, type Mutant } from './mutant.ts';

const metadata = '~functions/debian/metadata';
const versions = '~functions/debian/versions';
const names = '~functions/debian/names';
const reading = 'functions/debian/get-debian-document';
const publishing = 'functions/debian/publish-debian-package';
const deleting = 'functions/debian/delete-debian-package';

/** Bugs in the package type for Debian. */
export const debianMutants: readonly Mutant[] = [
  ...bugsIn('functions/debian/versions.ts', versions, {
    'a tilde sorts behind the end': ["if (character === '~') return -1;", "if (character === '~') return 1;"],
    'other characters sort before letters': ['code + 256', 'code - 256'],
    'long numbers are compared as texts': [
      'compareNumbers(withoutZeros(one), withoutZeros(other))',
      'withoutZeros(one).localeCompare(withoutZeros(other))',
    ],
    'zeros in front count': [".replace(/^0+/, '')", ''],
    'an epoch counts nothing of Debian': ['compareDigits(first.epoch, second.epoch) ||', ''],
    'a revision counts nothing': [' ||\n    compareTexts(first.revision, second.revision)', ''],
    'a revision begins at the first hyphen': ["rest.lastIndexOf('-')", "rest.indexOf('-')"],
  }),
  ...bugsIn('functions/debian/names.ts', names, {
    'a colon needs no epoch': ['/^\\d[A-Za-z0-9.+~-]*$/', '/^\\d[A-Za-z0-9.+~:-]*$/'],
    'a version begins as it likes': ['/^\\d[A-Za-z0-9.+~-]*$/', '/^[A-Za-z0-9.+~-]*$/'],
    'a version is of any length': ['if (version.length > lengthMax) return false;', ''],
    'a file has an epoch in its name': ["version.replace(/^\\d+:/, '')", 'version'],
    'a place is of any length': [
      'text.length <= shortMax && /^[A-Za-z0-9][A-Za-z0-9._+~-]*$/',
      '/^[A-Za-z0-9][A-Za-z0-9._+~-]*$/',
    ],
  }),
  ...bugsIn('functions/debian/archive-members.ts', metadata, {
    'a package may be of another version': ['/^2\\.\\d+\\n/', '/^\\d\\.\\d+\\n/'],
    'members begin anywhere': ['start + size + (size % 2)', 'start + size'],
    'a payload may be cut': ['if (start + size > file.size) throw damaged(`its member ${name} ends too early`);', ''],
    'a payload may be missing': ['if (!/^data\\.tar(?:\\.[a-z0-9]+)?$/.test(data.name))', 'if (false)'],
    'metadata may be of any length': ['if (member.size > controlBytesMax)', 'if (false)'],
    'no member stands between': ["member.name.startsWith('_') && count", 'false && count'],
  }),
  ...bugsIn('functions/debian/control-archive.ts', metadata, {
    'what xz compressed may be of any length': ['if (bytes > inflatedBytesMax)', 'if (false)'],
    'what gzip compressed may be of any length': ['gunzipSync(bytes, limits)', 'gunzipSync(bytes)'],
    'the text may be of any length': ['if (size > controlBytesMax)', 'if (false)'],
    'text in Latin-1 is lost': ["return bytes.toString('latin1');", "return '';"],
  }),
  ...bugsIn('functions/debian/paragraphs.ts', metadata, {
    'a field may be there twice': ['if (fields.has(name.toLowerCase()))', 'if (false)'],
    'another paragraph may follow': [
      'if (name === undefined) return noField(line);',
      'if (name === undefined) continue;',
    ],
    'a line may have a NUL': ["if (line.includes('\\0')) return noField(line);", ''],
    'a text may begin in a field': ['if (!current) return noField(line);', 'if (!current) continue;'],
  }),
  ...bugsIn('functions/debian/metadata.ts', metadata, {
    'a package may have any name': ['if (isBuild(build))', 'if (true)'],
  }),
  ...bugsIn('functions/debian/stanzas.ts', metadata, {
    'a package says where it is itself': ['!ofLists.has(name.toLowerCase())', 'true'],
  }),
  ...bugsIn('functions/debian/lists.ts', reading, {
    'packages for all architectures are in their own list alone': ['[...forAll, ...own]', 'own'],
    'packages for all architectures are for those of others alone': [
      '...(own.includes(everyOne) ? releaseArchitectures : [])',
      '',
    ],
    'packages of a list have no order': ['one.name < other.name ? -1 : 1', 'one.name < other.name ? 1 : -1'],
    'versions of a package have no order': ['compareVersions(one.version, other.version)', '1'],
    'the Release names the wrong size': ['size: bytes.length', 'size: openSize'],
  }),
  ...bugsIn('functions/debian/distributions.ts', reading, {
    'a distribution has the packages of all': ['placeOf(version).distribution === distribution', 'true'],
    'a distribution is known by its packages alone': ['place.distribution === distribution', 'place === undefined'],
    'any distribution is there': ['if (!last && deleted.length === 0) throw noDistribution(distribution);', ''],
    'an empty distribution has no lists': ['last ?? kindsOf(deleted)', 'kindsOf([])'],
  }),
  ...bugsIn('functions/debian/release.ts', reading, {
    'apt does not ask for hashes': ["'Acquire-By-Hash: yes',", ''],
    'apt fetches the packages for all architectures twice': ["'No-Support-for-Architecture-all: Packages',", ''],
  }),
  ...bugsIn('functions/debian/made-answers.ts', reading, {
    'the signature is that of a newer Release': [
      "entry === 'Release.gpg' ? await lastSet(call, documentOf(distribution)) : undefined",
      'undefined',
    ],
    'a text has no answer by its hash': [
      'return answerText(call, { distribution, sha256: packed.sha256 });',
      'throw missing();',
    ],
    'a plain name has the compressed bytes': ["if (!file.endsWith('.gz')) return answerText(call, list);", ''],
    'a distribution may be in a directory': ['if (distribution === undefined) throw missing();', ''],
  }),
  ...bugsIn('functions/debian/paths.ts', '~functions/debian/names', {
    'apt finds nothing by the line of a repository without distributions': ['withoutDots(rawTail)', 'rawTail'],
    'a list is found by any algorithm': ["algorithm === 'SHA512' ? /^[0-9a-f]{128}$/ : undefined", '/^[0-9a-f]+$/'],
    'what is beside a list by its hash is a file': [
      "if (kind !== 'by-hash') return unknown;",
      "if (kind !== 'by-hash') return fileIn(directories, hash);",
    ],
  }),
  ...bugsIn('functions/debian/paths.ts', reading, {
    'a distribution may be of two segments': ["dists === 'dists' && others.length === 0", "dists === 'dists'"],
  }),
  ...bugsIn('functions/debian/debian-content.ts', publishing, {
    'the architecture of a path counts nothing': [
      "wanted.architecture !== undefined && architecture !== 'all' && wanted.architecture !== architecture",
      'false',
    ],
    'the architecture of a path must be all': [" && architecture !== 'all'", ''],
    'a package may be for what only sources name': ['if (isOfSources(architecture))', 'if (false)'],
    'a package may be for every system': ["architecture.split('-').includes('any')", "architecture === 'any'"],
    'a paragraph is of any length': ["requireSize('The metadata of the package', stanza, stanzaBytesMax);", ''],
  }),
  ...bugsIn('functions/debian/published-paths.ts', publishing, {
    'a property may have several values': ['([^,;=]+)$/', '([^;=]+)$/'],
    'a property may be there twice': ['if (new Map(properties).size < properties.length)', 'if (false)'],
    'a package is published anywhere in the pool': ['|| others.length > 0 ', ''],
  }),
  ...bugsIn('functions/debian/changes-files.ts', publishing, {
    'what a .changes names may be other bytes': ['|| found.blob.sha256 !== sha256', ''],
    'a .changes is of any length': ['if (size > changesBytesMax)', 'if (false)'],
    'a .changes names what it likes': [
      'if (!build) throw refusal',
      'if (!build) continue;\n    if (false) throw refusal',
    ],
    'a .changes needs no source': ["if (source === '' || version", 'if (version'],
  }),
  ...bugsIn('functions/debian/format.ts', 'functions/debian/publish-in-place', {
    'a place has any name': ['if (isPlace(place)) return place;', 'return place;'],
  }),
  ...bugsIn('shared/packages/formats/package-format.ts', 'functions/debian/publish-in-place', {
    'any type has distributions': ['format.hasDistributions ? []', 'true ? []'],
  }),
  ...bugsIn('functions/debian/publish-debian-package.ts', publishing, {
    'a .changes is read as a package': ['/\\.(?:changes|buildinfo)$/', '/\\.buildinfo$/'],
    'the answer names the path': [
      '{ package: name, version, file, sizeInBytes',
      '{ package: path.file, version, file, sizeInBytes',
    ],
  }),
  ...bugsIn('functions/debian/delete-debian-package.ts', deleting, {
    'any path can be deleted': ["if (path.kind !== 'file')", "if (path.kind === 'key')"],
    'a deletion deletes nothing': ['async () => deleteVersion(table, target, name, version)', 'async () => undefined'],
  }),
  ...bugsIn('functions/debian/distributions.ts', reading, {
    'the signature beside a Release is around it': [
      "'Release.gpg': await armoredSignature(release, date, signal)",
      "'Release.gpg': await clearsigned(release, date, signal)",
    ],
    'a Release is not the one that is signed': ['Release: release,', 'Release: release.trimEnd(),'],
  }),
  ...bugsIn('functions/debian/distributions.ts', 'functions/rotated-keys', {
    'a Release keeps the signatures of keys that were replaced': [
      'revision: `${found.revision} ${signers()}`',
      'revision: found.revision',
    ],
    'a Release with the same lists is not signed by other keys': ['alsoNamed: [signers(), ', 'alsoNamed: ['],
  }),
  ...bugsIn('shared/openpgp/signing-keys.ts', 'functions/rotated-keys', {
    'a key is known by its name in KMS alone': [
      'known.get(words) ?? (await loadKey(keyId, Number(createdAt), request)); known.set(words, key);',
      'known.get(keyId) ?? (await loadKey(keyId, Number(createdAt), request)); known.set(keyId, key);',
    ],
  }),
];
