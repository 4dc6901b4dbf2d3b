import { needApi } from '../pass-on.ts';
import { refuseWhileReadOnly } from '../read-only.ts';
import { ReadingTable } from '../table/reading-table.ts';

/** A write is the API's, which refuses it while the service is read-only: then the front goes on without it as the API does. */
const passOn = async (): Promise<never> => {
  refuseWhileReadOnly();
  return needApi();
};

/** The table in the bundle of the front, in place of the one that writes. */
class PassingTable extends ReadingTable {
  readonly write = passOn;
  readonly update = passOn;

  async writeUnrecorded(writes: readonly unknown[]): Promise<undefined> {
    return writes.length === 0 ? undefined : passOn();
  }
}

export { PassingTable as Table };
