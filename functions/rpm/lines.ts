import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, repository, name }, words) => [
  lines(
    `dnf · ${words.setUp}`,
    `curl -fLu "token:$STOCKROOM_TOKEN" ${at}/${repository}.repo -o /etc/yum.repos.d/${repository}.repo`,
    `chmod 600 /etc/yum.repos.d/${repository}.repo`,
    `printf 'username=token\\npassword=%s\\n' "$STOCKROOM_TOKEN" >> /etc/yum.repos.d/${repository}.repo`,
  ),
  lines(`dnf · ${words.install}`, `dnf install ${name}`),
  lines(`curl · ${words.publish}`, `curl -fu "token:$STOCKROOM_TOKEN" -T ${name}-1.0-1.noarch.rpm ${at}/`),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://dl.fedoraproject.org/pub/epel/9/Everything/x86_64';
