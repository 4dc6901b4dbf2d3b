import {
  addChocolateyPackage,
  getChocolateyDocument,
  getChocolateyService,
  publishChocolateyPackage,
  removeChocolateyListing,
} from '../../../functions/chocolatey/contracts.ts';
import { useService } from '../../harness/service.ts';
import { readFeedPage, versionsIn } from '../../types/feeds.ts';
import { nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

/*
 * Requests as clients sent them: nuget.exe 2.8.7 and NuGet.Protocol 6.7.1 were recorded. Those of choco and of PowerShell are what their
 * sources build, because neither runs where these tests do.
 */
const { send, push, urlOf } = usePackageFeed(useService(), 'chocolatey');

const published = ['Acme.Lib 1.0.0', 'Acme.Tool 1.0.0', 'Acme.Tool 1.1.0', 'Acme.Tool 2.0.0-beta'] as const;

beforeAll(async () => {
  for (const each of published) {
    const [id = '', version = ''] = each.split(' ');
    const elements = id === 'Acme.Tool' ? '<tags>PSModule acme</tags>' : '';
    await push(publishChocolateyPackage, '', nupkgOf({ id, version, elements }));
  }
});

const latest = ['Acme.Lib 1.0.0', 'Acme.Tool 1.1.0'];
const stable = ['Acme.Tool 1.0.0', 'Acme.Tool 1.1.0'];
const ofTool = [...stable, 'Acme.Tool 2.0.0-beta'];

const requests: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'nuget.exe 2.8': {
    "FindPackagesById()?$filter=IsLatestVersion&$orderby=Version%20desc&$top=1&id='Acme.Tool'": ['Acme.Tool 1.1.0'],
    'Packages(Id=%27Acme.Tool%27,Version=%271.1.0%27)': ['Acme.Tool 1.1.0'],
    "FindPackagesById()?id='Acme.Lib'": ['Acme.Lib 1.0.0'],
    "Search()?$filter=IsLatestVersion&$orderby=Id&$skip=0&$top=30&searchTerm='acme'&targetFramework=''&includePrerelease=false":
      latest,
    "Search()?$orderby=Id&$skip=0&$top=30&searchTerm='acme'&targetFramework=''&includePrerelease=true": published,
  },
  'NuGet.Protocol 6.7': {
    "FindPackagesById()?id='Acme.Tool'&semVerLevel=2.0.0": ofTool,
    "Packages(Id='Acme.Tool',Version='1.1.0')": ['Acme.Tool 1.1.0'],
    "Search()?$filter=IsLatestVersion&$orderby=Id&searchTerm='acme'&targetFramework=''&includePrerelease=false&$skip=0&$top=30&semVerLevel=2.0.0":
      latest,
    "Search()?$filter=IsLatestVersion&searchTerm='acme'&targetFramework=''&includePrerelease=false&$skip=0&$top=20&semVerLevel=2.0.0":
      latest,
  },
  Renovate: {
    'FindPackagesById()?id=%27Acme.Tool%27&$select=Version,IsLatestVersion,ProjectUrl,Published': ofTool,
  },
  PSResourceGet: {
    'Search()?$filter=%24filter=IsLatestVersion&$inlinecount=allpages&%24skip=0&%24top=6000': latest,
    'Search()?$filter=IsLatestVersion&$orderby=Id%20desc&$inlinecount=allpages&$skip=0&$top=6000': latest,
  },
  'editors with many frameworks': {
    "Search()?$filter=IsLatestVersion&$orderby=Id&searchTerm='acme'&targetFramework='net472%7Cnet48%7Cnet6.0%7Cnet7.0%7Cnet8.0%7Cnetstandard2.0%7Cnetcoreapp3.1'&includePrerelease=false&$skip=0&$top=30":
      latest,
  },
  choco: {
    "Packages()?$filter=(tolower(Id)%20eq%20'acme.tool')%20and%20IsLatestVersion&semVerLevel=2.0.0": [
      'Acme.Tool 1.1.0',
    ],
    "Packages()?$filter=(tolower(Id)%20eq%20'acme.tool')%20and%20IsAbsoluteLatestVersion&semVerLevel=2.0.0": [
      'Acme.Tool 2.0.0-beta',
    ],
    "Packages()?$filter=tolower(Id)%20eq%20'acme.tool'&semVerLevel=2.0.0": ofTool,
    "Packages()?$filter=(((Id%20ne%20null)%20and%20substringof('tool',tolower(Id)))%20or%20((Description%20ne%20null)%20and%20substringof('tool',tolower(Description))))%20or%20((Tags%20ne%20null)%20and%20substringof('%20tool%20',tolower(Tags)))&$orderby=Id":
      ofTool,
    "Search()?$filter=IsLatestVersion&$orderby=DownloadCount%20desc,Id&searchTerm='acme'&targetFramework=''&includePrerelease=false&$skip=0&$top=30&semVerLevel=2.0.0":
      latest,
    "Search()?$orderby=Id,Version%20desc&searchTerm='tool'&targetFramework=''&includePrerelease=true&$skip=0&$top=30&semVerLevel=2.0.0":
      ofTool.toReversed(),
  },
  PowerShell: {
    "FindPackagesById()?id='Acme.Tool'&$skip=0&$top=40": ofTool,
    "Search()?$filter=IsLatestVersion&searchTerm='Acme.Tool%20tag%3APSModule'&targetFramework=''&includePrerelease=false&$skip=0&$top=40":
      ['Acme.Tool 1.1.0'],
    "FindPackagesById()?$filter=Id%20eq%20'Acme.Tool'%20and%20IsLatestVersion%20eq%20true&$inlinecount=allpages&id='Acme.Tool'":
      ['Acme.Tool 1.1.0'],
    "FindPackagesById()?$filter=Id%20eq%20'Acme.Tool'%20and%20IsAbsoluteLatestVersion%20eq%20true&$inlinecount=allpages&id='Acme.Tool'":
      ['Acme.Tool 2.0.0-beta'],
    "FindPackagesById()?$filter=Id%20eq%20'Acme.Tool'%20and%20NormalizedVersion%20eq%20'1.0.0'&$inlinecount=allpages&id='Acme.Tool'":
      ['Acme.Tool 1.0.0'],
    "FindPackagesById()?$filter=NormalizedVersion%20ge%20'1.0.0'%20and%20NormalizedVersion%20le%20'1.1.0'%20and%20IsPrerelease%20eq%20false%20and%20Id%20eq%20'Acme.Tool'&$inlinecount=allpages&$skip=0&$orderby=NormalizedVersion%20desc&id='Acme.Tool'":
      stable.toReversed(),
    "Search()?$filter=IsLatestVersion%20and%20startswith(Id,%20'Acme.T')&$inlinecount=allpages&$skip=0&$top=100": [
      'Acme.Tool 1.1.0',
    ],
    "Search()?$filter=IsLatestVersion%20and%20substringof('PSModule',%20Tags)%20eq%20true&$inlinecount=allpages&$skip=0&$top=6000":
      ['Acme.Tool 1.1.0'],
  },
};

const sent = Object.entries(requests).flatMap(([client, each]) =>
  Object.entries(each).map(([path, expected]) => ({ client, path, expected })),
);

describe('What clients send', () => {
  it.each(sent)('$client: $path', async ({ path, expected }) => {
    const { status, text } = await send(getChocolateyDocument, path);
    expect({ status, versions: versionsIn(text) }).toEqual({ status: 200, versions: expected });
    const counted = path.includes('$inlinecount') ? String(expected.length) : undefined;
    expect(readFeedPage(text).count).toBe(counted);
  });

  it('has counts, as choco and PowerShell ask for them', async () => {
    const query = "$filter=IsLatestVersion&searchTerm='acme'&targetFramework=''&includePrerelease=false";
    expect((await send(getChocolateyDocument, `Search()/$count?${query}`)).text).toBe('2');
  });

  it('is answered from the first request to the package', async () => {
    expect((await send(getChocolateyService, '', { isBare: true })).status).toBe(200);
    expect((await send(getChocolateyDocument, '$metadata')).text).toContain('FindPackagesById');
    const { text } = await send(getChocolateyDocument, "FindPackagesById()?id='Acme.Lib'");
    const address = /<content [^>]*src="(?<src>[^"]+)"/.exec(text)?.groups?.src ?? '';
    const { status, headers } = await send(getChocolateyDocument, address.slice(urlOf('').length));
    expect([status, headers['content-type']]).toEqual([200, 'application/octet-stream']);
    const completed = await send(
      getChocolateyDocument,
      'package-ids?partialId=ac&includePrerelease=True&semVerLevel=2.0.0',
    );
    expect(JSON.parse(completed.text)).toEqual(['Acme.Lib', 'Acme.Tool']);
  });

  it('publishes by the addresses that clients know, and unlists', async () => {
    const file = (version: string) => nupkgOf({ id: 'Acme.Sent', version });
    expect((await push(publishChocolateyPackage, '', file('1.0.0'))).status).toBe(201);
    expect((await push(addChocolateyPackage, 'package/', file('1.1.0'))).status).toBe(201);
    expect((await send(removeChocolateyListing, 'Acme.Sent/1.1.0')).status).toBe(204);
    const { text } = await send(
      getChocolateyDocument,
      "Packages()?$filter=(tolower(Id)%20eq%20'acme.sent')%20and%20IsLatestVersion",
    );
    expect(versionsIn(text)).toEqual(['Acme.Sent 1.0.0']);
  });
});
