import {
  addNugetListing,
  getNugetDocument,
  publishNugetPackage,
  publishNugetSymbols,
  removeNugetListing,
} from '../../../functions/nuget/contracts.ts';
import { deletePackageVersion } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { contentIn, nupkgOf, nuspecOf, symbolsOf, type TestPackage, usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const { setting, send, push, urlOf } = usePackageFeed(service, 'nuget');

const published = async (each: TestPackage, repository?: Named): Promise<void> => {
  const { status, text } = await push(publishNugetPackage, 'v3/package/', nupkgOf(each), {
    ...(repository && { repository }),
  });
  if (status !== 201) throw new Error(`${each.id} ${each.version} was not published: ${text}`);
};

interface Page {
  readonly '@id': string;
  readonly count: number;
  readonly lower: string;
  readonly upper: string;
  readonly items?: readonly { readonly catalogEntry: Readonly<Record<string, unknown>> }[];
}

const get = async (path: string, repository?: Named) =>
  send(getNugetDocument, path, { ...(repository && { repository }) });

const json = async <T>(path: string, repository?: Named): Promise<T> =>
  JSON.parse((await get(path, repository)).text) as T;

/** The path of an address in a document. */
const pathIn = (url: string): string => url.slice(urlOf('').length);

const newId = (): string => uniqueName('Acme.Tool');

describe('GET /nuget/{workspace}/{repository}/v3/index.json', () => {
  it('lists addresses of the repository for all that clients look for', async () => {
    const { version, resources } = await json<{ version: string; resources: Record<string, string>[] }>(
      'v3/index.json',
    );
    const addresses = Object.fromEntries(resources.map((each) => [each['@type'], pathIn(String(each['@id']))]));
    expect(version).toBe('3.0.0');
    expect(addresses).toEqual({
      'PackageBaseAddress/3.0.0': 'v3/flat/',
      RegistrationsBaseUrl: 'v3/registration/',
      'RegistrationsBaseUrl/3.0.0-beta': 'v3/registration/',
      'RegistrationsBaseUrl/3.4.0': 'v3/registration/',
      'RegistrationsBaseUrl/3.6.0': 'v3/registration/',
      SearchQueryService: 'v3/query',
      'SearchQueryService/3.0.0-beta': 'v3/query',
      'SearchQueryService/3.5.0': 'v3/query',
      SearchAutocompleteService: 'v3/autocomplete',
      'SearchAutocompleteService/3.0.0-beta': 'v3/autocomplete',
      'SearchAutocompleteService/3.5.0': 'v3/autocomplete',
      'PackagePublish/2.0.0': 'v3/package',
      'SymbolPackagePublish/4.9.0': 'v3/symbolpackage',
    });
  });

  itAnswers('404 FILE_NOT_FOUND for what is no address of the protocol', async () => [
    await get('v3/catalog0/index.json'),
    await get('v3/flat/..%2fx/index.json'),
    await get('v3/flat/a/1.0.0/b.1.0.0.nupkg'),
    await get('v3/flat/a/one/a.one.nupkg'),
    await get('v3/registration/a/page/1.0.0/x.json'),
  ]);
});

describe('GET /nuget/{workspace}/{repository}/v3/flat/{path+}', () => {
  it('has the versions in their order and normal form, and their files, in any spelling', async () => {
    const id = newId();
    for (const version of ['1.10.0', '1.2', '1.02.0.4', '2.0.0-Beta.2', '2.0.0-beta.11'])
      await published({ id, version, content: version });
    const name = id.toLowerCase();
    expect(await json(`v3/flat/${name}/index.json`)).toEqual({
      versions: ['1.2.0', '1.2.0.4', '1.10.0', '2.0.0-beta.2', '2.0.0-beta.11'],
    });
    for (const path of [
      `${name}/2.0.0-beta.2/${name}.2.0.0-beta.2.nupkg`,
      `${id}/2.0.0-BETA.2/${id}.2.0.0-BETA.2.nupkg`,
      `${name}/2.0.0.0-Beta.2/${name}.2.0.0.0-Beta.2.nupkg`,
    ])
      expect(contentIn((await get(`v3/flat/${path}`)).text)).toBe('2.0.0-Beta.2');
  });

  it('has the nuspec of a version, and its symbols, which are stored beside it', async () => {
    const each = { id: newId(), version: '1.0.0' };
    const name = each.id.toLowerCase();
    await published(each);
    expect((await get(`v3/flat/${name}/1.0.0/${name}.nuspec`)).text).toBe(nuspecOf(each));
    const symbols = symbolsOf({ ...each, content: 'symbols' });
    expect((await push(publishNugetSymbols, 'v3/symbolpackage/', symbols)).status).toBe(201);
    expect(contentIn((await get(`v3/flat/${name}/1.0.0/${name}.1.0.0.snupkg`)).text)).toBe('symbols');
  });

  itAnswers('404 PACKAGE_NOT_FOUND for the versions of a package that nobody published', async () =>
    get('v3/flat/nobody.has.it/index.json'),
  );

  itAnswers('404 VERSION_NOT_FOUND for a file, with the sentence in a header that clients print', async () => {
    const answer = await get('v3/flat/nobody.has.it/1.0.0/nobody.has.it.1.0.0.nupkg');
    expect(answer.headers['x-nuget-warning']).toBe(answer.problem?.detail);
    return answer;
  });
});

describe('GET /nuget/{workspace}/{repository}/v3/registration/{path+}', () => {
  it('has all that the nuspec says of a version, under the ID as it was spelled first', async () => {
    const id = newId();
    await published({
      id,
      version: '1.0.0-RC.1+build.5',
      elements:
        '<title>The tool</title><tags>one two</tags><license type="expression">MIT</license><requireLicenseAcceptance>true</requireLicenseAcceptance><dependencies><group targetFramework="net8.0"><dependency id="Other" version="1.0"/></group><group targetFramework="net48"/></dependencies>',
    });
    await published({
      id: id.toUpperCase(),
      version: '2.0.0',
      elements: '<dependencies><dependency id="a" version="(1,2.0]"/></dependencies>',
    });
    const name = id.toLowerCase();
    const { items } = await json<{ items: Page[] }>(`v3/registration/${name}/index.json`);
    const [first, second] = items.flatMap((page) => page.items ?? []).map(({ catalogEntry }) => catalogEntry);
    expect(items).toMatchObject([{ count: 2, lower: '1.0.0-rc.1', upper: '2.0.0' }]);
    expect(first).toMatchObject({
      id,
      version: '1.0.0-RC.1+build.5',
      authors: 'Acme',
      description: 'A package of a test',
      title: 'The tool',
      tags: ['one', 'two'],
      licenseExpression: 'MIT',
      requireLicenseAcceptance: true,
      listed: true,
      packageContent: urlOf(`v3/flat/${name}/1.0.0-rc.1/${name}.1.0.0-rc.1.nupkg`),
      dependencyGroups: [
        {
          targetFramework: 'net8.0',
          dependencies: [{ id: 'Other', range: '[1.0.0, )', registration: urlOf('v3/registration/other/index.json') }],
        },
        { targetFramework: 'net48', dependencies: [] },
      ],
    });
    expect(second).toMatchObject({ id, dependencyGroups: [{ dependencies: [{ id: 'a', range: '(1.0.0, 2.0.0]' }] }] });
    expect(await json(`v3/registration/${name}/1.0.0-rc.1.json`)).toMatchObject({ listed: true, catalogEntry: { id } });
  });

  it('keeps the first spelling of the ID when the version that had it is deleted', async () => {
    const id = newId();
    await published({ id, version: '1.0.0' });
    await published({ id: id.toUpperCase(), version: '2.0.0' });
    const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: id.toLowerCase() };
    await service.client.succeed(deletePackageVersion, {
      params: { ...params, version: '1.0.0' },
      as: setting.admin.bearer,
    });
    const { text } = await get(`v3/registration/${id}/index.json`);
    expect(text).toContain(`"id":"${id}"`);
    expect(text).not.toContain(id.toUpperCase());
  });

  it('shows a version that is not listed as one of 1900, until it is listed again', async () => {
    const id = newId();
    await published({ id, version: '1.0.0' });
    const path = `v3/package/${id}/1.0`;
    const shown = async () => {
      const leaf = await json<Record<string, unknown>>(`v3/registration/${id}/1.0.0.json`);
      return [leaf.listed, String(leaf.published).slice(0, 2)];
    };
    expect(await shown()).toEqual([true, '20']);
    expect((await send(removeNugetListing, path)).status).toBe(204);
    expect(await shown()).toEqual([false, '19']);
    expect((await send(addNugetListing, path)).status).toBe(200);
    expect(await shown()).toEqual([true, '20']);
  });

  itAnswers('404 VERSION_NOT_FOUND for a leaf and for a page without a version', async () => {
    const id = newId();
    await published({ id, version: '1.0.0' });
    return [await get(`v3/registration/${id}/2.0.0.json`), await get(`v3/registration/${id}/page/1.0.1/3.0.0.json`)];
  });

  it('is the same through a virtual repository, with addresses of that', async () => {
    const [id, other] = [newId(), await service.world.repository(setting.workspace, undefined, 'nuget')];
    await published({ id, version: '1.0.0', content: 'first' });
    await published({ id, version: '1.0.0', content: 'second', elements: '<title>second</title>' }, other);
    await published({ id, version: '1.1.0' }, other);
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, other], {
      packageType: 'nuget',
    });
    const name = id.toLowerCase();
    expect(await json(`v3/flat/${name}/index.json`, virtual)).toEqual({ versions: ['1.0.0', '1.1.0'] });
    const { text } = await get(`v3/registration/${name}/index.json`, virtual);
    expect(text).not.toContain('"title":"second"');
    expect(text.match(/"packageContent":"[^"]+"/g)?.every((each) => each.includes(`/${virtual.name}/v3/flat/`))).toBe(
      true,
    );
    expect(contentIn((await get(`v3/flat/${name}/1.0.0/${name}.1.0.0.nupkg`, virtual)).text)).toBe('first');
  });
});
