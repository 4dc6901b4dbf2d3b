import type { RequestListener } from 'node:http';
import { sha256 } from '../harness/bytes.ts';
import { serving, type Upstream } from '../harness/upstream.ts';
import type { Package } from './drivers/driver.ts';

/** A version as an upstream has it. */
export interface UpstreamPackage extends Package {
  /** When it was published, as RFC 3339 says; absent where it does not matter. */
  readonly publishedAt?: string;
}

/** When a version was published of which a test says no time. */
export const longAgo = '2020-01-01T00:00:00Z';

/** What an upstream of one package type is like. */
export interface UpstreamType {
  /** The URL of a remote repository over the upstream. */
  readonly urlOf: (upstream: Upstream) => string;
  /** What the upstream serves of a package, by path: all the versions that are given, oldest first. */
  readonly documentsOf: (
    upstream: Upstream,
    versions: readonly UpstreamPackage[],
  ) => Promise<Record<string, RequestListener>>;
}

/** Content with an entity tag. */
export const etagged = (
  content: string | Uint8Array,
  mediaType: string,
  headers: Readonly<Record<string, string>> = {},
): RequestListener =>
  serving(content, {
    ...headers,
    'Content-Type': mediaType,
    ETag: `"${sha256(content)}"`,
  });
