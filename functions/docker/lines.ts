import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ host, workspace, repository, name, version }, words) => {
  const image = `${host}/${workspace}/${repository}/${name}:${version}`;
  return [
    lines(
      `docker · ${words.setUp}`,
      `echo "$STOCKROOM_TOKEN" | docker login ${host} --username token --password-stdin`,
    ),
    lines(`docker · ${words.install}`, `docker pull ${image}`),
    lines(`docker · ${words.publish}`, `docker push ${image}`),
  ];
};

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://registry-1.docker.io/';
