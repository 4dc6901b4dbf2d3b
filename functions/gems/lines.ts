import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => [
  lines(`Bundler · ${words.setUp}`, `bundle config set --global ${at} "token:$STOCKROOM_TOKEN"`),
  lines(`Bundler · ${words.install}`, `bundle add ${name} --version ${version} --source ${at}`),
  lines(`gem · ${words.publish}`, `GEM_HOST_API_KEY="$STOCKROOM_TOKEN" gem push ${name}-${version}.gem --host ${at}`),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://rubygems.org';
