import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version, isHttp }, words) => [
  lines(
    'nuget.config',
    '<configuration>',
    '  <packageSources>',
    '    <clear />',
    `    <add key="stockroom" value="${at}/v3/index.json" ${isHttp ? 'allowInsecureConnections="true" ' : ''}/>`,
    '  </packageSources>',
    '  <packageSourceCredentials>',
    '    <stockroom>',
    '      <add key="Username" value="token" />',
    '      <add key="ClearTextPassword" value="%STOCKROOM_TOKEN%" />',
    '    </stockroom>',
    '  </packageSourceCredentials>',
    '</configuration>',
  ),
  lines(`dotnet · ${words.install}`, `dotnet add package ${name} --version ${version}`),
  lines(`dotnet · ${words.publish}`, 'dotnet nuget push "out/*.nupkg" --source stockroom --api-key any'),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://api.nuget.org/v3/index.json';
