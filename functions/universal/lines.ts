import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => [
  lines(
    `curl · ${words.install}`,
    `curl -sSL --fail-with-body -H "Authorization: Bearer $STOCKROOM_TOKEN" -O "${at}/${name}/${version}/<file>"`,
  ),
  lines(
    `curl · ${words.publish}`,
    `curl -sS --fail-with-body -H "Authorization: Bearer $STOCKROOM_TOKEN" -T <file> "${at}/${name}/${version}/<file>"`,
  ),
];
