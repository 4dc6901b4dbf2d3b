import * as shared from '../packages/blobs/shared-documents.ts';
import { needApi } from '../pass-on.ts';

export const { sharedDocumentKey, readShared } = shared;

/** The front may read what others have rendered. What nobody has, the API renders and shares. */
export const sharedSize: typeof shared.sharedSize = async (...asked) =>
  (await shared.sharedSize(...asked)) ?? needApi();
export const shareDocument = async (): Promise<never> => needApi();
export const shareLargeDocument = async (key: string): Promise<void> => {
  await sharedSize(key);
};
