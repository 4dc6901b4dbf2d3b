import type { PackageType } from '../../shared/package-types.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { refusing, serving, useUpstream } from '../harness/upstream.ts';
import type { Named } from '../harness/world.ts';
import { versionsOf } from '../types/composer.ts';
import { readFeedPage } from '../types/feeds.ts';

/**
 * Documents of the size and the shape that large public upstreams send: `npm run test:upstreams` makes a registration and a feed of 5,000
 * versions, and a document of 3 MB for Composer. They are generated, because no test reaches those upstreams.
 */
const count = process.env.ALL_PAGES ? 5_000 : 300;

jest.setTimeout(120_000);

const service = useService();
const upstream = useUpstream();
let workspace: Named;
let as: string;

beforeAll(async () => {
  workspace = await service.world.workspace();
  as = (await service.world.systemAdmin()).bearer;
});

const numbers = Array.from({ length: count }, (_, number) => number);
const versions = numbers.map((number) => `${number + 1}.0.0`);
const slicesOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

const serve = (documents: Readonly<Record<string, string>>): void => {
  upstream.answer = (request, response) => {
    const content = documents[request.url?.replaceAll('%27', "'") ?? ''];
    return content === undefined ? refusing(404)(request, response) : serving(content)(request, response);
  };
};

/** A remote repository, and a virtual one over it. */
const readers = async (packageType: PackageType, path: string): Promise<readonly Named[]> => {
  const remote = await createRemote(service, workspace, { packageType, remoteRepositoryUrl: upstream.url + path });
  return [remote, await createVirtual(service, workspace, [remote], { packageType })];
};

const rootOf = (packageType: PackageType, { name }: Named): string =>
  `${service.runner.url}/${packageType}/${workspace.name}/${name}/`;

/** Reads a document to its end, wherever that is, and sees that no address of the upstream is in it. */
const read = async (url: string): Promise<string> => {
  const answer = await fetch(url, { headers: { Authorization: as } });
  const text = await answer.text();
  expect([url, answer.status]).toEqual([url, 200]);
  expect(text.includes(upstream.host)).toBe(false);
  return text;
};

interface Leaf {
  readonly catalogEntry: { readonly version: string; readonly description: string };
}

interface Page {
  readonly '@id': string;
  readonly items?: readonly Leaf[];
}

const leavesAt = async (root: string): Promise<readonly Leaf[]> => {
  const { items } = JSON.parse(await read(`${root}v3/registration/tool/index.json`)) as { items: Page[] };
  const leaves: Leaf[] = [];
  for (const { '@id': url, items: shown } of items)
    leaves.push(...(shown ?? (JSON.parse(await read(url)) as { items: Leaf[] }).items));
  return leaves;
};

const described = (version: string): string => `What version ${version} is.${' It has many words.'.repeat(20)}`;

const leafOf = (version: string) => ({
  '@id': `${upstream.url}/reg/tool/${version}.json`,
  catalogEntry: {
    '@id': `${upstream.url}/catalog/${version}`,
    id: 'Tool',
    version,
    authors: 'They',
    description: described(version),
    iconUrl: `${upstream.url}/icon/${version}`,
    packageContent: `${upstream.url}/files/${version}`,
    dependencyGroups: [{ '@id': `${upstream.url}/g`, dependencies: [{ id: 'Other', range: `[${version}, )` }] }],
  },
  packageContent: `${upstream.url}/files/${version}`,
  registration: `${upstream.url}/reg/tool/index.json`,
});

describe(`A large document of an upstream, of ${count} versions`, () => {
  it('a registration whose pages are elsewhere is shown without loss, and without an address of the upstream', async () => {
    const slices = slicesOf(versions, 64);
    const pageOf = (slice: readonly string[], at: number) => ({
      '@id': `${upstream.url}/pages/${at}.json`,
      count: slice.length,
      lower: slice[0],
      upper: slice.at(-1),
      parent: `${upstream.url}/reg/tool/index.json`,
    });
    serve({
      '/v3/index.json': JSON.stringify({
        version: '3.0.0',
        resources: [
          { '@id': `${upstream.url}/flat/`, '@type': 'PackageBaseAddress/3.0.0' },
          { '@id': `${upstream.url}/reg/`, '@type': 'RegistrationsBaseUrl/3.6.0' },
        ],
      }),
      '/reg/tool/index.json': JSON.stringify({ count: slices.length, items: slices.map(pageOf) }),
      ...Object.fromEntries(
        slices.map((slice, at) => [
          `/pages/${at}.json`,
          JSON.stringify({ ...pageOf(slice, at), items: slice.map(leafOf) }),
        ]),
      ),
    });
    for (const reader of await readers('nuget', '/v3/index.json')) {
      const leaves = await leavesAt(rootOf('nuget', reader));
      expect(leaves.map(({ catalogEntry: { version, description } }) => [version, description])).toEqual(
        versions.map((version) => [version, described(version)]),
      );
    }
  });

  it('a feed of version 2 in pages of 40 is shown without loss, and without an address of the upstream', async () => {
    const entryOf = (version: string): string =>
      `<entry><title type="text">Tool</title><content type="application/zip" src="${upstream.url}/api/v2/package/Tool/${version}" /><m:properties><d:Version>${version}</d:Version><d:Description>${described(version)}</d:Description><d:IconUrl>${upstream.url}/icon</d:IconUrl></m:properties></entry>`;
    const slices = slicesOf(versions, 40);
    const feedOf = (slice: readonly string[], at: number): string =>
      `<feed xml:base="${upstream.url}/api/v2" xmlns="http://www.w3.org/2005/Atom" xmlns:d="d" xmlns:m="m">${slice.map(entryOf).join('')}${at + 1 < slices.length ? `<link rel="next" href="${upstream.url}/api/v2/more?page=${at + 1}"/>` : ''}</feed>`;
    const asked = "/api/v2/FindPackagesById()?id='tool'&semVerLevel=2.0.0";
    serve(
      Object.fromEntries(slices.map((slice, at) => [at === 0 ? asked : `/api/v2/more?page=${at}`, feedOf(slice, at)])),
    );
    for (const reader of await readers('chocolatey', '/api/v2/')) {
      const shown: string[][] = [];
      let url: string | undefined = `${rootOf('chocolatey', reader)}FindPackagesById()?id='Tool'`;
      while (url !== undefined) {
        const page = readFeedPage(await read(url));
        shown.push(...page.entries.map(({ properties }) => [properties.Version ?? '', properties.Description ?? '']));
        url = page.next;
      }
      expect(shown).toEqual(versions.map((version) => [version, described(version)]));
    }
  });

  it('a minified document of Composer is shown without loss, and without an address of the upstream', async () => {
    const wholeOf = (number: number) => ({
      name: 'acme/tool',
      version: versions[number] ?? '',
      version_normalized: `${versions[number]}.0`,
      description: described('of all'),
      type: 'library',
      require: { php: '>=8', 'acme/other': `^${number}` },
      ...(number % 3 === 0 && { bin: ['tool'] }),
      extra: { notes: described(versions[number] ?? '') },
    });
    const distOf = (number: number) => ({
      dist: { type: 'zip', url: `${upstream.url}/zipball/${number}`, reference: `ref-${number}`, shasum: '' },
      'notification-url': `${upstream.url}/downloads/`,
    });
    const newestFirst = numbers.toReversed();
    const minified = newestFirst.map((number, at) => {
      const { name, description, type, ...changing } = wholeOf(number);
      const isGone = at > 0 && (number + 1) % 3 === 0;
      return {
        ...(at === 0 && { name, description, type }),
        ...changing,
        ...distOf(number),
        ...(isGone && { bin: '__unset' }),
      };
    });
    const sent = JSON.stringify({ packages: { 'acme/tool': minified }, minified: 'composer/2.0' });
    if (process.env.ALL_PAGES) expect(sent.length).toBeGreaterThan(3_000_000);
    serve({
      '/packages.json': JSON.stringify({ packages: [], 'metadata-url': '/p2/%package%.json' }),
      '/p2/acme/tool.json': sent,
    });
    for (const reader of await readers('composer', '')) {
      const text = await read(`${rootOf('composer', reader)}p2/acme/tool.json`);
      const shown = versionsOf(text, 'acme/tool').map((each) => ({ ...each, dist: undefined }));
      expect(shown).toEqual(newestFirst.map(wholeOf));
    }
  });
});
