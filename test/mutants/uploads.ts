import { bugsIn, type Mutant } from './mutant.ts';

const inParts = 'functions/packages/publish-upload-in-parts';

/** Bugs in uploads in parts and in the function that verifies them. */
export const uploadMutants: readonly Mutant[] = [
  ...bugsIn('functions/packages/part-sizes.ts', 'functions/packages/create-upload', {
    'a session has more parts than an answer has room for': ['if (count > partsMax)', 'if (count > 10 * partsMax)'],
    'a file that one request can send is sent in parts': [
      'size > (wanted ?? partBytesMax)',
      'size >= (wanted ?? partBytesMax)',
    ],
  }),
  ...bugsIn('functions/packages/upload-session.ts', inParts, {
    'missing parts are not missed': ['? await flawOfParts(file, signal) :', '? undefined :'],
  }),
  ...bugsIn('functions/packages/verified-files.ts', 'faults/uploads', {
    'bytes that were swept are not verified again': [
      'isInParts(file) && blobs[position] === undefined)',
      'isInParts(file) && position < 0)',
    ],
  }),
  ...bugsIn('shared/packages/uploads/verification.ts', [inParts, 'faults/uploads'], {
    'any hash is the announced one': ['if (found === sha256)', "if (found !== '')"],
    'bytes that the workspace has need no verification': [
      'if (isVerified && (await findStoredBlob',
      'if ((await findStoredBlob',
    ],
    'a copy of wrong bytes stays': ['  await copy?.upload.abort();\n  return {', '  return {'],
    'a run begins at the first byte': ['if (isContinued) return', 'if (isContinued && size < 0) return'],
  }),
  ...bugsIn('shared/table/packages/uploads.ts', [inParts, 'faults/uploads'], {
    'several runs verify a session': ['(attribute_not_exists(#runUntil) OR #runUntil <= :now)', 'attribute_exists(pk)'],
    'two workers take one run over': ["if: '#runId = :from AND ", "if: '"],
  }),
  ...bugsIn('shared/table/packages/uploads.ts', 'scale/open-uploads', {
    'a session that failed counts until it expires': ['session.slot === undefined ? []', "'slot' in session ? []"],
  }),
  ...bugsIn('functions/packages/seen-sessions.ts', 'functions/packages/list-uploads', {
    'a member sees the sessions of all': ['workspaceId, actor.id)', 'workspaceId)'],
    'an admin sees no session of others': [
      'openSessions(table, workspaceId);',
      'openSessions(table, workspaceId, actor.id);',
    ],
    'a token sees sessions beyond its repositories': ['return among ?', 'return !among ?'],
    'a token that may not publish sees sessions': ["if (limits?.level === 'canView') return [];", ''],
  }),
  ...bugsIn('functions/packages/list-uploads.ts', 'functions/packages/list-uploads', {
    'a list of sessions has no end': [' ?? listEntriesMax', ' ?? 100_000'],
  }),
  ...bugsIn('shared/table/packages/open-uploads.ts', 'functions/packages/list-uploads', {
    'sessions that have ended are listed': ["if (kind !== 'session' || !isOpen(item))", "if (kind !== 'session')"],
    'uploads of images are listed as sessions': ["if (kind !== 'session' || !isOpen(item))", 'if (!isOpen(item))'],
  }),
  ...bugsIn('functions/packages/delete-upload.ts', 'functions/packages/delete-upload', {
    'any session of the caller is deleted': ['item.uploadId === uploadId', 'item.uploadId !== undefined'],
    'parts arrive at a session that was deleted': [
      'if (isInParts(file)) await new MultipartUpload(file.key, file.parts.uploadId, signal).abort();',
      '',
    ],
    'what was sent to a deleted session stays': ['await deleteObject(file.key, signal);', ''],
  }),
  ...bugsIn('shared/table/packages/uploads.ts', 'functions/packages/delete-upload', {
    'a session that was published is deleted': ["if: 'attribute_not_exists(#published) AND ", "if: '"],
    'a session whose files were refused is deleted': [
      "#published) AND attribute_not_exists(#failure)' },\n    uploadEnded",
      "#published)' },\n    uploadEnded",
    ],
    'a deleted session counts until it expires': ['uploadEnded(owner, slot, uploadId),', ''],
  }),
  ...bugsIn('functions/packages/publish-upload.ts', 'functions/packages/delete-upload', {
    'a completion asks for the files of a deleted session': [
      "if (!found) throw new ApiError('UPLOAD_NOT_FOUND')",
      'if (!found) throw error',
    ],
  }),
  ...bugsIn('functions/packages/publish-upload.ts', 'scale/open-uploads', {
    'a session whose files are refused goes on': ['refusals.has(error.code)', "error.code === 'FILE_PENDING'"],
    'files that are refused stay staged': [
      'await failUpload(table, session.uploadId, session, { failure })',
      '!(await failUpload(table, session.uploadId, session, { failure }))',
    ],
  }),
];
