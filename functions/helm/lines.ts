import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => [
  lines(
    `helm · ${words.setUp}`,
    `echo "$STOCKROOM_TOKEN" | helm repo add stockroom ${at} --username token --password-stdin`,
  ),
  lines(`helm · ${words.install}`, `helm install release stockroom/${name} --version ${version}`),
  lines(
    `curl · ${words.publish}`,
    `curl -sS --fail-with-body -H "Authorization: Bearer $STOCKROOM_TOKEN" -F chart=@chart.tgz ${at}/api/charts`,
  ),
];
