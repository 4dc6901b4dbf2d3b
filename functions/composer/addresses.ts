/** The parts of a request that the address of its repository needs. */
export interface RepositoryCall {
  readonly baseUrl: string;
  readonly params: { readonly workspace: string; readonly repository: string };
}

/** The URL of the repository in the address of a request, without a slash at its end. */
export const repositoryUrl = ({ baseUrl, params: { workspace, repository } }: RepositoryCall): string =>
  [baseUrl, 'composer', ...[workspace, repository].map(encodeURIComponent)].join('/');
