import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, workspace, repository, name }, words) => [
  lines(
    `apt · ${words.setUp}`,
    `curl -fLu "token:$STOCKROOM_TOKEN" ${at}/key.asc -o /etc/apt/keyrings/${workspace}-${repository}.asc`,
    `echo "machine ${at}/ login token password $STOCKROOM_TOKEN" > /etc/apt/auth.conf.d/${workspace}-${repository}.conf`,
    `echo "deb [signed-by=/etc/apt/keyrings/${workspace}-${repository}.asc] ${at} stable main" > /etc/apt/sources.list.d/${workspace}-${repository}.list`,
  ),
  lines(`apt · ${words.install}`, `apt-get update && apt-get install ${name}`),
  lines(
    `curl · ${words.publish}`,
    `curl -fu "token:$STOCKROOM_TOKEN" -T ${name}_1.0-1_all.deb ${at}/pool/stable/main/`,
  ),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://deb.debian.org/debian';
