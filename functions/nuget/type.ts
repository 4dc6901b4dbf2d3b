import { nupkgFacts } from '../../shared/packages/nupkg-protocol/type-facts.ts';
import { packageType } from '../../shared/packages/types/package-type.ts';

export * as contracts from './contracts.ts';

export const nuget = packageType({
  name: 'nuget',
  root: '/nuget/',
  words: {
    title: 'Packages: NuGet',
    description:
      'A feed for dotnet and nuget.exe, by version 3 of the protocol: `{base}/nuget/{workspace}/{repository}/v3/index.json`, with any username and a token as the password.',
    pathParameters: {
      page: { description: 'The index of the pages, or one of them.', example: 'index.json' },
    },
    refusalHeaders: ['X-NuGet-Warning'],
  },
  ...nupkgFacts,
  ecosystem: 'NuGet',
  listsAdvisories: true,
});
export { nuget as definition };

export const format = async () => (await import('./format.ts')).nugetFormat;
export const releases = async () => import('./releases.ts');
