import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => [
  lines('PowerShell', `choco source add --name stockroom --source ${at}/ --user token --password $env:STOCKROOM_TOKEN`),
  lines(`choco · ${words.install}`, `choco install ${name} --version ${version} --source stockroom`),
  lines(`choco · ${words.publish}`, `choco push ${name}.${version}.nupkg --source ${at}/ --api-key any`),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://community.chocolatey.org/api/v2/';
