import { bugsIn, type Mutant } from './mutant.ts';

const document = 'functions/nuget/get-nuget-document';
const upstream = 'functions/nuget/get-nuget-document-from-upstream';
const publish = 'functions/nuget/publish-nuget-package';
const symbols = 'functions/nuget/publish-nuget-symbols';
const search = 'functions/nuget/get-nuget-search';
const pages = 'functions/nuget/registration-pages';
const versions = 'functions/nuget/versions';

export const nupkgMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/nupkg/versions.ts', versions, {
    'build metadata make another version': ['normalText(version).toLowerCase()', 'fullText(version).toLowerCase()'],
    'case makes another version': ['normalText(version).toLowerCase()', 'normalText(version)'],
    'a fourth number of 0 is shown': ['numbers[3] === 0 ? numbers.slice(0, 3) : numbers', 'numbers'],
    'numbers have 53 bits': ['given.some((number) => number > numberMax)', 'given.some((number) => number < 0)'],
    'a number of a prerelease has zeros before it': ['paddedNumber.test(label)', 'label === paddedNumber.source'],
    'case makes an order': ['compareTexts(one.toUpperCase(), other.toUpperCase())', 'compareTexts(one, other)'],
  }),
  ...bugsIn('shared/packages/nupkg/package-content.ts', [], {
    'symbols are published as a package': ['if (isOfSymbols(metadata))', 'if (false)', publish],
    'a package is published as symbols': ['if (!isOfSymbols(metadata))', 'if (false)', symbols],
    'symbols of another version come with a package': [
      'added.name !== name || added.version !== version',
      'added.name !== name',
      publish,
    ],
  }),
  ...bugsIn('shared/packages/nupkg-protocol/search.ts', [], {
    'a search shows the versions of the first child': [
      'shownEntries(mergeEntries(indexes.map(localEntries)), search)',
      'shownEntries(mergeEntries([localEntries(indexes[0])]), search)',
      search,
    ],
    'a feed shows the latest version of the first child': [
      'async (indexes) => mergeEntries(indexes.map(localEntries))',
      'async ([index]) => mergeEntries([localEntries(index)])',
      'functions/chocolatey/get-chocolatey-document-search',
    ],
  }),
  ...bugsIn('shared/packages/nupkg/version-ranges.ts', versions, {
    'a range that nobody can read is shown': ['readRange(text) ?? anyVersion', "readRange(text) ?? text ?? ''"],
    'a range may end before it begins': ['return order > 0 ||', 'return'],
    'one version needs no brackets': ["lower.version && brackets === '[]'", 'lower.version'],
    'a range may float at its end': ["upper.text.includes('*') || ", ''],
    'a range of nothing is any version': ["if (inner === ',') return undefined;", ''],
    'nothing floats': ["text === '' || (text.length <= 100 && floating.test(text))", "text === ''"],
  }),
  ...bugsIn('shared/packages/nupkg/package-content.ts', publish, {
    'a range that nobody can read is published': ['  requireDependencies(nuspec);\n', ''],
  }),
  ...bugsIn('shared/packages/nupkg/nuspec.ts', publish, {
    'dependencies in a group are not looked at': ["child.name === 'group' ? child.elements : [child]", '[child]'],
    'a dependency on nothing is published': [
      "if (!idOfNuGet.test(id)) throw badDependency('id',",
      "if (id === ' ') throw badDependency('id',",
    ],
  }),
  ...bugsIn('shared/packages/nupkg-feed/entries.ts', pages, {
    'a feed shows a range of before that nobody can read': [
      'const range = normalRange(stored);',
      'const range = stored;',
    ],
  }),
  ...bugsIn('shared/packages/nupkg/package-entries.ts', [], {
    'each version is shown under its own spelling': ['id: head.displayName', 'head', document],
    'the last index of a version counts': ['id !== undefined && !merged.has(key)', 'id !== undefined', document],
    'no version is ever taken from lists': [
      'entry.listed === listed ? undefined',
      'true ? undefined',
      'functions/nuget/remove-nuget-listing',
    ],
  }),
  ...bugsIn('shared/packages/nupkg/refusal-warning.ts', [], {
    'a refusal says nothing to clients': ["detail.replaceAll(/[^\\u0020-\\u007e]+/g, ' ')", "''", publish],
  }),
  ...bugsIn('shared/packages/nupkg-protocol/registrations.ts', pages, {
    'a range of before that nobody can read hides all versions': ['range: normalRange(range)', 'range'],
    'a page whose borders moved is gone': [
      'compareVersions(first, parsed) <= 0 && compareVersions(parsed, last) <= 0',
      'compareVersions(first, parsed) <= 0 && compareVersions(parsed, last) <= 0 && entries.some(({ key }) => key === lower)',
    ],
    'pages hold 65 versions': ['pageSize = 64', 'pageSize = 65'],
    'a large index has all versions in it': ['entries.length <= inlineMax', 'entries.length > 0'],
  }),
  ...bugsIn('shared/packages/nupkg-protocol/search.ts', search, {
    'searches show versions that are not listed': [
      'listed && (hasPrereleases',
      '(listed || true) && (hasPrereleases',
      'functions/nuget/remove-nuget-listing',
    ],
    'searches show prereleases to all': ['hasPrereleases || !isPrerelease(parsed)', 'true'],
    'old clients get versions of SemVer 2': ['hasSemVer2 || !isSemVer2(parsed)', 'true'],
  }),
  ...bugsIn('shared/packages/nupkg-protocol/upstream-registration.ts', upstream, {
    'icons lead to the upstream': ['hosts.has(new URL(text).host)', 'false'],
    'addresses of JSON-LD lead to the upstream': ["key.startsWith('@') ? [] : ", ''],
  }),
  ...bugsIn('shared/packages/nupkg-protocol/upstream-packages.ts', upstream, {
    'pages of an upstream are left out': ['[first, ...others]', '[first]'],
    'further pages of a feed are left out': ['url = (await page.read()).next', 'url = undefined'],
    'a feed may lead back to a page of itself': [
      'if (read.has(url))',
      'if (false)',
      'functions/chocolatey/get-chocolatey-document-from-upstream#leads back',
    ],
    'the hash of a feed is not compared': ['...(sha512 !== undefined && { expected: { sha512 } })', ''],
  }),
];
