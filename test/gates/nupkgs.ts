import { getChocolateyDocument, getChocolateyResource } from '../../functions/chocolatey/contracts.ts';
import { getNugetCompletion, getNugetDocument } from '../../functions/nuget/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { readFeedPage } from '../types/feeds.ts';
import { nupkgOf, nuspecOf } from '../types/nupkgs.ts';
import { type Ages, type GatedType, type GateWorld, json, newName, sent, timeOf } from './gated-type.ts';

interface Registration {
  readonly items: readonly { readonly items: readonly { readonly catalogEntry: { readonly version: string } }[] }[];
}

/** The versions in a registration; none if there is no such package. */
const registered = (answer: Answer | undefined): readonly string[] =>
  answer?.status === 200
    ? (json(answer) as Registration).items.flatMap(({ items }) => items.map(({ catalogEntry }) => catalogEntry.version))
    : [];

const versionsOf = (answer: Answer | undefined): readonly string[] =>
  answer?.status === 200 ? (json(answer) as { versions: string[] }).versions : [];

const packages = (name: string, ages: Ages, path: (version: string) => string) =>
  Object.fromEntries(Object.keys(ages).map((version) => [path(version), nupkgOf({ id: name, version })]));

/** The release gate of remote repositories of NuGet, whose upstream speaks version 3 of the protocol. */
export const nugetGate = ({ upstream, ask }: GateWorld): GatedType => {
  const nuget: GatedType = {
    type: 'nuget',
    file: getNugetDocument,
    urlPath: '/v3/index.json',
    answer: (name, ages) => {
      const items = Object.entries(ages).map(([version, hours]) => {
        const content = `${upstream.url}/flat/${name}/${version}/${name}.${version}.nupkg`;
        const published = timeOf(hours);
        return { catalogEntry: { id: name, version, listed: true, published }, packageContent: content };
      });
      const resources = [
        { '@id': `${upstream.url}/flat/`, '@type': 'PackageBaseAddress/3.0.0' },
        { '@id': `${upstream.url}/reg/`, '@type': 'RegistrationsBaseUrl/3.6.0' },
      ];
      return sent({
        '/v3/index.json': JSON.stringify({ version: '3.0.0', resources }),
        [`/flat/${name}/index.json`]: JSON.stringify({ versions: Object.keys(ages) }),
        [`/reg/${name}/index.json`]: JSON.stringify({ items: [{ lower: '1', upper: '9', items }] }),
        ...packages(name, ages, (version) => `/flat/${name}/${version}/${name}.${version}.nupkg`),
        ...Object.fromEntries(
          Object.keys(ages).map((version) => [
            `/flat/${name}/${version}/${name}.nuspec`,
            nuspecOf({ id: name, version }),
          ]),
        ),
      });
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getNugetDocument, 'nuget', repository, `v3/registration/${name}/index.json`, headers),
      await ask(getNugetDocument, 'nuget', repository, `v3/flat/${name}/index.json`, headers),
    ],
    listed: async (repository, name) => {
      const [registration, versions] = await nuget.documents(repository, name);
      const page = await ask(getNugetDocument, 'nuget', repository, `v3/registration/${name}/page/0.0.1/99.0.0.json`);
      const leaves: string[] = [];
      for (const version of ['1.0.0', ...Array.from({ length: 9 }, (_, at) => `1.${at + 1}.0`)]) {
        const leaf = await ask(getNugetDocument, 'nuget', repository, `v3/registration/${name}/${version}.json`);
        if (leaf.status === 200) leaves.push(version);
      }
      const onPage = page.status === 200 ? registered({ ...page, text: `{"items":[${page.text}]}` }) : [];
      const completed = await ask(getNugetCompletion, 'nuget', repository, `v3/autocomplete?id=${name}`);
      const { data } = json(completed) as { data: string[] };
      return [registered(registration), versionsOf(versions), onPage, leaves, data];
    },
    files: (name, version) => [
      `v3/flat/${name}/${version}/${name}.${version}.nupkg`,
      `v3/flat/${name}/${version}/${name}.nuspec`,
    ],
    kept: (name) => [{ name, document: 'registration index' }],
  };
  return nuget;
};

const entry = (base: string, name: string, version: string, published: string | undefined): string =>
  `<entry><title type="text">${name}</title><content type="application/zip" src="${base}/package/${name}/${version}" /><m:properties><d:Id>${name}</d:Id><d:Version>${version}</d:Version>${published === undefined ? '' : `<d:Published>${published}</d:Published>`}</m:properties></entry>`;

const feedOf = (entries: readonly string[]): string =>
  `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><title type="text">Feed</title>${entries.join('')}</feed>`;

const shownOn = (answer: Answer): readonly string[] =>
  answer.status === 200 ? readFeedPage(answer.text).entries.map(({ properties: { Version = '' } }) => Version) : [];

/** The release gate of remote repositories of Chocolatey, whose upstream speaks version 2 of the protocol. */
export const chocolateyGate = ({ upstream, ask }: GateWorld): GatedType => {
  const chocolatey: GatedType = {
    type: 'chocolatey',
    file: getChocolateyDocument,
    urlPath: '/api/v2',
    newName,
    answer: (name, ages) => {
      const base = `${upstream.url}/api/v2`;
      const entries = Object.entries(ages).map(([version, hours]) => entry(base, name, version, timeOf(hours)));
      return sent({
        '/api/v2/FindPackagesById()': feedOf(entries),
        '/api/v2/Search()': feedOf(entries),
        ...packages(name, ages, (version) => `/api/v2/package/${name}/${version}`),
      });
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getChocolateyDocument, 'chocolatey', repository, `FindPackagesById()?id='${name}'`, headers),
      await ask(getChocolateyResource, 'chocolatey', repository, `v3/registration/${name}/index.json`, headers),
    ],
    listed: async (repository, name) => {
      const [feed, registration] = await chocolatey.documents(repository, name);
      const filter = `Packages()?$filter=tolower(Id)%20eq%20'${name}'`;
      const filtered = await ask(getChocolateyDocument, 'chocolatey', repository, filter);
      const numbers = await ask(getChocolateyDocument, 'chocolatey', repository, `package-versions/${name}`);
      const versions = await ask(getChocolateyResource, 'chocolatey', repository, `v3/flat/${name}/index.json`);
      return [
        shownOn(feed as Answer),
        registered(registration),
        shownOn(filtered),
        json(numbers) as string[],
        versionsOf(versions),
      ];
    },
    files: (name, version) => [`package/${name}/${version}`, `v3/flat/${name}/${version}/${name}.${version}.nupkg`],
    kept: (name) => [{ name, document: 'feed 0' }],
  };
  return chocolatey;
};
