import { ApiError } from '../../shared/errors.ts';
import { gunzipped } from '../../shared/gzip.ts';
import type { Call } from '../../shared/http/call.ts';
import { readSmallBlob } from '../../shared/packages/blobs/small-blobs.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { findSetFile, lastSet } from '../../shared/packages/generations/document-sets.ts';
import { answerHashed } from '../../shared/packages/generations/hashed-documents.ts';
import { serveBlob } from '../../shared/packages/serve/file-answers.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { type Answer, textType } from './answers.ts';
import type { getDebianDocument } from './contracts.ts';
import { documentOf, entryDocuments, findDistribution, lastRelease } from './distributions.ts';
import { type DocumentByHash, distributionIn, type EntryName, listedIn } from './paths.ts';

type DebianCall = Call<typeof getDebianDocument>;

const missing = (): ApiError => new ApiError('FILE_NOT_FOUND');

/** The Release of a distribution, or what signs it. */
export const answerMade = async (
  call: DebianCall,
  sources: Sources,
  { directory, entry }: { readonly directory: string; readonly entry: EntryName },
): Promise<Answer> => {
  const distribution = distributionIn(directory);
  if (distribution === undefined) throw missing();
  const found = await findDistribution(call, sources, distribution);
  // A client asks for the signature of the Release that it got before: a publication in between changes nothing of it.
  const last = entry === 'Release.gpg' ? await lastSet(call, documentOf(distribution)) : undefined;
  const content = last?.[entry] ?? (await entryDocuments(call, distribution, found))[entry] ?? '';
  const { headers } = found;
  return answerHashed(call, { headers, fileName: entry, mediaType: textType, content: Buffer.from(content) });
};

/** Where a list is: its distribution, and its hash. */
interface MadeList {
  readonly distribution: string;
  readonly sha256: string;
}

/** Answers with a list as it is stored; undefined if no set of the last three days named it. */
const answerList = async (call: DebianCall, { distribution, sha256 }: MadeList): Promise<Answer | undefined> => {
  const list = await findSetFile(call, documentOf(distribution), sha256);
  const headers = originHeaders({ origins: [call.repository.name] });
  return list && serveBlob(call, { file: 'Packages.gz', mediaType: fileMediaType, ...list }, headers);
};

/** Answers with the text in a list. */
const answerText = async (call: DebianCall, { distribution, sha256 }: MadeList): Promise<Answer> => {
  const list = await findSetFile(call, documentOf(distribution), sha256);
  const packed = list && (await readSmallBlob(call.table, list.blob));
  if (!packed) throw missing();
  const headers = originHeaders({ origins: [call.repository.name] });
  const content = await gunzipped(packed);
  return answerHashed(call, { headers, fileName: 'Packages', mediaType: textType, content });
};

/** Answers with a list by its plain name: that of the Release which was made last. */
export const answerMadeDocument = async (
  call: DebianCall,
  sources: Sources,
  { directory, file }: { readonly directory: string; readonly file: string },
): Promise<Answer> => {
  const listed = listedIn(directory, file);
  if (!listed) throw missing();
  const { distribution, path } = listed;
  const last = await lastSet(call, documentOf(distribution));
  const made =
    last?.Release === undefined
      ? await entryDocuments(call, distribution, await findDistribution(call, sources, distribution))
      : last;
  const documents = lastRelease(made)?.documents;
  const packed = documents?.get(file.endsWith('.gz') ? path : `${path}.gz`);
  if (!packed || !documents?.has(path)) throw missing();
  const list = { distribution, sha256: packed.sha256 };
  if (!file.endsWith('.gz')) return answerText(call, list);
  const answer = await answerList(call, list);
  if (!answer) throw missing();
  return answer;
};

/** Answers with a list by its hash: one of a set of the last three days, or the text in one of the last set. */
export const answerMadeHash = async (call: DebianCall, { directory, file }: DocumentByHash): Promise<Answer> => {
  const listed = listedIn(directory, 'Packages');
  if (!listed) throw missing();
  const { distribution } = listed;
  const answer = await answerList(call, { distribution, sha256: file });
  if (answer) return answer;
  const release = lastRelease(await lastSet(call, documentOf(distribution)));
  const packed = release?.documents.get(`${release.pathsByHash.get(file)}.gz`);
  if (!packed) throw missing();
  return answerText(call, { distribution, sha256: packed.sha256 });
};
