import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipped } from '../../shared/gzip.ts';
import { readBlob } from '../../shared/packages/blobs/stored-bytes.ts';
import type { AskDocument, UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import type { RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import { askUpstream, type ReceivedAnswer } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { readMetadata } from '../../shared/upstream/read-metadata.ts';
import { UpstreamError } from '../../shared/upstream/upstream-error.ts';
import { requireIndex } from './compact-index.ts';
import { additionsTo } from './gate.ts';
import { isGemName, packageNameOf } from './names.ts';
import { readVersions } from './versions-list.ts';

const [plainVersion, plainPlatform] = [/\d{1,9}(?:\.[0-9A-Za-z]{1,15}){0,4}/, /[A-Za-z]\w{0,15}(?:[.-]\w{1,15}){0,2}/];
const plainText = `${plainVersion.source}(?:-${plainPlatform.source})?`;

/** What most lines say of a gem: versions that are there, in lengths that `isVersion` and `isPlatform` take. */
const plainLine = new RegExp(`^(\\S+) (${plainText}(?:,${plainText})*) ([0-9a-f]{32})$`);

/** The versions of a gem, separated by commas, and its hash. */
type Listed = readonly [versions: string, md5: string];

/** Gems by their names. Most have one plain line: to read each version by itself takes seconds, for the two millions of rubygems.org. */
const gemsIn = (lines: readonly string[]): ReadonlyMap<string, Listed> => {
  const gems = new Map<string, Listed>();
  const others = new Map<string, string[]>();
  for (const line of lines) {
    const [, plain, versions = '', md5 = ''] = plainLine.exec(line) ?? [];
    const name = plain ?? line.slice(0, Math.max(0, line.indexOf(' ')));
    const before = gems.get(name);
    if (plain !== undefined && !before && !others.has(name)) gems.set(name, [versions, md5]);
    else if (others.has(name)) others.get(name)?.push(line);
    else others.set(name, [...(before ? [`${name} ${before.join(' ')}`] : []), line]);
  }
  for (const [name, ofGem] of others) {
    const gem = readVersions(ofGem).get(name);
    gems.set(name, [gem?.versions.join() ?? '', gem?.md5 ?? '']);
  }
  return gems;
};

/** Reads the list of all gems of an upstream, as one entry for each gem that has versions. Other lines are left out. */
export const readUpstreamVersions = (list: Uint8Array, repositoryId: string): RepositoryIndex => {
  const lines = Buffer.from(list.buffer, list.byteOffset, list.length).toString().split('\n');
  const gems = Array.from(gemsIn(lines)).filter(([name, [versions]]) => versions !== '' && isGemName(name));
  const entries = gems.map(([name, listed]) => ({
    name: packageNameOf(name),
    version: `${repositoryId} ${name}`,
    parts: [name, '', ...listed],
  }));
  return { entries, updatedAt: undefined };
};

/** The SHA-256 that headers promise of a whole document (RFC 9530, and RFC 3230 before it), in Base64. */
const promisedSha256 = ({ headers }: ReceivedAnswer): string | undefined =>
  /\bsha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers['repr-digest'] ?? '')?.[1] ??
  /\bsha-256=([A-Za-z0-9+/]{43}=)/i.exec(headers.digest ?? '')?.[1];

/**
 * A list that has grown by an answer whose first byte is the last one of the list before; undefined unless the result is proven to be what
 * the upstream has now. A list that was written anew may have any byte there, so that nothing but its hash proves it.
 */
const grownBy = async (before: Buffer, answer: ReceivedAnswer): Promise<Buffer | undefined> => {
  const sent = await readMetadata(answer);
  if (sent[0] !== before.at(-1)) return undefined;
  const grown = Buffer.concat([before, sent.subarray(1)]);
  const sha256 = hash('sha256', grown, 'base64');
  return sha256 === promisedSha256(answer) ? grown : undefined;
};

/** Asks for what is behind the list that is kept: it grows at its end. Whatever else an upstream does, the whole list is asked for. */
const askForGrowth: AskDocument = async (table, question, kept) => {
  const packed = question.copy && kept?.blob && (await readBlob(table, kept.blob));
  if (!packed) return askUpstream(table, question);
  const before = await gunzipped(packed);
  const range = `bytes=${before.length - 1}-`;
  try {
    // Of a file, no compressed form is asked for, whose bytes would be others.
    const answer = await askUpstream(table, { ...question, content: 'file', range });
    if (answer.kind !== 'content' || answer.response.context.status !== 206) return answer;
    const grown = await grownBy(before, answer.response);
    if (grown) return { ...answer, response: { ...answer.response, headers: {}, body: Readable.from([grown]) } };
  } catch (error) {
    if (!(error instanceof UpstreamError && error.status === 416)) throw error;
  }
  return askUpstream(table, { ...question, copy: undefined });
};

/** The name of the list of all gems at an upstream, which is no name of a gem. */
export const versionsName: DocumentName = { name: '*', document: 'versions' };

/** The list of all gems at an upstream, which is kept as it was sent. */
export const upstreamVersions = ({
  remoteRepositoryUrl,
  repositoryId,
}: RemoteRepository): UpstreamDocument<RepositoryIndex> => ({
  ...versionsName,
  url: urlBelow(remoteRepositoryUrl, 'versions'),
  ask: askForGrowth,
  condense: (sent) => requireIndex(sent, 'versions'),
  parse: (kept) => readUpstreamVersions(kept, repositoryId),
  additions: additionsTo,
});
