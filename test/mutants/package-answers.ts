import { bugsIn, type Mutant } from './mutant.ts';

const pairs = 'document-pairs';
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
  ...bugsIn('shared/http/answers/bytes.ts', 'functions/cargo/get-crate-index', {
    'browsers show every text': ["startsWith('text/html')", "startsWith('text/')"],
  }),
  ...bugsIn('shared/packages/answering.ts', 'functions/npm/get-npm-document', {
    'a shared cache may keep documents': ["'private, no-cache'", "'no-cache'"],
    'the cache of a client does not ask again': ["'private, no-cache'", "'private, max-age=60'"],
    'a cache takes one form of a document for another': ["'Accept, Accept-Encoding'", "'Accept-Encoding'"],
    'a cache takes compressed documents for others': ["'Accept, Accept-Encoding'", "'Accept'"],
  }),
  ...bugsIn('shared/packages/answering.ts', eachDocument, {
    'the ETag forgets the media type': ['repository, mediaType, isGzip]', 'repository, isGzip]'],
    'the ETag forgets the compression': ['repository, mediaType, isGzip]', 'repository, mediaType]'],
    'the ETag forgets the address': ['workspace, repository, mediaType, isGzip]', 'mediaType, isGzip]'],
    'what was sent is kept by its revision': ['`${name} ${etag}`', '`${name} ${revision}`'],
  }),
  ...bugsIn('functions/npm/get-npm-document.ts', eachDocument, {
    'all versions of a package share an ETag': ['/version/${versionOrTag}`', '/version`'],
  }),
  ...bugsIn('functions/npm/get-dist-tags.ts', eachDocument, {
    'the dist-tags have the ETag of the packument': ['`${found.revision}/tags`', 'found.revision'],
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
      'JSON.stringify([plugins, [...local.held], ',
      'JSON.stringify([plugins.length, local.held.size, ',
    ],
    'the ETag of a group with an upstream forgets the plugins here': [
      '`${artifact.revision}/${marks}`',
      'artifact.revision',
    ],
  }),
  ...bugsIn('shared/packages/found-indexes.ts', pairs, {
    'the ETag follows the first child alone': ['known.map(({ revision }) => revision).join()', 'known[0]?.revision'],
    'the ETag follows the last child alone': ['known.map(({ revision }) => revision).join()', 'known.at(-1)?.revision'],
    'the ETag counts publications beside the ID of the repository': [
      'revision: `${contentIdOf(source)}:${revision}`,\n    load: async () => ofLocal',
      'revision: `${source.name}:${revision}`,\n    load: async () => ofLocal',
    ],
  }),
  ...bugsIn('shared/packages/sources.ts', pairs, {
    'what may come from upstreams does not change the ETag': [
      'JSON.stringify([allow, block])',
      'JSON.stringify([block])',
    ],
  }),
  ...bugsIn('shared/packages/found-repository-index.ts', pairs, {
    'an index of charts keeps its ETag when its repository is emptied': [
      'revision: `${contentId}:${found',
      'revision: `${source.name}:${found',
    ],
    'an index of charts keeps its ETag when the rules for names change': [
      'query, revisionOfRules(sources))',
      "query, '')",
    ],
  }),
];
