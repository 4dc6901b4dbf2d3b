import { bugsIn, type Mutant } from './mutant.ts';

const reading = 'functions/composer/get-composer-document';
const upstream = 'functions/composer/get-composer-document-from-upstream';
const publishing = 'functions/composer/publish-composer-package';

/** Bugs in the package type for Composer. */
export const composerMutants: readonly Mutant[] = [
  ...bugsIn('functions/composer/versions.ts', '~functions/composer/versions', {
    'two dates are one version': ['&& !dated.test(numbers)', ''],
    'a release candidate comes after its release': ["['RC', 3]", "['RC', 6]"],
    'a branch is stable': ["version.startsWith('dev-') || ", ''],
    'build metadata makes no version': ['const plain = withoutBuild(text);', 'const plain = text;'],
  }),
  ...bugsIn('functions/composer/names.ts', '~functions/composer/names', {
    'a name is not found in capitals': ['text.toLowerCase()', 'text'],
  }),
  ...bugsIn('functions/composer/minified.ts', '~functions/composer/minified', {
    'a member that is gone stays': ['.filter(([, value]) => value !== unset)', ''],
    'nobody is told that a member is gone': ['gone.map((name)', '[].map((name)'],
    'a document is expanded that is whole': ['if (!isMinified) return given;', ''],
  }),
  ...bugsIn('functions/composer/rendering.ts', [reading, upstream], {
    'the second repository wins': ['if (!merged.has(each.version)) merged', 'merged'],
    'the oldest version comes first': [
      'compareNormalized(other.normalized, one.normalized)',
      'compareNormalized(one.normalized, other.normalized)',
    ],
    'stable versions are among those of development': ['isDevelopment(version) === isWanted', 'true'],
    'git fetches past the rules': ['isForeign && hidesSources', 'isForeign && false'],
  }),
  ...bugsIn('functions/composer/upstream-documents.ts', upstream, {
    'an upstream is notified': ["'notification-url', ", ''],
    'another file is fetched than the one in the address': ['&& each.dist?.file === file', ''],
    'nobody compares the hash': ['...(/^[0-9a-f]{40}$/.test(sha1) && { expected: { sha1 } }),', ''],
    'a reference reaches elsewhere': ['isNamed ? reference', 'true ? reference'],
    'an upstream lists versions of another package': ['.filter(isOf(name))', ''],
    'a name in capitals is that of another package': ['packageNameOf(own) === name', 'own === name'],
    'an upstream of Composer 1 is asked': ["!metadata?.includes('%package%')", 'metadata === undefined'],
  }),
  ...bugsIn('functions/composer/root.ts', reading, {
    'a virtual repository lists its vendors': ["repository.repositoryType !== 'virtual'", 'true'],
  }),
  ...bugsIn('functions/composer/manifest.ts', publishing, {
    'the request may say another version': ['asked !== undefined && normalize(asked) !== normal', 'false'],
    'a package says where it is': ['...without(fields, ...ofRepositories)', '...fields'],
    'a constraint may be a number': [
      'isEmptyList(value) || (isObject(value) && Object.values(value).every(isText))',
      'isAnyObject(value)',
    ],
  }),
  ...bugsIn('functions/composer/manifest.ts', publishing, {
    'a constraint that Composer cannot read hides all versions': ['&& !isConstraint(value)', '&& false'],
    'what must be developed with a package may be no constraint': ["'require-dev', 'conflict'", "'conflict'"],
    'no package may have the version of another': ["&& value !== 'self.version' ", ''],
    'a member of a member may have any type': ["'archive.name': plain,", ''],
    'an include-path may be a text': ["'include-path': list", "'include-path': texts"],
  }),
  ...bugsIn('functions/composer/constraints.ts', '~functions/composer/constraints', {
    'nothing may be one of several constraints': ['.split(/\\|\\|?/)', '.split(/\\|+/)'],
    'a range may have bounds that are no versions': ['return isVersion(from) && isVersion(to)', 'return true'],
    'a branch may not end with -dev': [
      'isVersion(version) || /^[0-9a-zA-Z-./]+-dev$/.test(version)',
      'isVersion(version)',
    ],
    'blanks of a text editor are blanks': ["/g, '?')", "/g, ' ')"],
    'a commit is no constraint': ["unflagged.replace(/^([^,\\s@#]+\\.x-dev)#.+$/i, '$1')", 'unflagged'],
  }),
  ...bugsIn('functions/composer/archive.ts', publishing, {
    'any of several folders counts': ["others.length > 0 && !found.has('composer.json')", 'false'],
  }),
  ...bugsIn('functions/composer/search.ts', 'functions/composer/get-composer-search', {
    'a search shows addresses of the upstream': [
      "description: textOf(description),\n  url: '',",
      "description: textOf(description),\n  url: 'https://upstream.example',",
    ],
    'a search finds every type': ["(type !== '' && (fields.type ?? 'library') !== type)", 'false'],
  }),
  ...bugsIn('shared/http/tag-dates.ts', reading, {
    'all revisions have one date': ['(number % seconds)', '0'],
  }),
  ...bugsIn('shared/http/etags.ts', reading, {
    'a later date is as good': [
      "header('if-modified-since')?.trim() === lastModified",
      "Date.parse(header('if-modified-since') ?? '') >= Date.parse(lastModified)",
    ],
    'a date counts beside a tag': ['if (tags !== undefined) return', 'if (tags !== undefined && false) return'],
  }),
];
