import { isObject } from '../../shared/packages/formats/json-objects.ts';
import { foundPackages, listedObjects, type UpstreamSearch } from '../../shared/packages/serve/upstream-search.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import { isPackageName } from './names.ts';
import { type SearchQuery, sizeMax } from './search.ts';

/** A search as upstreams get it. */
export const upstreamSearch = (text: string, { scope, words, from, size }: SearchQuery): UpstreamSearch => ({
  parts: [...(scope === undefined ? [] : [`@${scope}/`]), ...words.flatMap((word) => [word, `${word}/`])],
  names: words.filter(isPackageName),
  urlOf: async ({ remoteRepositoryUrl }) => {
    const url = new URL(urlBelow(remoteRepositoryUrl, '-/v1/search'));
    url.searchParams.set('text', text);
    // The pages of several upstreams can only be joined from the first one on.
    url.searchParams.set('size', String(Math.min(from + size, sizeMax)));
    return url.href;
  },
  foundIn: ({ objects, total }) =>
    foundPackages(
      listedObjects(objects).flatMap((object) => {
        const name = isObject(object.package) ? object.package.name : undefined;
        return typeof name === 'string' && isPackageName(name) ? [{ name, object }] : [];
      }),
      total,
    ),
});
