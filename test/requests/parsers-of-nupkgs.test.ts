import { ApiError } from '../../shared/errors.ts';
import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import { readmeInZip } from '../../shared/packages/formats/zipped-readme.ts';
import { isPackageId } from '../../shared/packages/nupkg/ids.ts';
import { readNuspec, requireDependencies } from '../../shared/packages/nupkg/nuspec.ts';
import { readPackage } from '../../shared/packages/nupkg/package-archive.ts';
import { mergeEntries } from '../../shared/packages/nupkg/package-entries.ts';
import { readmeOfPackage } from '../../shared/packages/nupkg/readme.ts';
import { normalRange, readRange } from '../../shared/packages/nupkg/version-ranges.ts';
import { compareVersions, normalVersion, parseVersion } from '../../shared/packages/nupkg/versions.ts';
import { parseFilter } from '../../shared/packages/nupkg-feed/filters.ts';
import { matches, namesOf, partsOf } from '../../shared/packages/nupkg-feed/matching.ts';
import { parseFeedPath, versionAddress } from '../../shared/packages/nupkg-feed/paths.ts';
import { parseFeedQuery, parseQuoted } from '../../shared/packages/nupkg-feed/queries.ts';
import { parseDependencies, readFeed } from '../../shared/packages/nupkg-protocol/feed.ts';
import { parsePath } from '../../shared/packages/nupkg-protocol/paths.ts';
import { isFound, parseSearch } from '../../shared/packages/nupkg-protocol/search-query.ts';
import { readRegistration } from '../../shared/packages/nupkg-protocol/upstream-registration.ts';
import { readService } from '../../shared/packages/nupkg-protocol/upstream-service.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { bytes, itReadsInLinearTime, many, texts } from '../harness/growth.ts';
import { zipOf } from '../harness/zips.ts';

jest.setTimeout(240_000);

const url = 'https://up.example/index.json';

const unlessRefused = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

const nuspec = (element: string, begin = '', end = '') =>
  many(
    element,
    `<package><metadata><id>a</id><version>1.0</version><authors>a</authors><description>a</description>${begin}`,
    `${end}</metadata></package>`,
  );

const nuspecWithReadme =
  '<package><metadata><id>a</id><version>1.0</version><authors>a</authors><description>a</description><readme>README.md</readme></metadata></package>';

/** Many files that may be the README. */
const readmes = (length: number) =>
  Array.from({ length: Math.ceil(length / 100) }, (_, at) => ({ path: `${at}/README.md`, content: 'a' }));

describe('The time to read what clients and upstreams of NuGet send grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'a package': bytes(
      async (content) => readPackage(fileInMemory(content)),
      (length) => zipOf(Array.from({ length: Math.ceil(length / 100) }, (_, at) => ({ path: `lib/${at}.nuspec` }))),
      (length) => zipOf(Array.from({ length: Math.ceil(length / 100) }, (_, at) => ({ path: `${at}.nuspec` }))),
    ),
    'the README of a package, and that of another archive': bytes(
      async (content) => [
        await readmeOfPackage(fileInMemory(content)),
        await readmeInZip('module', /^/)(fileInMemory(content)),
      ],
      (length) => zipOf([...readmes(length), { path: 'a.nuspec', content: nuspecWithReadme }]),
      (length) =>
        zipOf([
          { path: 'a.nuspec', content: nuspecWithReadme },
          { path: 'README.md', content: 'a\n'.repeat(length / 2) },
        ]),
    ),
    'a nuspec': bytes(
      (content) => [readNuspec(content), requireDependencies(content)],
      nuspec('<dependency id="a" version="[1.0,2.0)"/>', '<dependencies>', '</dependencies>'),
      nuspec('<group targetFramework="net8.0"><dependency id="a"/></group>', '<dependencies>', '</dependencies>'),
      nuspec('a ', '<tags>', '</tags>'),
      nuspec('<a>', '', ''),
      nuspec('<p:a xmlns:p="x"/>'),
    ),
    'IDs, versions, ranges, paths and words': texts(
      (text) => {
        const version = parseVersion(text) ?? parseVersion(text.slice(0, 90));
        const search = parseSearch({ q: text, skip: text, take: text, semVerLevel: text, packageType: text });
        return [
          isPackageId(text),
          normalVersion(text),
          version && compareVersions(version, version),
          normalRange(text),
          readRange(text.slice(0, 100)),
          parsePath(text),
          isFound(search, 'a'.repeat(100)),
        ];
      },
      many('a'),
      many('a.'),
      many('1.', '1.0-'),
      many('-', '1.0-'),
      many('[', '', ']'),
      many('1,', '[', ']'),
      many('%61', 'v3/flat/'),
      many('/a', 'v3/registration'),
      many(' id:a'),
      many('packageid:'),
    ),
    'paths, filters and orders of version 2': texts(
      (text) => {
        const filter = unlessRefused(() => parseFilter(text));
        return [
          parseFeedPath(text),
          unlessRefused(() => versionAddress(text)),
          parseQuoted(text),
          unlessRefused(() => parseFeedQuery({ $orderby: text })),
          filter && [matches(filter, { Id: text.slice(0, 100) }), namesOf(filter), partsOf(filter)],
        ];
      },
      many('a'),
      many("'"),
      many("''", "Id eq '", "'"),
      many('(', '', 'IsLatestVersion'),
      many('/a', 'package'),
      many('Id,', '', 'Id'),
      many(' ', 'Id', 'desc'),
      many(' and IsLatestVersion', 'IsPrerelease'),
      (length) => Array.from({ length: Math.ceil(length / 20) }, (_, at) => `Id eq 'a${at}'`).join(' or '),
      (length) => Array.from({ length: Math.ceil(length / 26) }, (_, at) => `substringof('a${at}',Id)`).join(' or '),
      many('not ', '', 'IsLatestVersion'),
    ),
    'a service index': bytes(
      (content) => readService(parseObject(content, 'The index'), url),
      many('{"@id":"https://a.example/","@type":"SearchQueryService"},', '{"resources":[', '{}]}'),
      many('"SearchQueryService",', '{"resources":[{"@id":"/a","@type":[', '"a"]}]}'),
    ),
    'a registration': bytes(
      (content) => {
        const at = { name: 'a', url, hosts: new Set(['up.example']) };
        return mergeEntries([readRegistration(parseObject(content, 'The registration'), at).entries]);
      },
      (length) => {
        const items = Array.from({ length: Math.ceil(length / 80) }, (_, at) => ({
          catalogEntry: { id: 'a', version: `1.${at}.0`, iconUrl: 'https://up.example/i', tags: 'a b' },
        }));
        return JSON.stringify({ items: [{ items }] });
      },
      many('{"@id":"/page"},', '{"items":[', '{}]}'),
      many(
        '{"id":"b","range":"1.0"},',
        '{"items":[{"catalogEntry":{"id":"a","version":"1.0","dependencyGroups":[{"dependencies":[',
        '{}]}]}}]}',
      ),
      many('{"@id":1},', '{"items":[{"catalogEntry":{"id":"a","version":"1.0","deprecation":{"a":[', '1]}}}]}'),
    ),
    'a feed': bytes(
      (content) => readFeed(content, url),
      many('<entry><title>a</title><properties><Version>1.0</Version></properties></entry>', '<feed>', '</feed>'),
      many('<link rel="next" href="/a"/>', '<feed>', '</feed>'),
      many('<d:a>', '<feed>', '</feed>'),
    ),
    'the dependencies of an entry': texts(parseDependencies, many('a:1.0:net45|'), many(':'), many('|'), many('a')),
  });
});
