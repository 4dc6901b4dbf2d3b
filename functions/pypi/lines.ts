import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => {
  const index = `${at.replace('://', '://token:$STOCKROOM_TOKEN@')}/simple/`;
  return [
    lines(`pip · ${words.install}`, `export PIP_INDEX_URL="${index}"`, `pip install ${name}==${version}`),
    lines(`uv · ${words.install}`, `export UV_DEFAULT_INDEX="${index}"`, `uv pip install ${name}==${version}`),
    lines(
      `twine · ${words.publish}`,
      `TWINE_USERNAME=token TWINE_PASSWORD="$STOCKROOM_TOKEN" twine upload --repository-url ${at}/ dist/*`,
    ),
  ];
};

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://pypi.org/';
