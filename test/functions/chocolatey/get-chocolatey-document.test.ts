import { createHash } from 'node:crypto';
import {
  getChocolateyDocument,
  publishChocolateyPackage,
  removeChocolateyListing,
} from '../../../functions/chocolatey/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { readFeedPage, versionsIn } from '../../types/feeds.ts';
import { contentIn, nupkgOf, type TestPackage, usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const { setting, send, push, urlOf } = usePackageFeed(service, 'chocolatey');

const published = async (each: TestPackage, repository?: Named): Promise<void> => {
  const { status, text } = await push(publishChocolateyPackage, '', nupkgOf(each), {
    ...(repository && { repository }),
  });
  if (status !== 201) throw new Error(`${each.id} ${each.version} was not published: ${text}`);
};

const withVersions = async (...versions: readonly string[]): Promise<string> => {
  const id = uniqueName('Acme.Tool');
  for (const version of versions) await published({ id, version });
  return id;
};

const get = async (path: string, repository?: Named) =>
  send(getChocolateyDocument, path, { ...(repository && { repository }) });

/** The versions that a request finds, without the ID. */
const found = async (path: string): Promise<readonly string[]> =>
  versionsIn((await get(path)).text).map((each) => each.split(' ')[1] ?? '');

const byId = (id: string, more = ''): string => `FindPackagesById()?id='${id}'&semVerLevel=2.0.0${more}`;

describe('GET /chocolatey/{workspace}/{repository}/FindPackagesById()', () => {
  it('has all that the nuspec says of a version, with its hash and the address of its file', async () => {
    const id = uniqueName('Acme.Tool');
    const each = {
      id,
      version: '1.2-Beta.1+build',
      elements:
        '<title>The &lt;tool&gt;</title><tags>one two</tags><releaseNotes>New</releaseNotes><requireLicenseAcceptance>true</requireLicenseAcceptance><dependencies><group targetFramework="net8.0"><dependency id="Other" version="1.0"/></group><group targetFramework="net48"/><group><dependency id="Any"/></group></dependencies>',
    };
    await published(each);
    const { text, headers } = await get(byId(id.toUpperCase()));
    const [entry] = readFeedPage(text).entries;
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8');
    expect(entry?.properties).toMatchObject({
      Id: id,
      Version: '1.2.0-Beta.1+build',
      NormalizedVersion: '1.2.0-Beta.1',
      Authors: 'Acme',
      Title: 'The <tool>',
      Description: 'A package of a test',
      ReleaseNotes: 'New',
      RequireLicenseAcceptance: 'true',
      Dependencies: 'Other:[1.0.0, ):net8.0|::net48|Any::',
      IsPrerelease: 'true',
      IsLatestVersion: 'false',
      IsAbsoluteLatestVersion: 'true',
      Listed: 'true',
      IconUrl: 'null',
      PackageHash: createHash('sha512').update(nupkgOf(each)).digest('base64'),
      PackageHashAlgorithm: 'SHA512',
      PackageSize: String(nupkgOf(each).length),
    });
    expect(text).toContain(`<content type="application/zip" src="${urlOf(`package/${id}/1.2.0-Beta.1`)}"/>`);
    expect(text).toContain(`<id>${urlOf(`Packages(Id='${id}',Version='1.2.0-Beta.1')`)}</id>`);
    // Filters look for a tag with the blanks around it.
    expect(text).toContain('<d:Tags> one two </d:Tags>');
  });

  it('lists versions in their order, also in reverse, and those of SemVer 2 to who can read them', async () => {
    const id = await withVersions('1.10.0', '1.9.0', '2.0.0-beta', '2.0.0-beta.2');
    expect(await found(byId(id))).toEqual(['1.9.0', '1.10.0', '2.0.0-beta', '2.0.0-beta.2']);
    expect(await found(`FindPackagesById()?id='${id}'`)).toEqual(['1.9.0', '1.10.0', '2.0.0-beta']);
    for (const order of ['Version%20desc', 'Id,NormalizedVersion%20desc'])
      expect(await found(byId(id, `&$orderby=${order}&$top=1`))).toEqual(['2.0.0-beta.2']);
  });

  it('says which version is the latest of those that are listed', async () => {
    const id = await withVersions('1.0.0', '1.1.0', '2.0.0-beta', '3.0.0');
    expect((await send(removeChocolateyListing, `${id}/3.0.0`)).status).toBe(204);
    expect(await found(byId(id, '&$filter=IsLatestVersion'))).toEqual(['1.1.0']);
    expect(await found(byId(id, '&$filter=IsAbsoluteLatestVersion'))).toEqual(['2.0.0-beta']);
    const { entries } = readFeedPage((await get(byId(id))).text);
    expect(entries.map(({ properties }) => properties.Published?.slice(0, 4) === '1900')).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('comes in pages of 100, each of which links the next one while more remain', async () => {
    const id = uniqueName('Acme.Tool');
    await Promise.all(
      Array.from({ length: 11 }, async (_, ten) => {
        for (let one = 0; one < 10; one += 1) await published({ id, version: `1.${ten}.${one}` });
      }),
    );
    const first = readFeedPage((await get(byId(id, '&$inlinecount=allpages'))).text);
    expect([first.entries.length, first.count, first.entries.at(-1)?.properties.Version]).toEqual([
      100,
      '110',
      '1.9.9',
    ]);
    const next = first.next?.slice(urlOf('').length) ?? '';
    const second = readFeedPage((await get(next)).text);
    expect([second.entries.length, second.next, second.entries[0]?.properties.Version]).toEqual([
      10,
      undefined,
      '1.10.0',
    ]);
    const page = async (query: string) => readFeedPage((await get(byId(id, query))).text);
    expect((await page('&$skip=10&$top=100')).next).toBeUndefined();
    expect((await page('&$skip=9&$top=100')).next).toBeUndefined();
    expect((await page('&$top=105')).next).toContain('&$top=5&$skip=100');
    expect((await page('&$skip=10')).next).toBeUndefined();
    expect((await page('&$skip=200')).entries).toEqual([]);
    const { text, headers } = await get(`FindPackagesById()/$count?id='${id}'`);
    expect([text, headers['content-type']]).toEqual(['110', 'text/plain; charset=utf-8']);
  });

  it('is empty for a package that nobody published, and for what is no ID', async () => {
    for (const id of ['Nobody.Has.It', 'a%20b', '', "it''s"]) expect(await found(byId(id))).toEqual([]);
  });

  it('has an entity tag that changes with each version and each query', async () => {
    const id = await withVersions('1.0.0');
    const tagOf = async (path: string) => (await get(path)).headers.etag;
    const before = await tagOf(byId(id));
    expect(await tagOf(byId(id))).toBe(before);
    expect(await tagOf(byId(id, '&$top=5'))).not.toBe(before);
    await published({ id, version: '1.1.0' });
    expect(await tagOf(byId(id))).not.toBe(before);
  });
});

describe('GET /chocolatey/{workspace}/{repository}/Packages()', () => {
  it('is what choco install asks for, for one package and for several', async () => {
    const [one, other] = [await withVersions('1.0.0', '1.1.0'), await withVersions('2.0.0')];
    const name = one.toLowerCase();
    const single = `(tolower(Id) eq '${name}') and IsLatestVersion`;
    for (const filter of [
      single,
      `tolower(Id) eq '${name}' and IsLatestVersion eq true`,
      `Id eq '${one}' and IsLatestVersion`,
    ])
      expect(
        versionsIn((await get(`Packages()?$filter=${encodeURIComponent(filter)}&semVerLevel=2.0.0`)).text),
      ).toEqual([`${one} 1.1.0`]);
    const several = `(((tolower(Id) eq '${name}') or (tolower(Id) eq '${other.toLowerCase()}')) or (tolower(Id) eq 'nobody')) and IsLatestVersion`;
    expect(versionsIn((await get(`Packages?$filter=${encodeURIComponent(several)}`)).text)).toEqual([
      `${one} 1.1.0`,
      `${other} 2.0.0`,
    ]);
    expect((await get(`Packages()/$count?$filter=${encodeURIComponent(`Id eq '${one}'`)}`)).text).toBe('2');
  });
});

describe("GET /chocolatey/{workspace}/{repository}/Packages(Id='{id}',Version='{version}')", () => {
  it('is one version, whatever the case and the quotes', async () => {
    const id = await withVersions('1.0.0', '1.1.0-beta.1');
    for (const path of [
      `Packages(Id='${id}',Version='1.1.0-beta.1')`,
      `Packages(Id=%27${id.toUpperCase()}%27,Version=%271.1.0-BETA.1%27)`,
    ]) {
      const { entries } = readFeedPage((await get(path)).text);
      expect(entries.map(({ properties }) => properties.Version)).toEqual(['1.1.0-beta.1']);
    }
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there', async () =>
    get(`Packages(Id='${await withVersions('1.0.0')}',Version='2.0.0')`),
  );

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there', async () =>
    get("Packages(Id='Nobody.Has.It',Version='2.0.0')"),
  );
});

describe('GET /chocolatey/{workspace}/{repository}/{path+}', () => {
  it('has the file at the address in its entry, in any spelling', async () => {
    const id = uniqueName('Acme.Tool');
    await published({ id, version: '1.0.0-Beta', content: 'bytes' });
    for (const path of [`package/${id}/1.0.0-Beta`, `package/${id.toLowerCase()}/1.0-beta`])
      expect(contentIn((await get(path)).text)).toBe('bytes');
  });

  it('names in its metadata what it can be asked, and every property of its entries', async () => {
    const id = await withVersions('1.0.0');
    const { text } = await get('$metadata');
    for (const name of ['Search', 'FindPackagesById']) expect(text).toContain(`<FunctionImport Name="${name}"`);
    const [entry] = readFeedPage((await get(byId(id))).text).entries;
    const names = Object.keys(entry?.properties ?? {});
    expect(names).toContain('IsAbsoluteLatestVersion');
    for (const name of names) expect(text).toContain(`<Property Name="${name}" Type="Edm.`);
  });

  it('completes IDs, and lists versions, as arrays', async () => {
    const word = uniqueName('choc').replaceAll('-', '');
    for (const id of [`${word}.one`, `${word}.two`, `other.${word}`]) await published({ id, version: '1.0.0' });
    await published({ id: `${word}.one`, version: '1.1.0-beta' });
    const json = async (path: string): Promise<unknown> => JSON.parse((await get(path)).text);
    expect(await json(`package-ids?partialId=${word.toUpperCase()}`)).toEqual([`${word}.one`, `${word}.two`]);
    expect(await json(`package-versions/${word}.one`)).toEqual(['1.0.0']);
    expect(await json(`package-versions/${word}.one?includePrerelease=True`)).toEqual(['1.0.0', '1.1.0-beta']);
    expect(await json('package-versions/nobody.has.it')).toEqual([]);
  });

  it('is the same through a virtual repository, with addresses of that', async () => {
    const [id, other] = [
      uniqueName('Acme.Tool'),
      await service.world.repository(setting.workspace, undefined, 'chocolatey'),
    ];
    await published({ id, version: '1.0.0', elements: '<title>first</title>' });
    await published({ id, version: '1.0.0', content: 'second', elements: '<title>second</title>' }, other);
    await published({ id, version: '1.1.0' }, other);
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, other], {
      packageType: 'chocolatey',
    });
    const { text } = await get(byId(id), virtual);
    expect(
      readFeedPage(text).entries.map(({ properties: { Version, Title, IsLatestVersion } }) => [
        Version,
        Title,
        IsLatestVersion,
      ]),
    ).toEqual([
      ['1.0.0', 'first', 'false'],
      ['1.1.0', id, 'true'],
    ]);
    expect(text).toContain(urlOf(`package/${id}/1.1.0`, virtual));
    expect(text).not.toContain(urlOf(''));
  });

  itAnswers('404 FILE_NOT_FOUND for what is no address of the protocol', async () => [
    await get('Packages(1)'),
    await get("Packages(Id='a%20b',Version='1.0.0')"),
    await get('Users()'),
    await get('Search()/$value'),
    await get('package/a/one'),
    await get('package/a'),
    await get('$metadata/x'),
    await get('package-versions/a%20b'),
  ]);

  it('ignores parameters that mean nothing here, also those that come twice', async () => {
    const { status, text } = await get(byId('a', '&$select=Version&$expand=x&$expand=y'));
    expect([status, text]).toEqual([200, (await get(byId('a'))).text]);
  });

  itAnswers('400 REQUEST_INVALID for what no client sends', async () => [
    await get(byId('a', '&$filter=year(Published)%20gt%202020')),
    await get(byId('a', '&$filter=Id')),
    await get(byId('a', "&$filter=Id%20eq%20'a")),
    await get(byId('a', `&$filter=${'('.repeat(200)}`)),
    await get(byId('a', '&$orderby=Published')),
    await get(byId('a', '&$top=-1')),
  ]);
});
