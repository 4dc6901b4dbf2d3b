import { bugsIn, type Mutant } from './mutant.ts';

const reading = 'functions/conan/get-conan-document';
const upstream = 'functions/conan/get-conan-document-from-upstream';
const searching = 'functions/conan/get-conan-search';
const publishing = 'functions/conan/publish-conan-file';
const deleting = 'functions/conan/delete-conan-content';

/** Bugs in the package type for Conan. */
export const conanMutants: readonly Mutant[] = [
  ...bugsIn('functions/conan/versions.ts', '~functions/conan/versions', {
    'zeros at the end count': ['items.slice(0, items.findLastIndex((item) => item !== 0n) + 1)', 'items'],
    'a pre-release comes after its release': [
      'order(one.pre === undefined, other.pre === undefined)',
      'order(other.pre === undefined, one.pre === undefined)',
    ],
    'numbers are compared as texts': ['typeof one === typeof other ? order(one, other)', 'false ? 0'],
    'a build makes no difference': ['|| compareBuilds(parts, others)', ''],
  }),
  ...bugsIn('functions/conan/patterns.ts', '~functions/conan/patterns', {
    'a set is never of all others': ['!== isNegated', ''],
    'a pattern takes what only begins with it': [
      "return tokens.slice(token).every((each) => each === 'any text');",
      'return true;',
    ],
    'nothing is taken as far as a part': ['beginningsOf(folded(recipe)).some', '[folded(recipe)].some'],
  }),
  ...bugsIn('functions/conan/manifest.ts', '~functions/conan/manifest', {
    'exported files need no archive': ['export: others.length > 0', 'export: false'],
    'a manifest is any text': ['!/^\\d{1,15}$/.test(time)', 'false'],
  }),
  ...bugsIn('functions/conan/index-entries.ts', publishing, {
    'a recipe is shown without its sources': ["(!needs.sources || hasArchive('sources'))", 'true'],
    'a recipe is shown without what it exports': ["(!needs.export || hasArchive('export')) &&", ''],
    'a recipe is shown without its conanfile.py': ["files.includes('conanfile.py') &&", ''],
    'a binary is shown without its archive': ["&& hasArchive('package')", ''],
    'a binary is shown without its conaninfo.txt': ['files.includes(infoFile) &&', ''],
    'a revision is shown without its manifest': ['if (!needs) return false;', 'if (!needs) return !isPackage;'],
    'a revision may have two archives of a kind': ['  refuseSecondArchive(before, file);', ''],
    'the oldest revision is the latest': [
      'one.completedAt > other.completedAt ? -1 : 1',
      'one.completedAt > other.completedAt ? 1 : -1',
      reading,
    ],
    'binaries are among the revisions of their recipe': ["!revision.includes(':')", 'true'],
    'the oldest conaninfo.txt is shown, and binaries twice': [
      'completeOnes(entries, `${versionOf(reference)}:`)',
      'completeOnes(entries, `${versionOf(reference)}`)',
      reading,
    ],
    'a search finds what is not complete': [
      '&& revisionIn(parts).completedAt !== undefined,\n  );\n  return [...new Set',
      ',\n  );\n  return [...new Set',
    ],
  }),
  ...bugsIn('functions/conan/references.ts', 'functions/conan/ruled-revisions', {
    'a verdict on a version spares it with a user and a channel': [
      ' || (!/[@#]/.test(version) && other.startsWith(`${version}@`))',
      '',
    ],
    'a verdict on a version without a user is one with any': [".replace(/@$/, '@_/_')", ".replace(/@(?:_\\/_)?$/, '')"],
    'a verdict on a version without a user is on none': ["version.replace(/@_\\/_$/, '')", 'version'],
  }),
  ...bugsIn('functions/conan/publication.ts', publishing, {
    'a binary needs no recipe': ['packageId === undefined || (await', 'true || (await'],
    'everybody may replace files': ['if (!mayReplace(call) && !(isLive(file)', 'if (false && !(isLive(file)'],
    'nobody may replace files': ["reaches(caller.level, 'canManage')", 'false'],
    'an upload that was broken off cannot be repeated with other bytes': [
      '!(await isRevisionComplete(call.table, target, reference))',
      'false',
    ],
    'a complete revision gets more files': ['if (isLate(before, added.file)', 'if (false'],
    'a revision gets no files beside those that its manifest names': ['completedAt !== undefined && !files', '!files'],
    'a complete revision gets no metadata': [' && !file.startsWith(metadataFolder)', ''],
    'the same bytes are refused': ['if (isLive(file) && file.blob.sha256 === received.hashes.sha256)', 'if (false)'],
  }),
  ...bugsIn('functions/conan/received-files.ts', publishing, {
    'nobody compares the SHA-1': ['announced === undefined || hashes.sha1', 'true || hashes.sha1'],
    'the case of a SHA-1 matters': ['announced.toLowerCase()', 'announced'],
  }),
  ...bugsIn('functions/conan/get-conan-document.ts', reading, {
    'files come from a child whose revision is not complete': [
      'all: checked.filter(({ isHolder }) => isHolder)',
      'all: checked',
    ],
  }),
  ...bugsIn('functions/conan/get-conan-document.ts#sourcesWithRevision', upstream, {
    'an upstream has the files of a name that is held': ['answeringSources(sources, name, loaded)', 'sources.all'],
  }),
  ...bugsIn('functions/conan/questions.ts', reading, {
    'the last child says which revision is the latest': [
      '([answer]: readonly [A, ...A[]]): A => answer',
      '(all: readonly [A, ...A[]]): A => all.at(-1) as A',
    ],
    'the revisions of the last child come first': [
      'for (const each of answers.flat())',
      'for (const each of answers.toReversed().flat())',
    ],
    'only the first child has binaries': ['answers.toReversed().flatMap', 'answers.slice(0, 1).flatMap'],
    'binaries are those of no revision': [
      'if (path.reference.recipeRevision !== undefined) return path;',
      'return path;',
    ],
    'lists have each conaninfo.txt': ['listsOnly ? idsOf : contentsOf', 'contentsOf'],
  }),
  ...bugsIn('functions/conan/recipes.ts', searching, {
    'recipes have the order of texts': ['compareVersions(one.version, other.version) ||', ''],
    'a search of one package finds all of its recipes': ['recipes.filter(wanted.takes)', 'recipes'],
  }),
  ...bugsIn('functions/conan/delete-conan-content.ts', deleting, {
    'another version goes with a recipe': ['each.startsWith(`${version}#`)', 'each.startsWith(version)'],
    'binaries stay without their recipe': ['reference.packageId === undefined && each', 'false && each'],
    'the recipe goes with its binaries': [
      "if (wanted === 'packages') return (each) => each.startsWith(`${version}:`);",
      "if (wanted === 'packages') return (each) => each.startsWith(version);",
    ],
  }),
  ...bugsIn('functions/packages/delete-package-version.ts', deleting, {
    'binaries stay without the version that is their recipe': ['|| each.startsWith(version + mark)', '|| false'],
  }),
  ...bugsIn('functions/conan/upstream.ts', upstream, {
    'a file of an upstream reaches elsewhere': ['Object.keys(files).filter(isFilePath)', 'Object.keys(files)'],
    'a revision is any text': ['!isRevision(revision) ||', ''],
    'the page of a portal is an archive': ["file.endsWith('.tgz') ? 'gzip' : 'any'", "'any'"],
  }),
  ...bugsIn('functions/conan/get-conan-token.ts', 'functions/conan/get-conan-token', {
    'a token is exchanged for another one': [
      "if (credential?.kind === 'token') return plainAnswer(credential.token);",
      '',
    ],
    'the token for a password lasts for a year': ['days: 1 ', 'days: 365 '],
  }),
  ...bugsIn('shared/upstream/login-tokens.ts', upstream, {
    'nobody logs in again': ['message.statusCode !== 401 || isNew', 'true'],
    'a page is a token': ['/^[!-~]{1,10000}$/.test(text)', "text !== ''"],
    'each request logs in': ['if (this.known) return this.known;', ''],
  }),
];
