import { bugsIn, type Mutant } from './mutant.ts';

const reading = 'functions/gems/get-gems-document';
const upstream = 'functions/gems/get-gems-document-from-upstream';
const grown = 'functions/gems/grown-versions';
const publishing = 'functions/gems/publish-gem';
const signingIn = 'functions/gems/create-gem-key';
const yanking = 'functions/gems/delete-gem-version';

/** Bugs in the package type for gems, and in the documents that clients hash. */
export const gemsMutants: readonly Mutant[] = [
  ...bugsIn('functions/gems/versions.ts', ['~functions/gems/versions', publishing], {
    'a prerelease is newer than its release': ['return isNumber(one) ? 1 : -1;', 'return isNumber(one) ? -1 : 1;'],
    'numbers are compared as texts': ['compareNumbers(one, other)', 'compareTexts(one, other)'],
    'zeros at the end make a version': ["segments.findLastIndex((segment) => segment !== '0') + 1", 'segments.length'],
    'zeros before a word count': ['if (firstWord < 0) return', 'if (firstWord < 99) return'],
  }),
  ...bugsIn('functions/gems/contracts.ts', 'functions/gems/create-gem-key#for one with limits', {
    'gem may not sign in with a token that may only read': [
      "// Who sends a token gets it back, and no other one.\n  limitedTokens: 'themselves',",
      '',
    ],
  }),
  ...bugsIn('functions/gems/gem-key.ts', signingIn, {
    'the key for a password has the password': ['credential.token : undefined', 'credential.token : authorization[0]'],
  }),
  ...bugsIn('functions/gems/create-gem-key.ts', signingIn, {
    'a token is exchanged for a key without limits': ['sentToken(call) ??', ''],
    'the key for a password lasts for years': ['days: 90', 'days: 9000'],
  }),
  ...bugsIn('functions/gems/get-gem-key.ts', 'functions/gems/get-gem-key', {
    'a key is no key': ['if (token === undefined)', 'if (false)'],
  }),
  ...bugsIn('shared/http/login-token.ts', 'functions/conan/get-conan-token', {
    'an expired token of a login stays': ['    expiresAt: Math.ceil(until / 1000),\n', ''],
  }),
  ...bugsIn('shared/http/login-token.ts', signingIn, {
    'the token of a login is not named after it': ['name: `${name} ', 'name: `login '],
    'the token of a login never expires': ['new Date(until).toISOString()', 'null'],
  }),
  ...bugsIn('functions/gems/names.ts', publishing, {
    'twins are two gems': [".toLowerCase().replaceAll('_', '-')", ''],
    'a name begins with a hyphen': ['/^[._-]/.test(name)', 'false'],
    'a name is a number': ['/[A-Za-z]/.test(name) ?', 'true ?'],
  }),
  ...bugsIn('functions/gems/gemspec.ts', ['functions/gems/gemspec', publishing], {
    'the file of a gem is that of another one': ['read.name === name', 'true'],
    'an operator may be anything': [
      "typeof operator !== 'string' || !operators.has(operator)",
      "typeof operator !== 'string'",
    ],
    'an alias repeats a list without end': ['if (value.length > max)', 'if (value.length < 0)'],
    'a gem is for every platform': ['platform: platformIn(value.platform),', 'platform: undefined,'],
    'each dependency is one at runtime': ["type === ':development' ? 'development' : 'runtime'", "'runtime'"],
  }),
  ...bugsIn('functions/gems/full-names.ts', `${publishing}#number behind a hyphen`, {
    'a number in the name of a gem is its version': ['/-\\d/.test(platform) && ', 'false && '],
  }),
  ...bugsIn('functions/gems/platforms.ts', '~functions/gems/gemspec', {
    'the version of a system is that of a gem': ["systemOf(system).os !== 'unknown'", 'false'],
  }),
  ...bugsIn('functions/gems/archive.ts', publishing, {
    'metadata inflate to any size': ['{ maxOutputLength: metadataBytesMax }', '{}'],
    'a gem has no data': ["|| !found.has('data.tar.gz')", ''],
  }),
  ...bugsIn('functions/gems/info-lines.ts', [reading, upstream], {
    'development needs what nobody needs': ["type === 'runtime'", 'true', 'functions/gems/gemspec'],
    'the newest version comes first': ['compareVersions(oldest, newest)', 'compareVersions(newest, oldest)'],
    'the second repository wins': ['if (!lines.has(line.key)) lines', 'lines'],
    'any Ruby is told': ["text === '>= 0' || text === ''", 'false', 'functions/gems/gemspec'],
  }),
  ...bugsIn('functions/gems/versions-list.ts', [reading, upstream], {
    'the list is written anew each time': [
      'if (before === undefined) return whole(gems);',
      'if (before !== null) return whole(gems);',
    ],
    'a gem of an upstream has the hash of an empty one, too': ['lines.length > 0 || upstream.length === 0', 'true'],
    'nobody is told that a version is gone': ['...removed.map((version) => `-${version}`)', ''],
    'nobody is told that a gem is gone': ['!names.has(name) && versions.length > 0', 'false'],
    'a version of before stays': [
      "if (change.startsWith('-')) gem.versions.delete(change.slice(1));\n      else if",
      'if',
    ],
    'the first hash of a gem stays': ['    gem.md5 = md5;\n', ''],
    'a change of the hash alone is not told': [
      'changes.length === 0 && before?.md5 === now.md5',
      'changes.length === 0',
      '~functions/gems/versions-list',
    ],
    'the list never begins anew': [
      'grown.length > 2 * needed.length + historyBytesMax',
      'false',
      '~functions/gems/versions-list',
    ],
  }),
  ...bugsIn('functions/gems/specs.ts', [reading, '~functions/gems/specs'], {
    'prereleases are among releases': ['isPrerelease(version) === isWanted', '(isWanted || version.length > 0)'],
    'the newest is the oldest': [
      'compareInSegments(known.segments, segments) < 0',
      'compareInSegments(known.segments, segments) > 0',
    ],
    'a version is the newest of all platforms': [
      'found.set(platform, {',
      "found.set('ruby', {",
      '~functions/gems/specs',
    ],
  }),
  ...bugsIn('functions/gems/marshal.ts', '~functions/gems/specs', {
    'the last part of a long list is lost': ['  yield bytesOf(part);\n}', '}'],
    'a part of a long list is there twice': ["    part = '';\n", ''],
    'a text has a byte for each of its characters': [
      'Buffer.byteLength(value) === value.length ? value : charactersOf(Buffer.from(value))',
      'value',
    ],
  }),
  ...bugsIn('functions/gems/compact-index.ts', upstream, {
    'a page is a document': ["!document.includes('\\n---\\n')", 'false'],
    'a document may be cut': ['if (document.at(-1) !== 0x0a)', 'if (false)'],
  }),
  ...bugsIn('functions/gems/upstream-versions.ts', grown, {
    'a list is never asked for in parts': ['if (!packed) return', 'if (packed || !packed) return'],
    'a list is asked for behind its last byte': ['bytes=${before.length - 1}-', 'bytes=${before.length}-'],
    'a part may be of a compressed form': ["content: 'file', range", 'range'],
    'a part is taken for the whole': ['|| answer.response.context.status !== 206', '|| true'],
    'a part is taken without proof': ['sha256 === promisedSha256(answer) ? grown : undefined', 'grown'],
    'the proof of before is not read': [
      "/\\bsha-256=([A-Za-z0-9+/]{43}=)/i.exec(headers.digest ?? '')?.[1]",
      'undefined',
    ],
    'the proof is not read': [
      "/\\bsha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers['repr-digest'] ?? '')?.[1]",
      'undefined',
    ],
    'a list that became shorter is a failure': ['error.status === 416', 'error.status === 417'],
    'any failure leads to a second question': ['!(error instanceof UpstreamError && error.status === 416)', 'false'],
    'the whole is asked for by the ETag of before': ['{ ...question, copy: undefined }', 'question'],
    'a line of a gem that is known counts nothing': [
      'others.set(name, [...(before',
      'if (!before) others.set(name, [...(before',
    ],
    'later lines of a gem count alone': ["...(before ? [`${name} ${before.join(' ')}`] : []), ", ''],
    'lines of a gem count in another order': ['&& !others.has(name)) gems', ') gems'],
    'gems without versions are listed': ["versions !== '' && ", ''],
    'gems have any name': [' && isGemName(name)', ''],
  }),
  ...bugsIn('functions/gems/upstream-documents.ts', upstream, {
    'nobody compares the hash': ['...(sha256 !== undefined && { expected: { sha256 } })', ''],
    'a version that info lacks is fetched': ['if (!line) return undefined;', ''],
  }),
  ...bugsIn('functions/gems/get-gems-document.ts', reading, {
    'a twin is answered': ['name === gem ?', 'name !== undefined ?'],
    'who asks for the owners of a gem learns nothing of levels': [
      "path.endsWith('/owners.yaml')",
      'false',
      'functions/gems/get-gems-document#the owners of a gem',
    ],
  }),
  ...bugsIn('functions/gems/delete-gem-version.ts', yanking, {
    'every platform is yanked as ruby': ["platform && platform !== 'ruby' ? platform : undefined", 'undefined'],
  }),
  ...bugsIn('functions/gems/type.ts', publishing, {
    'gem prints JSON': ["userAgent.includes('RubyGems/')", 'false'],
    'a second spelling is published': ['firstSpellingWins: true', 'firstSpellingWins: false'],
  }),
  ...bugsIn('functions/gems/gemspec-dump.ts', 'functions/gems/gemspec', {
    'a gemspec is compressed': ['{ level: 0 }', '{ level: 6 }'],
    'a gemspec has no dependencies': ['list(spec.dependencies.map(dependency))', 'list([])'],
  }),
  ...bugsIn('shared/packages/generations/generations.ts', reading, {
    'a generation is never old': ['before.revision === revision || number > seen + 1', 'true'],
    'each read makes a generation': ['before.revision === revision ||', '', '~shared/packages/generations'],
    'who lost makes it again': ['|| number > seen + 1', '', '~shared/packages/generations'],
    'who lost once takes what is there': ['number > seen + 1', 'number > seen', '~shared/packages/generations'],
    'generations have no numbers': ['isStep ? number : number + 1', 'number', '~shared/packages/generations'],
    'the generation before is forgotten': ['await make(kept)', 'await make(undefined)'],
    'a document with the bytes that were lost is another one': [
      'next.objectId === before?.blob.objectId ?',
      'kept?.equals(content) ?',
      'faults/lost-generations',
    ],
    'a generation that was replaced is never swept': ['...releasedBefore(before)', '', '~shared/packages/generations'],
    'a repository that was emptied gets a generation': [
      'sameContent(repository),\n      ',
      '',
      '~shared/packages/generations',
    ],
  }),
  ...bugsIn('shared/packages/generations/document-sets.ts', 'functions/debian/get-debian-document', {
    'more files than a transaction takes are in one': ['if (fresh.size > addedMax)', 'if (false)'],
    'files that wait are forgotten': ['  ...inGroups(new Date().toISOString(), waiting),\n', ''],
    'what no set names any more stays for ever': [
      'const kept = retired.filter((each) => !gone.includes(each));',
      'const kept: typeof retired = [];',
      '~shared/packages/document-sets',
    ],
    'a set that is the same is signed anew': ['if (bytes && isSame)', 'if (false)'],
    'files of a set that was lost are counted twice': [
      'if (old?.objectId === blob.objectId) return [];',
      '',
      'faults/lost-generations',
    ],
    'nobody looks for files of a set that was lost': ['isLost: !bytes', 'isLost: false', 'faults/lost-generations'],
  }),
  ...bugsIn('functions/gems/gem-key.ts', 'functions/gems/create-gem-key', {
    'who signs in keeps the whole header': ["credential?.kind === 'token' ? credential.token : ", ''],
    'any repository has keys for gem': ['requireType(repository, gems);', ''],
  }),
  ...bugsIn('shared/packages/generations/hashed-documents.ts', reading, {
    'the ETag is another hash': ["hash('md5', content)", "hash('sha1', content)"],
    'a range beyond the end is refused': [", beyondEnd: 'all bytes'", ''],
  }),
  ...bugsIn('shared/auth/authorization-header.ts', publishing, {
    'the key of gem is no credential': ["if (!value.includes(' ')) return tokenCredential(value);", ''],
  }),
  ...bugsIn('shared/table/repositories/repositories.ts', 'shared/packages/generations', {
    'a virtual repository leaves its generations': [', leaveContent(contentIdOf(repository), workspaceId)]', ']'],
    'a key that is taken passes for a child that is gone': [
      "refused.some((each) => each) ? 'children' : 'key taken'",
      "'children'",
      '~shared/table/stale-records',
    ],
  }),
];
