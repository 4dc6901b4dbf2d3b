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
  ...bugsIn('functions/packages/publish-upload.ts', 'scale/open-uploads', {
    'a session whose files are refused goes on': ['refusals.has(error.code)', "error.code === 'FILE_PENDING'"],
    'files that are refused stay staged': [
      'await failUpload(table, session.uploadId, session, { failure })',
      '!(await failUpload(table, session.uploadId, session, { failure }))',
    ],
  }),
];
