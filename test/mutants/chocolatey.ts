import { bugsIn, type Mutant } from './mutant.ts';

const document = 'functions/chocolatey/get-chocolatey-document';
const search = 'functions/chocolatey/get-chocolatey-document-search';
const upstream = 'functions/chocolatey/get-chocolatey-document-from-upstream';
const filters = '~functions/chocolatey/filters';

export const chocolateyMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/nupkg-feed/filters.ts', filters, {
    'case counts in the texts of filters': [`.replaceAll("''", "'").toLowerCase()`, `.replaceAll("''", "'")`],
    'quotes in texts stay doubled': [`.replaceAll("''", "'").toLowerCase()`, '.toLowerCase()'],
    'and binds as weakly as or': ["joined(tokens, 'or', allOf)", "joined(tokens, 'or', operand)"],
    'what is compared with false is true': ["=== 'true' ? filter : {", "!== 'nothing' ? filter : {"],
    'what follows a filter is ignored': ['if (!tokens.isNext(undefined))', 'if (false)'],
    'parentheses may be as deep as a client likes': ['this.#depth > depthMax', 'this.#depth > 10_000'],
  }),
  ...bugsIn('shared/packages/nupkg-feed/matching.ts', filters, {
    'versions are compared as texts': ['isVersion ? [parseVersion(one), parseVersion(other)] : []', '[]'],
    'what is not known decides against a package': [
      'if (value === undefined) return undefined;',
      'if (value === undefined) return false;',
    ],
    'nothing contains every text': ['value !== null && passes', 'value === null || passes'],
    'one of two alternatives names all packages': ['lists.every((names) => names', 'lists.some((names) => names'],
  }),
  ...bugsIn('shared/packages/nupkg-feed/rows.ts', document, {
    'a version that is not listed is the latest': [
      '({ listed, parsed }) => listed && !isPrerelease(parsed)',
      '({ parsed }) => !isPrerelease(parsed)',
    ],
    'a prerelease is the latest version': ['listed && !isPrerelease(parsed)', 'listed && parsed'],
    'clients get versions that they cannot read': ['hasSemVer2 || !isSemVer2(parsed)', 'true'],
    'every order is that of the lowest version first': ['isDescending ? rows.toReversed() : rows', 'rows'],
    'a tag stands without blanks around it': ["` ${tags.join(' ')} `", "tags.join(' ')", search],
  }),
  ...bugsIn('shared/packages/nupkg-feed/entries.ts', document, {
    'a version that is not listed says when it was published': ['listed ? published : unlistedTime', 'published'],
    'the hash of a package is in hex': ["Buffer.from(sha512, 'hex').toString('base64')", 'sha512'],
    'a framework without dependencies is left out': ['[`::${targetFramework}`]', '[]'],
    'files are at the address of the upstream': ['src: urlOf(', 'src: entry.content ?? urlOf(', upstream],
    'an unknown time is that of a version that is not listed': [
      "unknownTime = '1970-01-01T00:00:00Z'",
      "unknownTime = '1900-01-01T00:00:00Z'",
      upstream,
    ],
  }),
  ...bugsIn('shared/packages/nupkg-feed/pages.ts', search, {
    'a page ends with the packages that fill it at best': [
      '(rows.length > last && !query.hasCount)',
      '(read >= last && !query.hasCount)',
    ],
    'searches show what is not listed': [
      'isSearch ? shownEntries(entries, search) : entries',
      'entries',
      'functions/chocolatey/remove-chocolatey-listing',
    ],
    'packages are read that a filter leaves out': ['matches(filter, { Id: name }) !== false', 'true'],
  }),
  ...bugsIn('shared/packages/nupkg-feed/reading.ts', document, {
    'the last page links another one': [
      'rowCount <= skip + size || top === size',
      'rowCount < skip + size || top === size',
    ],
    'a page that has all that is wanted links another one': [
      'rowCount <= skip + size || top === size',
      'rowCount <= skip + size',
    ],
    'what was answered once answers every query': [
      'revision: `${found.revision}/${withQuery(call.url, call.query)}`',
      'revision: found.revision',
    ],
  }),
  ...bugsIn('shared/packages/nupkg-feed/paths.ts', document, {
    'each path of a collection is its versions': ["second === undefined || second === '$count'", 'true'],
  }),
  ...bugsIn('shared/packages/formats/xml.ts', document, {
    'an empty element has two tags': ["elements.length === 0 && text === ''", 'false'],
    'texts of upstreams break a document': ["text.replaceAll(forbidden, '')", 'text', upstream],
  }),
];
