import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { longRequestMilliseconds } from '../../shared/limits.ts';
import { bestEffort } from '../../shared/observability/best-effort.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { type StagedFile, stagedFiles } from '../../shared/packages/uploads/staged-files.ts';
import { deleteObject } from '../../shared/store/objects.ts';
import { Table } from '../../shared/table/client.ts';
import { uploadKey } from '../../shared/table/keys.ts';
import { completeUpload, failUpload, type UploadSession } from '../../shared/table/packages/uploads.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { formatOf } from '../package-formats.ts';
import { publishUpload } from './contracts.ts';
import { publishedFiles } from './published-files.ts';
import { announcedBytes, requireArrival, sessionKeys, sessionOf } from './upload-session.ts';
import { verifiedFiles } from './verified-files.ts';

type PublishCall = Call<typeof publishUpload>;
type Session = ReturnType<typeof sessionOf>;
type Published = NonNullable<UploadSession['published']>;

/** The maximum size of a session that is completed within the usual time limit of a request, if no file is sent in parts. */
const quickBytesMax = 64 * 1024 * 1024;

const publishSession = async (call: PublishCall, table: Table, session: Session): Promise<Published> => {
  const { repository, loaded } = call;
  const { definition, format } = await formatOf(repository.packageType);
  const target = uploadTargetOf(repository, loaded);
  const staged = stagedFiles(session.uploadId, session.files);
  if (session.failure === undefined) await Promise.all(staged.map((file) => requireArrival(file, table.signal)));
  const received = await verifiedFiles(table, session.uploadId, session, staged);
  const files = received.map((each, index) => ({ name: staged[index]?.name ?? '', received: each }));
  const content = await format.read(session, files).catch(async (error: unknown) => {
    if (error instanceof ApiError && refusals.has(error.code))
      await bestEffort(endRefused(table, session, staged, error.message));
    throw error;
  });
  const published = { contentId: contentIdOf(target), name: content.name, version: content.version };
  const publishing = { ...call, table };
  await publishTo(publishing, definition, target, {
    session: { uploadId: session.uploadId, ends: completeUpload(session.uploadId, session, published) },
    ...content,
  });
  await removeStaged(staged, table.signal);
  return published;
};

/** What a package type says of files that it does not take. */
const refusals: ReadonlySet<string> = new Set(['PACKAGE_INVALID', 'BODY_MALFORMED']);

/** Ends a session whose files are refused: neither they nor what it says of them can change. If this fails, it ends by itself later. */
const endRefused = async (table: Table, session: Session, staged: readonly StagedFile[], failure: string) => {
  if (await failUpload(table, session.uploadId, session, { failure })) await removeStaged(staged, table.signal);
};

/** Removes the files from the staging area. If this fails, the lifecycle of the bucket removes them later. */
const removeStaged = async (staged: readonly StagedFile[], signal: AbortSignal): Promise<void> =>
  bestEffort(Promise.all(staged.map(({ key }) => deleteObject(key, signal))));

/**
 * Publishes a session once. If another request publishes or deletes the session at the same time, this one may fail, because the
 * version exists or the staged files are gone. It then returns the result of the other request, or throws UPLOAD_NOT_FOUND.
 */
const publishOnce = async (call: PublishCall, session: Session): Promise<Published> => {
  if (session.published) return session.published;
  const isInOne = session.files.every(({ parts }) => parts === undefined);
  const isQuick = isInOne && announcedBytes(session.files) <= quickBytesMax;
  const table = isQuick ? call.table : new Table(longRequestMilliseconds, call.table);
  try {
    return await publishSession(call, table, session);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE') throw error;
    const key = uploadKey(session.uploadId);
    const found = (await table.read([key])).find(key);
    if (!found) throw new ApiError('UPLOAD_NOT_FOUND');
    if (!found.published) throw error;
    return found.published;
  }
};

export const handler = endpoint(
  publishUpload,
  async (call) => {
    const session = sessionOf(call);
    const published = await publishOnce(call, session);
    return publishedFiles(
      call,
      published,
      session.files.map(({ name }) => name),
    );
  },
  { alsoRead: (request) => [...sessionKeys(request.params.upload), ...alsoReadSources(request)] },
);
