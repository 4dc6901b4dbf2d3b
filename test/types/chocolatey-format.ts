import { getChocolateyDocument, publishChocolateyPackage } from '../../functions/chocolatey/contracts.ts';
import { type PackageFormat, paramsOf } from '../harness/package-format.ts';
import { readFeedPage } from './feeds.ts';
import { contentIn, nupkgOf, pushForm } from './nupkgs.ts';

export const chocolateyFormat: PackageFormat = {
  packageType: 'chocolatey',
  // The package, and the nuspec in it.
  fileCount: 2,
  publishing: publishChocolateyPackage,
  downloading: getChocolateyDocument,
  publish: async ({ client }, { workspace, repository, name: id, version, as }, content) =>
    client.attempt(publishChocolateyPackage, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: pushForm(nupkgOf({ id, version, content })),
      as,
    }),
  download: async ({ client }, { name, version, as, ...place }) => {
    const params = paramsOf(place, `package/${name}/${version}`);
    const answer = await client.attempt(getChocolateyDocument, { params, as });
    return { ...answer, text: contentIn(answer.text) ?? answer.text };
  },
  versions: async ({ client }, { name, as, ...place }) => {
    const versions: string[] = [];
    // A page has at most 100 of them.
    for (let page = 100; page === 100; ) {
      const query = { id: `'${name}'`, $skip: versions.length };
      const params = paramsOf(place, 'FindPackagesById()');
      const { status, text } = await client.attempt(getChocolateyDocument, { params, query, as });
      if (status !== 200) return undefined;
      const { entries } = readFeedPage(text);
      versions.push(...entries.map(({ properties }) => properties.NormalizedVersion ?? ''));
      page = entries.length;
    }
    return versions.length > 0 ? versions : undefined;
  },
};
