import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, host, name, version, isHttp }, words) => [
  lines(
    `composer · ${words.setUp}`,
    `composer config --global http-basic.${host} token "$STOCKROOM_TOKEN"`,
    `composer config repositories.stockroom composer ${at}`,
    'composer config repositories.packagist.org false',
    ...(isHttp ? ['composer config secure-http false'] : []),
  ),
  lines(`composer · ${words.install}`, `composer require ${name}:${version}`),
  lines(
    `curl · ${words.publish}`,
    'composer archive --format=zip --file=package',
    `curl -sS --fail-with-body -H "Authorization: Bearer $STOCKROOM_TOKEN" -T package.zip "${at}?version=<version>"`,
  ),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://repo.packagist.org';
