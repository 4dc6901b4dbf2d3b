import { retiredFrom } from '../../../shared/packages/generations/document-sets.ts';

const now = new Date('2026-01-10T00:00:00.000Z');
const agedSet = (days: number, files: readonly string[]) => ({
  at: new Date(now.getTime() - days * 24 * 60 * 60 * 1000).toISOString(),
  files,
});

describe('Files that no set of documents names any more', () => {
  it('stay for three days after the last set that named them', () => {
    const retired = [agedSet(4, ['a']), agedSet(2, ['b'])];
    const { kept, gone } = retiredFrom({ files: ['c', 'd'], retired }, ['d', 'e'], now);
    expect(gone).toEqual(['a']);
    expect(kept).toEqual([agedSet(2, ['b']), agedSet(0, ['c'])]);
  });

  it('are also the entry documents of the set before', () => {
    const { kept } = retiredFrom({ files: ['c'], snapshot: 's', retired: [] }, ['c', 't'], now);
    expect(kept).toEqual([agedSet(0, ['s'])]);
  });

  it('come back when a set names them again', () => {
    const retired = [agedSet(4, ['a', 'b'])];
    const { kept, gone } = retiredFrom({ files: ['c'], retired }, ['a', 'c'], now);
    expect([kept, gone]).toEqual([[], ['b']]);
  });

  it('leave a few at a time, the oldest first', () => {
    const retired = Array.from({ length: 6 }, (_, at) => agedSet(10 - at, [`a${at}`, `b${at}`]));
    const { kept, gone } = retiredFrom({ files: ['c'], retired }, ['c'], now);
    expect(gone).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
    expect(kept).toEqual(retired.slice(4));
  });
});
