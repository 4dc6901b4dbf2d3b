import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isFull, isOutOfRoom } from '../../../infra/local/disk-space.ts';

const failureOf = (path: string): unknown => {
  try {
    writeFileSync(path, 'some bytes');
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('A disk', () => {
  it('has no room for what would leave less than the reserve', () => {
    const folder = tmpdir();
    expect([isFull(folder, 0), isFull(folder, 0, 1_000)]).toEqual([false, false]);
    expect([isFull(folder, Number.MAX_SAFE_INTEGER), isFull(folder, 0, Number.MAX_SAFE_INTEGER)]).toEqual([true, true]);
  });

  it('that is full is known from the failure of a write, and from no other failure', () => {
    expect(isOutOfRoom(failureOf('/dev/full'))).toBe(true);
    expect(isOutOfRoom(failureOf('/nowhere/file'))).toBe(false);
  });
});
