import type { Table } from '../client.ts';
import { uploadUseKey } from '../keys.ts';
import { insertion } from '../writes.ts';

/** The use of a signed reference to a staged body. */
export interface UploadUse {
  /** In seconds. DynamoDB removes the item some time later. */
  readonly expiresAt: number;
}

/** A clock may be late. */
const marginSeconds = 60 * 60;

/** Notes that a reference is used, and returns false if it was used before. `expiresAt` is its end in milliseconds. */
export const useOnce = async (table: Table, referenceId: string, expiresAt: number): Promise<boolean> => {
  const use = { expiresAt: Math.ceil(expiresAt / 1000) + marginSeconds };
  return (await table.writeUnrecorded([insertion(uploadUseKey(referenceId), use)])) === undefined;
};
