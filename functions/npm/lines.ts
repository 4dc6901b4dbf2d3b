import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, bare, name, version }, words) => [
  lines('.npmrc', `registry=${at}/`),
  // pnpm expands no variable in the credentials of a project.
  lines('~/.npmrc', `//${bare}/:_authToken=\${STOCKROOM_TOKEN}`),
  lines(`npm · ${words.install}`, `npm install ${name}@${version}`),
  lines(`pnpm · ${words.install}`, `pnpm add ${name}@${version}`),
  lines(`npm · ${words.publish}`, 'npm publish'),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://registry.npmjs.org/';
