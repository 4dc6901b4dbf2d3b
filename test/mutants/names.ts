import { bugsIn, type Mutant } from './mutant.ts';

const pypi = 'functions/pypi/get-pypi-document-from-upstream#blocks';
const helm = 'functions/helm/get-helm-document-from-upstream#no more once';

/** Bugs that let a name mean one thing in a rule and another one elsewhere. */
export const nameMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/sources/name-rules.ts', 'functions/name-spellings', {
    'a stored rule is compared as it was written': ['block: block.map(normal)', 'block'],
    'the beginning of names is spelled like a whole one': ['`${normalize(beginning)}*`', 'entry'],
    'an entry that no name has is accepted': ['? isName(entry)', '? isName(entry) || true'],
    'a beginning that no name has is accepted': ['isName(beginning + ending)', 'isName(ending) || true'],
    'only whole names are beginnings': ["['', 'a', '/a', '.a', ':a', 'a/a', 'a.a', 'a:a']", "['']"],
  }),
  ...bugsIn('functions/docker/type.ts', 'functions/name-spellings', {
    'an image of the hub is no image of library': [
      "if (!name.includes('/')) return [ofHub + name];",
      "if (!name.includes('/')) return [];",
    ],
    'an image of library is no image of the hub': ['[name.slice(ofHub.length)] : []', '[] : []'],
  }),
  ...bugsIn('functions/repositories/virtual-changes.ts', 'functions/repositories/update-repository#names', {
    'a rule for no name is stored': ['if (!canMatch(spelling, entry))', 'if (entry === undefined)'],
    'a rule is stored as it was written': ['return [...new Set(normal)];', 'return entries;'],
  }),
  ...bugsIn('functions/repositories/virtual-changes.ts', 'functions/repositories/virtual-children', {
    'a change may lead back to its repository': ['? [cycle] : sizeViolations', '? [] : sizeViolations'],
  }),
  ...bugsIn('functions/pypi/root-page.ts', pypi, {
    'the list of projects shows what is blocked': ['shown.filter((name) => !isBlocked(name, upstreamNames))', 'shown'],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', pypi, {
    'rules for names of other cases are asked upstream': [
      'upstreamNames: normalRules(type.spelling, sources.upstreamNames)',
      'upstreamNames: { ...sources.upstreamNames, block: [] }',
    ],
  }),
  ...bugsIn('shared/packages/serve/package-indexes.ts', helm, {
    'who has the index of a repository keeps what is blocked': [', revisionOfRules(sources))', ", '')"],
  }),
  ...bugsIn('shared/packages/serve/repository-index.ts', helm, {
    'a single upstream has no rules': ['sources.upstreamNames.block.length === 0', 'true'],
  }),
  ...bugsIn('functions/workspaces/comments.ts', 'functions/workspaces/create-workspace', {
    'comment is passed over': ['comments === undefined ? comment : comments', 'comments'],
    'two names of the comments are accepted': ["typeof comments !== 'string' || typeof comment !== 'string'", 'true'],
  }),
  ...bugsIn('functions/packages/holders.ts', 'functions/packages/spelled-names', {
    'a package is found by one spelling of its name': ['.spelling.normalize(text)', '.name && text'],
  }),
  ...bugsIn('functions/packages/list-packages.ts', 'functions/packages/spelled-names', {
    'a search knows one spelling': ['.spelling.normalize(query.search)', '.name && query.search'],
  }),
  ...bugsIn('functions/packages/list-packages.ts', 'scale/deleted-entries', {
    'what is still to be left out is forgotten': ['unskipped > 0 ?', 'unskipped > 9_999 ?'],
  }),
  ...bugsIn('shared/http/endpoint.ts', 'functions/packages/list-package-versions', {
    'a cursor leads into another package': ['params.user ?? params.package', 'params.user'],
  }),
  ...bugsIn('shared/table/merged-lists.ts', 'scale/deleted-entries', {
    'a page looks at all that was ever deleted': [' && examined < page.reach', ''],
    'deleted entries are read as few at a time as the page has': ['examined === 0 ?', 'examined >= 0 ?'],
  }),
  ...bugsIn('shared/packages/changes/deletion.ts', ['scale/deleted-entries', 'functions/packages/delete-package'], {
    'a deletion reads again what it has deleted': ['if (isBeforeAll) deletedUpTo = position;', ''],
    'an interrupted deletion says nothing of its part': ['parts > 0 ? interrupted(error) : error', 'error'],
  }),
  ...bugsIn('shared/packages/changes/deletion.ts', 'functions/npm/delete-npm-package', {
    'a deletion takes what came between its parts': [
      '!isMeant(found.head.revision - parts)',
      'parts === 0 && !isMeant(found.head.revision)',
    ],
  }),
  ...bugsIn('functions/npm/delete-npm-package.ts', 'functions/npm/delete-npm-package', {
    'npm deletes a package as it has not read it': ['`${ref.contentId}:${revision}` === path.revision', 'revision > 0'],
  }),
  ...bugsIn('functions/npm/get-npm-document.ts', 'functions/npm/delete-npm-package', {
    'a packument outlives the upload target': ['[found.revision, own, ', '[found.revision, '],
  }),
  ...bugsIn('shared/http/input.ts', 'functions/nuget/get-nuget-search', {
    'reads of packages refuse what their clients add': ['!field && contract.ignoresOtherQuery', '!field && false'],
  }),
  ...bugsIn('infra/api/built-contracts.ts', 'functions/system/get-health', {
    'management ignores misspelled parameters': ["type && contract.method === 'GET' ?", "contract.method === 'GET' ?"],
  }),
  ...bugsIn('shared/packages/nupkg-feed/queries.ts', 'functions/chocolatey/sent-by-clients', {
    'a filter is named once': ["sent.trim().replace(/^\\$filter=/, '')", 'sent.trim()'],
  }),
  ...bugsIn('shared/packages/nupkg-protocol/search-query.ts', 'functions/nuget/get-nuget-search', {
    'an owner has all packages': ['unindexed.test(word) || ', ''],
    'the last page comes again and again': ['isTooFar ? 0 :', 'false ? 0 :'],
  }),
  ...bugsIn('functions/npm/search.ts', 'functions/npm/search', {
    'a keyword is in all packages': ['unindexed.test(word) || ', ''],
  }),
  ...bugsIn('functions/docker/delete-image-content.ts', 'functions/docker/delete-image-content', {
    'nobody says where a tag is': [
      'await changeInTarget(call, { target, name: image }, async () => removeTag(table, target, ref, tag));',
      'await removeTag(table, target, ref, tag);',
    ],
  }),
];
