import type { RequestListener } from 'node:http';
import { sha256 } from '../harness/bytes.ts';
import { serving, type Upstream } from '../harness/upstream.ts';
import type { Package } from './drivers/driver.ts';

/** What an upstream of one package type is like. */
export interface UpstreamType {
  /** The URL of a remote repository over the upstream. */
  readonly urlOf: (upstream: Upstream) => string;
  /** What the upstream serves of a package, by path: all the versions that are given, oldest first. */
  readonly documentsOf: (upstream: Upstream, versions: readonly Package[]) => Promise<Record<string, RequestListener>>;
}

/** Content with an entity tag. */
export const etagged = (content: string | Uint8Array, mediaType: string): RequestListener =>
  serving(content, {
    'Content-Type': mediaType,
    ETag: `"${sha256(content)}"`,
  });
