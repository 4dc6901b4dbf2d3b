/** The repository that a file of settings is for. */
export interface SetUp {
  readonly workspace: string;
  readonly repository: string;
  readonly group: string;
  /** The address of the repository, without a slash at its end. */
  readonly url: string;
  /** Whether its lists have a signature of this service. */
  readonly isSigned: boolean;
}

/** The lines for /etc/yum.repos.d. The credential is the client's own. */
export const renderSettings = ({ workspace, repository, group, url, isSigned }: SetUp): string => {
  const id = [workspace, repository, ...group.split('/')].filter((part) => part !== '').join('-');
  const base = group === '' ? url : `${url}/${group}`;
  return [
    `[${id}]`,
    `name=${[repository, group].filter((part) => part !== '').join(' ')} of ${workspace}`,
    `baseurl=${base}`,
    // dnf takes the list in place of the base URL. What it leads to stays the same while repomd.xml and its signature are read; zypper would
    // keep the list, and send no credential to what is in it.
    ...(isSigned ? [`mirrorlist=${base}/mirrorlist`] : []),
    'enabled=1',
    // Packages are served as they were published: whoever signs them sets this to 1, and adds the key.
    'gpgcheck=0',
    `repo_gpgcheck=${isSigned ? 1 : 0}`,
    ...(isSigned ? [`gpgkey=${base}/repodata/repomd.xml.key`] : []),
    '# Add your credential: username=token and password=… with a token.',
    '',
  ].join('\n');
};
