import { ApiError } from '../../errors.ts';
import { countGated } from '../../observability/metrics.ts';
import type { PackageFile } from '../../table/packages/packages.ts';
import type { ReleaseGate } from '../../table/repositories/release-gate.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import type { RemoteSource } from '../../table/repositories/verdicts.ts';
import { type LoadedDocument, loadDocument, type UpstreamDocument } from '../fetch/remote-documents.ts';
import { type Decision, gateOfWithdrawn, type Release, type WithdrawnVersion } from '../releases/gate-of.ts';
import {
  gateFor,
  type HeldRelease,
  heldBy,
  heldError,
  isEnforced,
  isHeld,
  type OpenGate,
  observedHeaders,
  publishedHeaders,
} from '../releases/open-gate.ts';
import { withSeen } from '../releases/release-times.ts';
import { observedOn, rulingOn } from '../releases/rulings.ts';
import type { FileAddress } from '../sources/resolution.ts';
import type { FetchRequest } from '../upstream/upstream-request.ts';

type Headers = Readonly<Record<string, string>>;

/** What the index of an upstream says of the version or the file in an address; undefined if it does not list it. */
export type ReleaseOf<Address extends FileAddress = FileAddress> = (
  request: FetchRequest,
  source: RemoteSource,
  address: Address,
) => Promise<Release | undefined>;

/** The release with this ID in a document of an upstream. */
export const releaseById = async <D>(
  request: FetchRequest,
  source: RemoteRepository,
  document: UpstreamDocument<D>,
  id: string,
): Promise<Release | undefined> => {
  const loaded = await loadDocument(request, source, document);
  return loaded && releaseWithId(loaded, (content) => document.releases?.(content) ?? [], id);
};

/** The release with this ID in what was loaded of an upstream. */
export const releaseWithId = async <D>(
  { read, times }: LoadedDocument<D>,
  releases: (document: D) => Iterable<Release>,
  id: string,
): Promise<Release | undefined> => withSeen(releases(await read()), times).find((release) => release.id === id);

/** A gate of a repository, and the verdicts that may concern a name. */
type WithGate = OpenGate & { readonly gate: ReleaseGate };

/** What a gate decides of a kept version that the upstream no longer lists. */
export const decisionOnWithdrawn = ({ gate, ...open }: WithGate, name: string, kept: WithdrawnVersion): Decision =>
  gateOfWithdrawn(name, kept, gate, open);

/** What a client sees of a kept file that the upstream no longer lists (RFC 7234 section 5.5). */
const unlistedHeaders = { Warning: '199 - "The upstream no longer lists this version"' } as const;

/** A file and what its index says of it. */
interface AskedFile<Address extends FileAddress> {
  readonly address: Address;
  /** The kept copy, if there is one. */
  readonly file: PackageFile | undefined;
  readonly releaseOf: ReleaseOf<Address>;
}

/** The refusal of a version, whatever its index says of it. */
const refusal = ({ repository }: OpenGate, { name, version }: FileAddress, held: HeldRelease['held']): ApiError =>
  heldError({ name, release: { id: version, version }, held, repository });

const required = async <Address extends FileAddress>(
  request: FetchRequest,
  source: RemoteSource,
  open: WithGate,
  { address, file, releaseOf }: AskedFile<Address>,
): Promise<Headers | 'not listed'> => {
  const listed = await releaseOf(request, source, address);
  if (listed) {
    const held = heldBy(open, address.name, listed);
    if (held) throw heldError(held);
    return publishedHeaders(listed.publishedAt);
  }
  // Nothing says when it was published: it may not be fetched.
  if (!file) return 'not listed';
  const decision = decisionOnWithdrawn(open, address.name, file);
  if (decision.state !== 'passes') throw refusal(open, address, decision);
  return unlistedHeaders;
};

/** The headers of a file that would not leave if its gate did not only observe. */
const wouldHold = (): Headers => {
  countGated('wouldHold');
  return observedHeaders;
};

/**
 * The headers of a file whose version a verdict lets pass, or would not leave if the gate did not only observe: its time does not matter
 * then; undefined if neither verdicts nor advisories decide. Throws VERSION_BLOCKED if one of them blocks it.
 */
const ruled = (open: OpenGate, address: FileAddress): Headers | undefined => {
  const ruling = rulingOn(open, address.name, address.version);
  if (ruling?.state !== 'blocked') return ruling && {};
  if (!isEnforced(open, ruling)) return wouldHold();
  throw refusal(open, address, ruling);
};

/** What a gate that only observes says: nothing while the index of the upstream cannot be had. */
const observed = async (answer: ReturnType<typeof required>): Promise<Headers> => {
  try {
    const headers = await answer;
    return headers === 'not listed' ? {} : headers;
  } catch (error) {
    if (isHeld(error)) return wouldHold();
    if (error instanceof ApiError) return {};
    throw error;
  }
};

const passing = async <Address extends FileAddress>(
  request: FetchRequest,
  source: RemoteSource,
  { gate, ...open }: OpenGate,
  asked: AskedFile<Address>,
): Promise<Headers | 'not listed'> => {
  const headers = ruled(open, asked.address);
  if (headers || !gate) return headers ?? {};
  const answer = required(request, source, { ...open, gate }, asked);
  return gate.mode === 'observe' ? observed(answer) : answer;
};

/**
 * Asks the gate of a remote source about a file, and returns headers for the answer; 'not listed' if the upstream is not to be asked for
 * it. Throws VERSION_HELD, and as `loadDocument`.
 */
export const passGate = async <Address extends FileAddress>(
  request: FetchRequest,
  source: RemoteSource,
  asked: AskedFile<Address>,
): Promise<Headers | 'not listed'> => {
  const { name, version } = asked.address;
  await source.advisories?.read(request.table, name);
  const open = gateFor(source, name);
  if (!open) return {};
  const headers = await passing(request, source, open, asked);
  const isMarked = headers === 'not listed' || 'X-Stockroom-Gate' in headers;
  return isMarked || !observedOn(open, name, version) ? headers : { ...headers, ...wouldHold() };
};
