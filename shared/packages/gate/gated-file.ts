import { ApiError } from '../../errors.ts';
import type { PackageFile } from '../../table/packages/packages.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { type LoadedDocument, loadDocument, type UpstreamDocument } from '../fetch/remote-documents.ts';
import type { Release } from '../releases/gate-of.ts';
import {
  gateFor,
  type HeldRelease,
  heldBy,
  heldError,
  isHeld,
  type OpenGate,
  observedHeaders,
} from '../releases/open-gate.ts';
import { withSeen } from '../releases/release-times.ts';
import type { FileAddress } from '../sources/resolution.ts';
import type { FetchRequest } from '../upstream/upstream-request.ts';

/** What the index of an upstream says of the version or the file in an address; undefined if it does not list it. */
export type ReleaseOf<Address extends FileAddress = FileAddress> = (
  request: FetchRequest,
  source: RemoteRepository,
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

/** A file that the upstream no longer lists: with `serve`, it counts as published when it was kept. */
const unlisted = ({ gate }: OpenGate, { version }: FileAddress, file: PackageFile): Release | undefined =>
  gate.withdrawnUpstream === 'serve' ? { id: version, version, publishedAt: Date.parse(file.createdAt) } : undefined;

const withdrawn = { state: 'held', why: 'its upstream no longer lists it' } as const;

/** A file and what its index says of it. */
interface AskedFile<Address extends FileAddress> {
  readonly address: Address;
  /** The kept copy, if there is one. */
  readonly file: PackageFile | undefined;
  readonly releaseOf: ReleaseOf<Address>;
}

const heldFile = <Address extends FileAddress>(
  open: OpenGate,
  { address, file }: AskedFile<Address>,
  listed: Release | undefined,
): HeldRelease | undefined => {
  const { name, version } = address;
  const release = listed ?? (file && unlisted(open, address, file));
  if (release) return heldBy(open, name, release);
  return { name, release: { id: version, version }, held: withdrawn, repository: open.repository };
};

const required = async <Address extends FileAddress>(
  request: FetchRequest,
  source: RemoteRepository,
  open: OpenGate,
  asked: AskedFile<Address>,
): Promise<'passes' | 'not listed'> => {
  const listed = await asked.releaseOf(request, source, asked.address);
  // Nothing says when it was published: it may not be fetched.
  if (!listed && !asked.file) return 'not listed';
  const held = heldFile(open, asked, listed);
  if (held) throw heldError(held);
  return 'passes';
};

/** What a gate that only observes says: nothing while the index of the upstream cannot be had. */
const observed = async (passing: Promise<unknown>): Promise<Readonly<Record<string, string>>> => {
  try {
    await passing;
    return {};
  } catch (error) {
    if (isHeld(error)) return observedHeaders;
    if (error instanceof ApiError) return {};
    throw error;
  }
};

/**
 * Asks the gate of a remote source about a file, and returns headers for the answer; 'not listed' if the upstream is not to be asked for
 * it. Throws VERSION_HELD, and as `loadDocument`.
 */
export const passGate = async <Address extends FileAddress>(
  request: FetchRequest,
  source: RemoteRepository,
  asked: AskedFile<Address>,
): Promise<Readonly<Record<string, string>> | 'not listed'> => {
  const open = gateFor(source, asked.address.name);
  if (!open) return {};
  const passing = required(request, source, open, asked);
  if (open.gate.mode === 'observe') return observed(passing);
  return (await passing) === 'passes' ? {} : 'not listed';
};
