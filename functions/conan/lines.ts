import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => {
  // Behind the version stand revisions, of which Conan takes the latest.
  const [recipe = ''] = version.split('#');
  return [
    lines(
      `conan · ${words.setUp}`,
      `conan remote add stockroom ${at}`,
      `conan remote login stockroom token -p "$STOCKROOM_TOKEN"`,
    ),
    lines(`conan · ${words.install}`, `conan install --requires="${name}/${recipe}" --remote stockroom`),
    lines(`conan · ${words.publish}`, `conan upload "${name}/*" -r stockroom -c`),
  ];
};

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://center2.conan.io';
