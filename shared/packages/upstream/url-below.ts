/** The address of a path below the URL of an upstream, with or without a slash at its end. The path is encoded as the type wants it. */
export const urlBelow = (upstream: string, path: string): string => {
  const url = new URL(upstream);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url.href;
};

/** The URL of a path at an upstream, which is the same path there. */
export const urlOfPath = ({ remoteRepositoryUrl }: { readonly remoteRepositoryUrl: string }, path: string): string =>
  urlBelow(remoteRepositoryUrl, path.split('/').map(encodeURIComponent).join('/'));
