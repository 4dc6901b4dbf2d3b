import { ApiError } from '../errors.ts';

/** What to do with a file that is too large for a request. */
export const wayOfLargerFiles =
  'Publish larger files through an upload session: POST /1/workspaces/{workspace}/repositories/{repository}/packages/uploads.';

/** The refusal of a body that is too large here. It names the limit and the way to publish larger files. */
export const tooLarge = (bytesMax: number): ApiError =>
  new ApiError('BODY_TOO_LARGE', `The request body must be at most ${bytesMax} bytes here. ${wayOfLargerFiles}`);
