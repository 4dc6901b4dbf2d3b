import { getNugetDocument, publishNugetPackage } from '../../functions/nuget/contracts.ts';
import { type PackageFormat, paramsOf } from '../harness/package-format.ts';
import { contentIn, nupkgOf, pushForm } from './nupkgs.ts';

export const nugetFormat: PackageFormat = {
  packageType: 'nuget',
  // The package, and the nuspec in it.
  fileCount: 2,
  publishing: publishNugetPackage,
  downloading: getNugetDocument,
  publish: async ({ client }, { workspace, repository, name: id, version, as }, content) =>
    client.attempt(publishNugetPackage, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: pushForm(nupkgOf({ id, version, content })),
      as,
    }),
  download: async ({ client }, { name, version, as, ...place }) => {
    const path = `v3/flat/${name}/${version}/${name}.${version}.nupkg`;
    const answer = await client.attempt(getNugetDocument, { params: paramsOf(place, path), as });
    return { ...answer, text: contentIn(answer.text) ?? answer.text };
  },
  versions: async ({ client }, { name, as, ...place }) => {
    const params = paramsOf(place, `v3/flat/${name}/index.json`);
    const { status, text } = await client.attempt(getNugetDocument, { params, as });
    return status === 200 ? (JSON.parse(text) as { versions: string[] }).versions : undefined;
  },
};
