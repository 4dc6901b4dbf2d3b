import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, workspace, repository, name, version, isRemote }, words) => {
  // The version of a published package begins with its place; that of a fetched file, with any directories of the upstream.
  const places = version.split('/');
  const [distribution, component] = places.length === 3 && !isRemote ? places : ['stable', 'main'];
  const own = `/etc/apt/keyrings/${workspace}-${repository}.asc`;
  const conf = `/etc/apt/auth.conf.d/${workspace}-${repository}.conf`;
  return [
    lines(
      `apt · ${words.setUp}`,
      ...(isRemote ? [] : [`curl -fLu "token:$STOCKROOM_TOKEN" ${at}/key.asc -o ${own}`]),
      `install -m 600 /dev/null ${conf}`,
      `echo "machine ${at}/ login token password $STOCKROOM_TOKEN" > ${conf}`,
      `echo "deb [signed-by=${isRemote ? '/usr/share/keyrings/<upstream>.gpg' : own}] ${at} ${distribution} ${component}" > /etc/apt/sources.list.d/${workspace}-${repository}.list`,
    ),
    lines(`apt · ${words.install}`, `apt-get update && apt-get install ${name}`),
    lines(
      `curl · ${words.publish}`,
      `curl -fu "token:$STOCKROOM_TOKEN" -T ${name}_1.0-1_all.deb ${at}/pool/${distribution}/${component}/`,
    ),
  ];
};
