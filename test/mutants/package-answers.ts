import { bugsIn, type Mutant } from './mutant.ts';

const pairs = 'requests/document-pairs';
const eachDocument = `${pairs}#have each its own ETag`;

/** Bugs in what answers about packages let others keep or show, and in what tells one document from another. */
export const packageAnswerMutants: readonly Mutant[] = [
  ...bugsIn('shared/store/downloads.ts', 'functions/universal/get-universal-file', {
    'a URL of the store works for an hour': ['lifetimeSeconds = 300', 'lifetimeSeconds = 3_600'],
    'the store lets browsers show a file': [", 'response-content-disposition': disposition", ''],
  }),
  ...bugsIn('shared/http/answers/redirect.ts', 'functions/universal/get-universal-file', {
    'everybody may keep a redirect to the store': [
      "'', {\n    ...headers,",
      "'', {\n    'Cache-Control': 'max-age=300',\n    ...headers,",
    ],
  }),
  ...bugsIn('shared/openapi/examples.ts', 'shared/openapi/examples', {
    'a missing example names no field': ['exampleOf(field, `${at}/${name}`)', 'exampleOf(field, at)'],
  }),
  ...bugsIn('shared/http/answers/bytes.ts', '~documents/openapi#has content in no answer', {
    'the document promises content of a 204': ['...(status !== 204 && { content }),', 'content,'],
  }),
  ...bugsIn('shared/openapi/responses.ts', '~documents/openapi#has content in no answer', {
    'the document promises content to HEAD': ['[status, headersOnly]', '[status, response]'],
    'the document promises shared content to HEAD': ['sharedResponseIn(response) ?? response', 'response'],
    'the document promises ranges to HEAD': ["status !== '206' && status !== '416'", 'status'],
  }),
  ...bugsIn('shared/http/answers/bytes.ts', 'functions/cargo/get-crate-index', {
    'browsers show every text': ["startsWith('text/html')", "startsWith('text/')"],
  }),
  ...bugsIn('shared/packages/serve/document-answers.ts', 'functions/npm/get-npm-document', {
    'a shared cache may keep documents': ["'private, no-cache'", "'no-cache'"],
    'the cache of a client does not ask again': ["'private, no-cache'", "'private, max-age=60'"],
    'a cache takes one form of a document for another': ["'Accept, Accept-Encoding'", "'Accept-Encoding'"],
    'a cache takes compressed documents for others': ["'Accept, Accept-Encoding'", "'Accept'"],
  }),
  ...bugsIn('shared/packages/serve/document-answers.ts', eachDocument, {
    'the ETag forgets the media type': ['repository, mediaType, isGzip]', 'repository, isGzip]'],
    'the ETag forgets the compression': ['repository, mediaType, isGzip]', 'repository, mediaType]'],
    'the ETag forgets the address': ['workspace, repository, mediaType, isGzip]', 'mediaType, isGzip]'],
    'what was sent is kept by its name': ['string => `${name} ${etag}`', 'string => name'],
  }),
  ...bugsIn('functions/npm/get-npm-document.ts', eachDocument, {
    'all versions of a package share an ETag': ['/version/${versionOrTag}`', '/version`'],
  }),
  ...bugsIn('functions/npm/get-dist-tags.ts', eachDocument, {
    'the dist-tags have the ETag of the packument': ['`${found.revision}/dist-tags`', 'found.revision'],
  }),
  ...bugsIn('functions/pypi/get-pypi-project.ts', eachDocument, {
    'a release has the ETag of its project': [
      'version === undefined ? found.revision : `${found.revision}/version/${version}`',
      'found.revision',
    ],
  }),
  ...bugsIn('functions/maven/get-maven-file.ts', eachDocument, {
    'the checksums of one family share an ETag': ['/${checksum}`', '/${checksum.slice(0, 3)}`'],
  }),
  ...bugsIn('functions/maven/found-metadata.ts', pairs, {
    'SNAPSHOT versions of one major version share an ETag': ['/${version}`', "/${version.split('.')[0]}`"],
    'the ETag of a group counts its plugins': [
      'JSON.stringify(plugins)',
      'JSON.stringify(Array.isArray(plugins) ? plugins.length : 0)',
    ],
    'the ETag of a group with an upstream forgets the plugins here': [
      'revisionOf([plugins, theirs.map((each) => each.plugins)])',
      'revisionOf(theirs.map((each) => each.plugins))',
    ],
  }),
  ...bugsIn('shared/packages/serve/package-indexes.ts', pairs, {
    'the ETag follows the first child alone': ['known.map(({ revision }) => revision).join()', 'known[0]?.revision'],
    'the ETag follows the last child alone': ['known.map(({ revision }) => revision).join()', 'known.at(-1)?.revision'],
    'the ETag counts publications beside the ID of the repository': [
      'revision: `${contentId}:${revision}`, load };',
      'revision: `${source.name}:${revision}`, load };',
    ],
    'an index of charts keeps its ETag when the rules for names change': [
      'query, revisionOfRules(sources))',
      "query, '')",
    ],
  }),
  ...bugsIn('shared/packages/sources/sources.ts', pairs, {
    'what may come from upstreams does not change the ETag': [
      'JSON.stringify([allow, block])',
      'JSON.stringify([block])',
    ],
  }),
  ...bugsIn('shared/packages/serve/repository-index.ts', pairs, {
    'an index of charts keeps its ETag when its repository is emptied': [
      'revision: `${contentId}:${revision}`',
      'revision: `${source.name}:${revision}`',
    ],
  }),
];

const npmDocument = 'functions/npm/get-npm-document';
const mavenUpload = 'functions/maven/publish-maven-file';

/** Bugs in which of several is read: the tag or the highest, the first or the last, the second of two. */
export const packageReadingMutants: readonly Mutant[] = [
  ...bugsIn('functions/npm/get-npm-document.ts', `${npmDocument}#takes latest from its tag`, {
    'latest is the highest release, wherever its tag is': [
      'tagsOf({ tags }, entries)',
      'tagsOf({ tags: {} }, entries)',
    ],
  }),
  ...bugsIn('functions/npm/packument.ts', `${npmDocument}#takes latest from its tag`, {
    'latest without a tag is the last text, releases or not': [
      'latestOf(entries.map(({ version }) => version))',
      'entries.map(({ version }) => version).toSorted().at(-1)',
    ],
  }),
  ...bugsIn('functions/npm/tags.ts#firstIsLatest', 'functions/npm/latest-tag#is the first version without npm', {
    'the first version is not latest under another tag': ["[...tags, 'latest']", 'tags'],
  }),
  ...bugsIn('functions/npm/latest-tag.ts', 'functions/npm/latest-tag#stays where', {
    'latest stays at a version that was deleted meanwhile': ['[versionIsThere(ref, seen)]', '[]'],
  }),
  ...bugsIn('functions/npm/reading.ts', 'functions/npm/latest-tag#of a virtual repository', {
    'a child without a stored latest has none': ['tagsOf({ tags }, entries)', 'tags'],
  }),
  ...bugsIn('functions/npm/get-npm-document.ts', `${npmDocument}#for Accept`, {
    'a client that refuses the abbreviated form gets it': [
      'abbreviated > 0 && abbreviated >= full',
      'abbreviated >= 0 && weights.has(abbreviatedType)',
    ],
  }),
  ...bugsIn('functions/npm/packument.ts', `${npmDocument}#readme and the description`, {
    'the readme is that of the last child': ['head: main?.head', 'head: list.at(-1)?.head'],
  }),
  ...bugsIn('functions/npm/upstream-documents.ts', `${npmDocument}-from-upstream#is what the packument promises by`, {
    'the first of two hashes of an algorithm must fit': ['others.length === 0)', 'others.length < 2)'],
  }),
  ...bugsIn(
    'functions/pypi/get-pypi-document.ts',
    'functions/pypi/get-pypi-document-from-upstream#of many files leads',
    {
      'the links of a page that is sent from elsewhere stay relative': [
        'relativePageBytesMax = 4_500_000',
        'relativePageBytesMax = 45_000_000',
      ],
    },
  ),
  ...bugsIn('functions/pypi/requirements.ts', 'functions/pypi/publish-pypi-file#requirements', {
    'requirements are not looked at': ['find((each) => !isRequirement(each))', 'find((each) => each === undefined)'],
    'versions of Python are not looked at': ['isKnown && !isSpecifierSet', '!isKnown && !isSpecifierSet'],
    'UNKNOWN of old tools is refused': [" && requiresPython !== 'UNKNOWN'", ''],
  }),
  ...bugsIn('functions/pypi/upload-form.ts', 'functions/pypi/publish-pypi-file#requirements', {
    'requirements in the form are not looked at': ["(fields.get('requires_dist') ?? [])", '[]'],
  }),
  ...bugsIn('functions/pypi/requirements.ts', '~functions/pypi/requirements', {
    'a requirement may have no marker behind its semicolon': ["step === 'whole' && depth", "step !== 'left' && depth"],
    'a marker may close more than it opens': ['next === undefined || depth < 0', 'next === undefined'],
    'a marker may leave a parenthesis open': ["step === 'whole' && depth === 0", "step === 'whole'"],
    'any comparison takes a local version': ["(normal.includes('+') && !isEquality)", 'normal.length === 0'],
    'a comparison by ~= takes one number': ["operator !== '~=' ||", "operator !== '' ||"],
    'versions in parentheses are refused': ["text.startsWith('(') &&", "text.startsWith('((') &&"],
    'a comma at the end of versions is refused': ['parts.slice(0, -1).every(isSpecifier)', 'parts.every(isSpecifier)'],
    'extras may have any name': ['!partsOf(listed).every(isIdentifier)', 'false'],
  }),
  ...bugsIn('functions/pypi/core-metadata.ts', 'functions/pypi/get-pypi-document#goes on in the next lines', {
    'only the first folded line of METADATA is unfolded': [
      "replaceAll(/\\r?\\n[ \\t]+/g, ' ')",
      "replace(/\\r?\\n[ \\t]+/, ' ')",
    ],
  }),
  ...bugsIn('functions/maven/metadata.ts', 'functions/maven/metadata', {
    'builds of one second are compared as texts': ["padStart(20, '0')", "padEnd(20, '0')"],
    'of equally new files of a SNAPSHOT the last child wins': [
      'Array.from(Map.groupBy(all, fileOf)',
      'Array.from(Map.groupBy(all.toReversed(), fileOf)',
    ],
  }),
  ...bugsIn(
    'functions/maven/found-metadata.ts',
    'functions/maven/get-maven-file-from-upstream#if the name is allowed',
    {
      'a plugin is allowed by its artifact alone': ['isAllowed(packageName(group, id), ', 'isAllowed(id, '],
    },
  ),
  ...bugsIn('functions/maven/plugins.ts', 'functions/maven/get-maven-file-from-upstream#blocked', {
    'an artifact of Maven is blocked with the group of its name': [
      '!isArtifact && group !== undefined',
      'group !== undefined',
    ],
    'a group of two segments is an artifact': [
      "name !== undefined && idsOf(name).groupId.includes('.')",
      'name !== undefined',
    ],
  }),
  ...bugsIn('functions/maven/found-metadata.ts', 'functions/maven/get-maven-file-from-upstream#blocked', {
    'plugins that are blocked are shown': [
      '!held.has(id) && !isBlocked(packageName(group, id), upstreamNames)',
      '!held.has(id)',
    ],
  }),
  ...bugsIn('functions/maven/checksums.ts', `${mavenUpload}#409 VERSION_EXISTS for a checksum`, {
    'a wrong MD5 is accepted': ['known !== undefined && known', "checksum !== 'md5' && known !== undefined && known"],
  }),
  ...bugsIn('functions/maven/type.ts', `${mavenUpload}#in one form`, {
    'all files of a SNAPSHOT may be replaced': [
      'files.every((file) => isReplaceable(name, version, file.name))',
      "files.length > 0 && name !== '' && version.endsWith('-SNAPSHOT')",
    ],
  }),
  ...bugsIn('functions/maven/format.ts', 'functions/packages/publish-upload-in-parts#of Maven has all checksums', {
    'of what is sent in parts, only small files are hashed': [
      'file.received.size > readBytesMax',
      'file.received.size > 10',
    ],
  }),
  ...bugsIn('functions/docker/get-image-content.ts', 'functions/docker/bounded-lists#150,000', {
    'a client gets ten times the tags': ['tagsMax = 1_000', 'tagsMax = 10_000'],
  }),
  ...bugsIn('functions/docker/error-shape.ts', 'functions/docker/get-image-content#has the code of the specification', {
    'a missing blob is a missing manifest': ["FILE_NOT_FOUND: 'BLOB_UNKNOWN'", "FILE_NOT_FOUND: 'MANIFEST_UNKNOWN'"],
    'a missing upload has no code of its own': ["  UPLOAD_NOT_FOUND: 'BLOB_UPLOAD_UNKNOWN',\n", ''],
    'a failure of an upstream is a request that is not supported': [
      "status >= 500 ? 'UNAVAILABLE' : 'UNSUPPORTED'",
      "'UNSUPPORTED'",
      'functions/docker/get-image-content-from-upstream#tells of failures',
    ],
  }),
  ...bugsIn('shared/packages/changes/target-changes.ts', 'functions/packages/delete-package#comes from an upstream', {
    'who changes what an upstream has is told to send it to the remote repository': [
      'const locals = holders.filter(isLocal);',
      'const locals = holders;',
    ],
  }),
];
