import { ApiError, invalid } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { isInParts, type StagedFile, stagedFiles } from '../../shared/packages/uploads/staged-files.ts';
import { headObject } from '../../shared/store/objects.ts';
import { uploadKey } from '../../shared/table/keys.ts';
import { isOpen, type UploadSession } from '../../shared/table/packages/uploads.ts';
import { insertImport } from '../../shared/table/repositories/advisory-imports.ts';
import { advisoryImportKey } from '../../shared/table/repositories/advisory-keys.ts';
import { createAdvisoryImport } from './contracts.ts';
import { begunRecord } from './record.ts';
import { startRun } from './start.ts';
import { advisedTypes } from './types.ts';

const keyOf = (upload: string) => uploadKey(upload.toLowerCase());

/** The only file of a session of the caller. Throws UPLOAD_NOT_FOUND and REQUEST_INVALID. */
const fileOf = (upload: string, session: UploadSession | undefined, actorId: string): StagedFile => {
  if (!session || session.actor.id !== actorId || !isOpen(session) || session.published)
    throw new ApiError(
      'UPLOAD_NOT_FOUND',
      'This upload session is not yours, was completed, or has expired: begin another one.',
    );
  const [file, ...others] = stagedFiles(upload.toLowerCase(), session.files);
  if (file && others.length === 0 && !isInParts(file)) return file;
  const message = 'upload must be a session with the archive as its only file, which is not sent in parts.';
  throw invalid([{ pointer: '/upload', rule: 'oneFile', message }]);
};

const requireArrival = async ({ name, key, size, sha256 }: StagedFile, signal: AbortSignal): Promise<void> => {
  const found = await headObject(key, signal);
  if (found?.size === size && found.sha256 === sha256) return;
  throw new ApiError(
    'UPLOAD_INCOMPLETE',
    `'${name}' has not arrived as it was announced: send it with PUT to its uploadUrl and with its uploadHeader first.`,
  );
};

export const handler = endpoint(
  createAdvisoryImport,
  async ({ body, caller, table, loaded, remember }) => {
    const { packageType, upload, allowsFewerEntries } = body;
    const file = fileOf(upload, loaded.find(keyOf(upload)), caller.actor.id);
    await requireArrival(file, table.signal);
    const fields = {
      packageType,
      allowsFewer: allowsFewerEntries ?? false,
      objectKey: file.key,
      size: file.size,
      sha256: file.sha256,
    };
    const begun = await insertImport(table, { ...fields, createdBy: caller.user.userId }, remember);
    if (begun === 'key reused') throw new ApiError('IDEMPOTENCY_KEY_REUSED');
    await startRun(table, begun);
    return begunRecord(begun);
  },
  {
    rules: [
      ({ packageType }) =>
        packageType === undefined || advisedTypes.some(({ name }) => name === packageType)
          ? []
          : [
              {
                pointer: '/packageType',
                rule: 'packageType',
                message: `packageType must be one of those with advisories: ${advisedTypes.map(({ name }) => name).join(', ')}.`,
              },
            ],
    ],
    alsoRead: ({ body }) => (typeof body.upload === 'string' ? [keyOf(body.upload)] : []),
    answerAgain: async ({ table }, importId) => {
      const key = advisoryImportKey(importId);
      const found = (await table.read([key])).find(key);
      return found && begunRecord(found);
    },
  },
);
