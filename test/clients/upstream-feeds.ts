import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { nupkgOf } from '../types/nupkgs.ts';
import { etagged, type UpstreamType } from './upstream-type.ts';

/** By version 3 of the protocol. */
export const nuget: UpstreamType = {
  urlOf: ({ url }) => `${url}/nuget/v3/index.json`,
  documentsOf: async ({ url }, versions) => {
    const name = versions[0]?.name.toLowerCase() ?? '';
    const resources = [
      { '@id': `${url}/nuget/flat/`, '@type': 'PackageBaseAddress/3.0.0' },
      { '@id': `${url}/nuget/registration/`, '@type': 'RegistrationsBaseUrl/3.6.0' },
    ];
    const items = versions.map((each) => ({
      catalogEntry: {
        id: each.name,
        version: each.version,
        authors: 'They',
        description: 'Theirs',
        published: each.publishedAt,
      },
      packageContent: `${url}/nuget/flat/${name}/${each.version}/${name}.${each.version}.nupkg`,
    }));
    const registration = `/nuget/registration/${name}/index.json`;
    const page = { '@id': `${url}${registration}#page`, count: items.length, items };
    const files = versions.map((each) => [
      `/nuget/flat/${name}/${each.version}/${name}.${each.version}.nupkg`,
      etagged(nupkgOf({ ...each, id: each.name }), 'application/octet-stream'),
    ]);
    const list = JSON.stringify({ versions: versions.map(({ version }) => version) });
    return {
      ...(Object.fromEntries(files) as Record<string, RequestListener>),
      '/nuget/v3/index.json': etagged(JSON.stringify({ version: '3.0.0', resources }), 'application/json'),
      [`/nuget/flat/${name}/index.json`]: etagged(list, 'application/json'),
      [registration]: etagged(JSON.stringify({ count: 1, items: [page] }), 'application/json'),
    };
  },
};

/** By version 2 of the protocol. */
export const chocolatey: UpstreamType = {
  urlOf: ({ url }) => `${url}/choco/api/v2/`,
  documentsOf: async ({ url }, versions) => {
    const documents: Record<string, RequestListener> = {};
    const entries = versions.map((each) => {
      const file = nupkgOf({ ...each, id: each.name });
      const path = `/choco/package/${each.name}/${each.version}`;
      documents[path] = etagged(file, 'application/zip');
      const hash = createHash('sha512').update(file).digest('base64');
      const published = each.publishedAt === undefined ? '' : `<d:Published>${each.publishedAt}</d:Published>`;
      return `<entry><title>${each.name}</title><content src="${url}${path}"/><m:properties><d:Version>${each.version}</d:Version>${published}<d:PackageHash>${hash}</d:PackageHash><d:PackageHashAlgorithm>SHA512</d:PackageHashAlgorithm></m:properties></entry>`;
    });
    // Feeds are large. One that is sent slowly must not be slower than upstreams may be.
    const title = `<subtitle>${'A feed of many packages. '.repeat(8_000)}</subtitle>`;
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:d="d" xmlns:m="m">${title}${entries.join('')}</feed>`;
    const name = versions[0]?.name.toLowerCase() ?? '';
    const path = `/choco/api/v2/FindPackagesById()?id='${name}'&semVerLevel=2.0.0`;
    return { ...documents, [path]: etagged(feed, 'application/atom+xml') };
  },
};
