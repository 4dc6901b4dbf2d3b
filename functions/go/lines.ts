import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, host, name, version, isHttp }, words) => [
  lines('~/.netrc', `machine ${host} login token password <token>`),
  lines(
    `go · ${words.install}`,
    ...(isHttp ? [`# ${words.needsTls}`] : []),
    `go env -w GOPROXY=${at}`,
    `go get ${name}@${version}`,
  ),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://proxy.golang.org/';
