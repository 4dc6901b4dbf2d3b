import type { createUpload, createUploadUrls, deleteUpload, publishUpload } from '../../packages/contracts.ts';
import { change, isPassing, part, RefusedRequest, type Result } from './api.ts';
import type { Place } from './routes.ts';
import { sha256 } from './sha256.ts';

/** How far an upload is, in bytes. */
export interface UploadProgress {
  readonly step: 'hashing' | 'sending' | 'verifying';
  readonly done: number;
  readonly total: number;
}

/** What is published as one version. The type of the repository says whether name and version come from the file. */
export interface NewVersion {
  readonly files: readonly File[];
  readonly packageName: string;
  readonly packageVersion: string;
}

type Session = Result<typeof createUpload>;
type Report = (progress: UploadProgress) => void;

/** A range of a file that is to be sent. */
interface Piece {
  readonly url: string;
  readonly header: string | null;
  readonly bytes: Blob;
}

const mebibyte = 1024 ** 2;
/** How many bytes are hashed at once: a multiple of the blocks of SHA-256. */
const hashedBytes = 4 * mebibyte;
/** The usual size of a part: what a cut may cost. */
const partBytesUsual = 16 * mebibyte;
/** A session has at most 1,000 parts, and each file has one that is not full. */
const partsPlanned = 900;
const sentAtOnce = 3;
const pauseMilliseconds = 2_000;

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const sizeOf = (files: readonly { readonly size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

const bytesOf = async (blob: Blob): Promise<Uint8Array> => new Uint8Array(await blob.arrayBuffer());

/** The hashes of files that were hashed already: who goes on need not wait for them again. */
const hashes = new WeakMap<File, string>();

const hashOf = async (file: File, passed: (bytes: number) => void): Promise<string> => {
  const hash = sha256();
  let at = 0;
  for (; at + hashedBytes < file.size; at += hashedBytes) {
    hash.take(await bytesOf(file.slice(at, at + hashedBytes)));
    passed(hashedBytes);
  }
  passed(file.size - at);
  return hash.end(await bytesOf(file.slice(at)));
};

/** What the session announces of each file. */
const announced = async (files: readonly File[], report: Report) => {
  let done = 0;
  const total = sizeOf(files);
  const passed = (bytes: number) => {
    done += bytes;
    report({ step: 'hashing', done, total });
  };
  const found: { name: string; sizeInBytes: number; sha256: string }[] = [];
  for (const file of files) {
    const hash = hashes.get(file) ?? (await hashOf(file, passed));
    hashes.set(file, hash);
    found.push({ name: file.name, sizeInBytes: file.size, sha256: hash });
  }
  return found;
};

const pathOf = ({ workspace, repository }: Place) =>
  `/1/workspaces/${part(workspace)}/repositories/${part(repository)}/packages/uploads` as const;

/** What an earlier session for the same files still waits for; undefined if there is none, or it has ended. */
const missingOf = async (place: Place, id: string | null): Promise<Session | undefined> => {
  if (id === null) return undefined;
  try {
    return await change<typeof createUploadUrls>('POST', `${pathOf(place)}/${part(id)}/urls`);
  } catch (error) {
    if (error instanceof RefusedRequest && error.code === 'UPLOAD_NOT_FOUND') return undefined;
    throw error;
  }
};

/** Goes on with the session that this browser has begun for the same version, or begins one. */
const openSession = async (place: Place, { files, packageName, packageVersion }: NewVersion, report: Report) => {
  const found = await announced(files, report);
  const partSizeInBytes = Math.max(partBytesUsual, Math.ceil(sizeOf(files) / partsPlanned / mebibyte) * mebibyte);
  const names = { ...(packageName && { packageName }), ...(packageVersion && { packageVersion }) };
  const body = { ...names, partSizeInBytes, files: found };
  const note = `stockroom-upload ${pathOf(place)} ${JSON.stringify(body)}`;
  const before = await missingOf(place, localStorage.getItem(note));
  const session = before ?? (await change<typeof createUpload>('POST', pathOf(place), body));
  localStorage.setItem(note, session.id);
  return { session, note };
};

/** The pieces that a session waits for. */
const piecesOf = ({ files: missing }: Session, files: readonly File[]): readonly Piece[] =>
  missing.flatMap(({ name, uploadUrl, uploadHeader, parts }): Piece[] => {
    const file = files.find((each) => each.name === name);
    if (!file) return [];
    if (uploadUrl !== null) return [{ url: uploadUrl, header: uploadHeader, bytes: file }];
    return parts.map(({ uploadUrl: url, offsetInBytes: at, sizeInBytes }) => ({
      url,
      header: null,
      bytes: file.slice(at, at + sizeInBytes),
    }));
  });

/** Sends a piece to the store. The type of the file must stay away: the signature covers no such header. */
const sendPiece = async ({ url, header, bytes }: Piece): Promise<void> => {
  const [name = '', value = ''] = header?.split(': ') ?? [];
  const headers = name ? { [name]: value } : {};
  const answer = await fetch(url, { method: 'PUT', credentials: 'omit', headers, body: bytes.slice() });
  if (!answer.ok) throw new Error(`The store answered ${answer.status}.`);
};

/** Sends pieces, some at once. When one fails, no other begins, and those on their way may arrive: what has arrived stays. */
const sendAll = async (pieces: readonly Piece[], total: number, report: Report): Promise<void> => {
  const waiting = [...pieces];
  let done = total - sizeOf(pieces.map(({ bytes }) => bytes));
  const lane = async (): Promise<void> => {
    for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
      report({ step: 'sending', done, total });
      await sendPiece(piece).catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
      done += piece.bytes.size;
      report({ step: 'sending', done, total });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: sentAtOnce }, lane));
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
};

/** Completes a session. The service verifies what came in parts, and says to ask again until it has. */
const complete = async (place: Place, id: string): Promise<void> => {
  try {
    await change<typeof publishUpload>('POST', `${pathOf(place)}/${part(id)}`);
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== 'FILE_PENDING') throw error;
    await pause(pauseMilliseconds);
    await complete(place, id);
  }
};

/** Ends a session that nobody goes on with: its files count towards the storage limit as long as it is open. If this fails, it ends by itself. */
const discard = async ({ workspace }: Place, id: string): Promise<unknown> =>
  change<typeof deleteUpload>('DELETE', `/1/workspaces/${part(workspace)}/uploads/${part(id)}`).catch(() => undefined);

/**
 * Publishes files as one version through an upload session. After a failure, the same call sends only what has not arrived: the
 * browser notes the session, so that this also works after the page was closed.
 */
export const publishFiles = async (place: Place, version: NewVersion, report: Report): Promise<void> => {
  const total = sizeOf(version.files);
  const { session, note } = await openSession(place, version, report);
  await sendAll(piecesOf(session, version.files), total, report);
  report({ step: 'verifying', done: total, total });
  try {
    await complete(place, session.id);
  } catch (error) {
    // What the service has refused for good stays refused: the next try begins anew.
    if (!isPassing(error)) {
      localStorage.removeItem(note);
      await discard(place, session.id);
    }
    throw error;
  }
  localStorage.removeItem(note);
};
