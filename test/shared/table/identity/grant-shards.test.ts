import { randomUUID } from 'node:crypto';
import { permissionLevels } from '../../../../shared/access.ts';
import { levelIn, levelsIn, shardFrom } from '../../../../shared/table/identity/grant-shards.ts';

describe('A shard of grants', () => {
  it('holds the level on each repository, and none on others', () => {
    const levels = new Map(
      Array.from({ length: 700 }, (_, index) => [randomUUID(), permissionLevels[index % 3] ?? 'canView'] as const),
    );
    const shard = shardFrom(levels);
    expect(shard.packed).toHaveLength(700 * 17);
    expect(levelsIn(shard)).toEqual(levels);
    for (const [id, level] of levels) expect(levelIn(shard, id)).toBe(level);
    expect(levelIn(shard, randomUUID())).toBeUndefined();
    expect([levelIn(undefined, randomUUID()), levelsIn(undefined).size]).toEqual([undefined, 0]);
  });

  it('does not take the end of one grant and the beginning of the next for a grant', () => {
    const [one, two] = ['a0000000-0000-4000-8000-00000000000a', 'b0000000-0000-4000-8000-00000000000b'];
    const shard = shardFrom(
      new Map([
        [one, 'canView'],
        [two, 'canManage'],
      ]),
    );
    const text = Buffer.from(shard.packed).toString('hex');
    for (let at = 1; at < 17; at += 1) {
      const id = text.slice(at * 2, at * 2 + 32).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
      expect(levelIn(shard, id)).toBeUndefined();
    }
    // The true grant comes after places that look like it: a level is the byte 01, too.
    const ones = '01010101-0101-0101-0101-010101010101';
    const after = shardFrom(
      new Map([
        [`a0${ones.slice(2)}`, 'canView'],
        [ones, 'canDeploy'],
      ]),
    );
    expect(levelIn(after, ones)).toBe('canDeploy');
  });
});
