import { getDebianDocument } from '../../functions/debian/contracts.ts';
import { getRpmDocument } from '../../functions/rpm/contracts.ts';
import { distsOf } from '../types/debian-upstreams.ts';
import { repodataOf } from '../types/rpm-upstreams.ts';
import type { UpstreamContent } from './contents.ts';

const text = 'the file';

/** What an upstream for dnf has. */
export const rpm = (): UpstreamContent => {
  const path = 'Packages/tool-1.0-1.noarch.rpm';
  const lists = Object.entries(repodataOf({ [path]: text })).map(([at, list]) => [`/${at}`, list] as const);
  return {
    contents: { ...Object.fromEntries(lists), [`/${path}`]: text },
    document: { contract: getRpmDocument, path: 'repodata/repomd.xml', text: '<repomd ', at: '/repodata/repomd.xml' },
    file: { contract: getRpmDocument, path, text, at: `/${path}` },
  };
};

/** What an upstream for apt has. */
export const debian = (): UpstreamContent => {
  const path = 'pool/main/t/tool/tool_1.0_all.deb';
  // It begins as an archive of ar does.
  const archive = `!<arch>\n${text}`;
  const dists = Object.entries(distsOf({ [path]: archive }, { isPlain: true })).map(
    ([at, content]) => [`/${at}`, String(content)] as const,
  );
  const inRelease = 'dists/stable/InRelease';
  return {
    contents: { ...Object.fromEntries(dists), [`/${path}`]: archive },
    document: { contract: getDebianDocument, path: inRelease, text: 'Codename: stable', at: `/${inRelease}` },
    file: { contract: getDebianDocument, path, text: archive, at: `/${path}` },
  };
};
