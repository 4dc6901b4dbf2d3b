import { nupkgFacts } from '../../shared/packages/nupkg-protocol/type-facts.ts';
import { packageType } from '../../shared/packages/types/package-type.ts';

export * as contracts from './contracts.ts';

export const chocolatey = packageType({
  name: 'chocolatey',
  root: '/chocolatey/',
  words: {
    title: 'Packages: Chocolatey',
    description:
      'A feed for choco, nuget.exe and PowerShell, by version 2 of the protocol of NuGet: `{base}/chocolatey/{workspace}/{repository}/`, with any username and a token as the password. Version 3 is at `v3/index.json` below it.',
    pathParameters: {},
    refusalHeaders: ['X-NuGet-Warning'],
  },
  ...nupkgFacts,
});
export { chocolatey as definition };

export const format = async () => (await import('./format.ts')).chocolateyFormat;
export const releases = async () => import('./releases.ts');
