import { bugsIn, type Mutant } from './mutant.ts';

const metadata = '~functions/rpm/metadata';
const reading = 'functions/rpm/get-rpm-document';
const upstream = 'functions/rpm/get-rpm-document-from-upstream';
const publishing = 'functions/rpm/publish-rpm-package';

/** Bugs in the package type for rpm, and in the sets of documents that hash each other. */
export const rpmMutants: readonly Mutant[] = [
  ...bugsIn('functions/rpm/versions.ts', '~functions/rpm/versions', {
    'a tilde makes a version newer': [
      "Number(other === '~') - Number(one === '~')",
      "Number(one === '~') - Number(other === '~')",
    ],
    'a caret makes a version older': [
      'return one === undefined ? -1 : 1;',
      'return one === undefined ? 1 : -1;',
      '~functions/rpm/versions',
    ],
    'a release is not compared': ['compareVersions(one.release, other.release)', '0'],
    'an epoch counts nothing': ['Number(one.epoch) - Number(other.epoch) ||', ''],
    'long numbers are compared as texts of rpm': ['compareNumbers(one, other)', 'compareTexts(one, other)'],
  }),
  ...bugsIn('functions/rpm/header.ts', metadata, {
    'a tag may end beyond the header': ['if (entry.offset + bytesOf(entry) > dataBytes)', 'if (false)'],
    'a tag may be there twice': ['if (entries.has(tag))', 'if (false)'],
    'a header may be of any size': [
      'count > entriesMax || indexBytes + dataBytes > headerBytesMax',
      'count > entriesMax',
    ],
    'a header may have any number of tags': ['count > entriesMax || indexBytes', 'indexBytes'],
    'a text needs no end': ['if (end < 0)', 'if (false)'],
    'a text that is not UTF-8 is cut': ["return bytes.toString('latin1');", "return '';"],
    'a package may begin as it likes': ['if (!lead.subarray(0, 4).equals(leadMagic))', 'if (false)'],
  }),
  ...bugsIn('functions/rpm/metadata.ts', metadata, {
    'a package may be cut': ['signed !== 0 && start + signed !== fileSize', 'false'],
    'a source package is for a machine': [
      "header.has(tags.sourceRpm) ? header.text(tags.arch) : 'src'",
      'header.text(tags.arch)',
    ],
  }),
  ...bugsIn('functions/rpm/dependencies.ts', metadata, {
    'what rpm alone must know is required': ["!each.name.startsWith('rpmlib(') && ", ''],
    'a package requires itself': ['known.has(keyOf(each)) || ', ''],
    'all versions of glibc are required': [
      'return withOneGlibc(withoutRepeated(needed));',
      'return withoutRepeated(needed);',
    ],
    'the lowest glibc is required': [
      'compareVersions(glibcOf(other), glibcOf(one))',
      'compareVersions(glibcOf(one), glibcOf(other))',
    ],
    'requirements are repeated': ['return !isRepeated;', 'return true;'],
    'no requirement is one of a script': ["isPre: kind === 'requires' && (bits & preBits) !== 0", 'isPre: false'],
    'sendmail is in no first list': [" || path === '/usr/lib/sendmail'", ''],
    'lists may differ in length': ['columns.some(({ length }) => length !== first.length)', 'false'],
  }),
  ...bugsIn('functions/rpm/files.ts', metadata, {
    'a ghost is a file': ["(flags & ghostBit) === 0 ? 'file' : 'ghost'", "'file'"],
    'a directory is a file': ['(mode & typeBits) === directoryType', 'false'],
  }),
  ...bugsIn('functions/rpm/changelog.ts', metadata, {
    'two changes have one date': ['time + sameDay.length', 'time'],
    'the oldest changes are listed': ['rows.slice(0, entriesMax)', 'rows.slice(-entriesMax)'],
    'a name ends in blanks': ["while (end > 1 && author[end - 1] === ' ')", 'while (false)'],
  }),
  ...bugsIn('functions/rpm/paths.ts', reading, {
    'a group is the directory of its files': ["const at = directories.lastIndexOf('Packages');", 'const at = -1;'],
  }),
  ...bugsIn('functions/rpm/paths.ts', `${reading}#mirrors`, {
    'a snapshot is of the root': ["`${group === '' ? '' : `${group}/`}_snapshot/", '`_snapshot/'],
    'what is below a snapshot is what is current': [
      ' ? { ...path, snapshot: pinned.snapshot } : path;',
      ' ? path : path;',
    ],
  }),
  ...bugsIn('functions/rpm/paths.ts', reading, {
    'a snapshot may have any name': ['at >= 0 && /^[0-9a-f]{64}$/.test(snapshot)', 'at >= 0'],
  }),
  ...bugsIn('functions/rpm/repodata.ts', `${reading}#mirrors`, {
    'no set has a snapshot': ['    hasSnapshots: true,\n', ''],
  }),
  ...bugsIn('functions/rpm/settings.ts', `${reading}#mirrors`, {
    'dnf is told no mirrors': ['isSigned ? [`mirrorlist=', 'false ? [`mirrorlist='],
  }),
  ...bugsIn('functions/rpm/settings.ts', upstream, {
    'the mirrors of a remote repository are asked for': ['isSigned ? [`mirrorlist=', 'true ? [`mirrorlist='],
  }),
  ...bugsIn('functions/rpm/snapshot-cookie.ts', `${reading}#cookie`, {
    'the cookie of a signature lasts': ['const maxAgeSeconds = 60;', 'const maxAgeSeconds = 6_000;'],
    'the cookie of a signature goes everywhere': ["pathname.slice(0, pathname.lastIndexOf('/') + 1)", "'/'"],
    'a cookie leads to any key': ['=([0-9a-f]{64})(?:;|$)`', '=([^;]*)`'],
  }),
  ...bugsIn('functions/rpm/get-rpm-document.ts', `${reading}#cookie`, {
    'the cookie of a signature binds HEAD': ["kind === 'repomd' && !call.isHead ?", "kind === 'repomd' ?"],
    'the cookie of a signature binds again and again': [
      "bound.isByCookie && { 'Set-Cookie': removedSnapshot(call.url) }",
      'bound.isByCookie && {}',
    ],
    'a signature sets no cookie': ["kind === 'signature' && { 'Set-Cookie'", "false && { 'Set-Cookie'"],
  }),
  ...bugsIn('functions/rpm/get-rpm-document.ts', upstream, {
    'a remote repository has a list of mirrors': [
      "if (call.repository.repositoryType === 'remote') throw missing();",
      '',
    ],
  }),
  ...bugsIn('functions/rpm/repodata.ts', reading, {
    'a group has the packages of all': [
      'groupOfVersion(version) === group).map(listedPackage)',
      'true).map(listedPackage)',
    ],
    'a group is known by its packages alone': ['deleted ?? []).some(', 'deleted ?? []).every('],
    'any group is there': ['if (packages.length === 0 && !(await isKnown(group, found))) throw noGroup(group);', ''],
    'updateinfo is lost': ['.filter((file) => !isOfPackages(file))', '.filter(() => false)', upstream],
  }),
  ...bugsIn('functions/rpm/lists.ts', reading, {
    'packages have no order': ['one.name < other.name ? -1 : 1', 'one.name < other.name ? 1 : -1'],
  }),
  ...bugsIn('shared/packages/generations/compressed-lists.ts', reading, {
    'the hash before compression is that behind it': ["openSha256: open.digest('hex')", 'openSha256: sha256Of(bytes)'],
    'the entries of a chunk have no order': ['chunk.toSorted(inOrder)', 'chunk.toReversed()'],
  }),
  ...bugsIn('functions/rpm/rpm-content.ts', publishing, {
    'a first list is of any length': [
      "requireSize('The metadata of the package', texts.primary, primaryBytesMax);",
      '',
    ],
  }),
  ...bugsIn('functions/rpm/upstream.ts', upstream, {
    'a list of any size is combined': ['if (named && why === undefined) return named;', 'if (named) return named;'],
    'a list that is not there has another compression': [
      'named ? whyUnread(named) :',
      'true ? whyUnread(named ?? ({ file: type } as RepodataFile)) :',
    ],
    'what no list names is fetched': ['if (expected) return { url', 'return { url'],
    'a package may have other bytes than its list says': ['sha256.length === 64 ? { sha256 } : {}', '{}'],
    'a list may have other bytes than repomd.xml says': [
      "form: 'any', expected: { [algorithm]: hex } }",
      "form: 'any' }",
    ],
  }),
  ...bugsIn('functions/rpm/upstream-lists.ts', upstream, {
    'packages in ./ of an rpm upstream are not found': ['const path = withoutDots(href);', 'const path = href;'],
    'a list names a path of an rpm upstream as it was sent': ['start + withoutDots(href)', 'start + href'],
  }),
  ...bugsIn('functions/rpm/repodata.ts', 'functions/rotated-keys', {
    'a repomd.xml keeps the signatures of keys that were replaced': [
      'revision: `${found.revision} ${signers()}`',
      'revision: found.revision',
    ],
    'a repomd.xml with the same lists is not signed by other keys': ['alsoNamed: [signers(), ', 'alsoNamed: ['],
  }),
  ...bugsIn('shared/packages/generations/document-sets.ts', '~shared/packages/document-sets', {
    'the snapshots of earlier sets stay for ever': ['snapshot === undefined ? files : [...files, snapshot]', 'files'],
    'the files of an earlier set are gone': [
      'if (at > expiredAt || files.length > room) return false;',
      'if (files.length > room) return false;',
    ],
  }),
];
