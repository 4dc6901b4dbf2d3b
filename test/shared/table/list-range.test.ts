import { rangeOf } from '../../../shared/table/list-range.ts';

const endOf = (prefix: string) => rangeOf({ pk: 'p', prefix }).ExpressionAttributeValues[':end' as never] as unknown;

/** How DynamoDB sorts: by the bytes of UTF-8. */
const isBefore = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

const last = '\u{10FFFF}';

describe('The range of a list', () => {
  it.each(['TOKEN#', 'MEMBER#', 'a', 'ä', '\uD7FF', '\uFFFF', '🎉', `a${last}`, `a${last}${last}`])(
    'holds everything with the prefix %j, and ends before all else',
    (prefix) => {
      const end = String(endOf(prefix));
      for (const rest of ['', '\u0000', 'z', last, last.repeat(9)]) expect(isBefore(prefix + rest, end)).toBe(true);
      expect(end.startsWith(prefix)).toBe(false);
      expect(end.isWellFormed()).toBe(true);
    },
  );

  it.each([
    ['TOKEN#', 'TOKEN$'],
    ['MEMBER#', 'MEMBER$'],
    ['a', 'b'],
  ])('of %s ends where %s begins', (prefix, next) => {
    expect(isBefore(next, String(endOf(prefix)))).toBe(false);
  });

  it('of a prefix that nothing follows has no end', () => {
    expect(endOf(last)).toBeUndefined();
    expect(rangeOf({ pk: 'p', prefix: last }).KeyConditionExpression).toBe('pk = :pk AND sk >= :prefix');
  });

  it('without a prefix is the whole partition', () => {
    expect(rangeOf({ pk: 'p', prefix: '' })).toEqual({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'p' },
    });
  });
});
