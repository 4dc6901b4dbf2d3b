import { grownVersions, type ListedGem, readVersions } from '../../../functions/gems/versions-list.ts';

const gem = (name: string, versions: string, md5: string): ListedGem => ({
  name,
  versions: versions.split(','),
  md5: md5.repeat(32),
});

const behind = (text: string): string[] => text.split('\n').slice(2, -1);

describe('The list of all versions', () => {
  it('begins with a line for each gem, and grows by what has changed', () => {
    const first = grownVersions(undefined, [gem('a', '1,2', '1'), gem('b', '1', '2')]);
    expect(behind(first)).toEqual([`a 1,2 ${'1'.repeat(32)}`, `b 1 ${'2'.repeat(32)}`]);
    const second = grownVersions(first, [gem('a', '2,3', '3'), gem('b', '1', '2')]);
    expect(second).toBe(`${first}a 3,-1 ${'3'.repeat(32)}\n`);
    expect(grownVersions(second, [gem('a', '2,3', '3'), gem('b', '1', '2')])).toBe(second);
  });

  it('tells a change of the hash alone, with a version that is known', () => {
    const first = grownVersions(undefined, [gem('a', '1,2', '1')]);
    expect(grownVersions(first, [gem('a', '1,2', '2')])).toBe(`${first}a 2 ${'2'.repeat(32)}\n`);
  });

  it('tells once that a gem is gone, and that it is back', () => {
    const first = grownVersions(undefined, [gem('a', '1,2', '1')]);
    const second = grownVersions(first, []);
    expect(behind(second).at(-1)).toMatch(/^a -1,-2 [0-9a-f]{32}$/);
    expect(grownVersions(second, [])).toBe(second);
    expect(grownVersions(second, [gem('a', '1', '1')])).toBe(`${second}a 1 ${'1'.repeat(32)}\n`);
  });

  it('begins anew once its history is larger than what it lists', () => {
    let text = grownVersions(undefined, [gem('a', '1', '1')]);
    let longest = 0;
    for (let at = 0; at < 4000; at += 1) {
      text = grownVersions(text, [gem('a', '1', String(at % 10))]);
      longest = Math.max(longest, text.length);
    }
    expect(longest).toBeGreaterThan(90_000);
    expect(longest).toBeLessThan(110_000);
  });

  it('is read with what is gone and what is new, and without lines of another form', () => {
    const md5 = '0'.repeat(32);
    const lines = [`a 1,2,x y ${md5}`, `a 1,2-java,?,3-x_y ${md5}`, `a -1 ${'1'.repeat(32)}`, 'b 1', `c 1 ${md5}x`];
    expect([...readVersions(lines).values()]).toEqual([
      { name: 'a', versions: ['2-java', '3-x_y'], md5: '1'.repeat(32) },
    ]);
  });
});
