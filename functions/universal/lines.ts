import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, path }, words) => [
  lines(
    `curl · ${words.install}`,
    `curl -sSL --fail-with-body -H "Authorization: Bearer $STOCKROOM_TOKEN" -O "${at}/${path}/<file>"`,
  ),
  lines(
    `curl · ${words.publish}`,
    `curl -sS --fail-with-body -H "Authorization: Bearer $STOCKROOM_TOKEN" -T <file> "${at}/${path}/<file>"`,
  ),
];
