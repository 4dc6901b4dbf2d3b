import { gunzipSync } from 'node:zlib';
import { marshalList, text } from '../../../functions/gems/marshal.ts';
import type { SpecsList } from '../../../functions/gems/paths.ts';
import { renderSpecs } from '../../../functions/gems/specs.ts';
import type { ListedGem } from '../../../functions/gems/versions-list.ts';

/** Reads what these lists consist of in Ruby's Marshal format: lists, texts, and objects that make themselves of a value. */
const unmarshalled = (bytes: Buffer): unknown => {
  let at = 2;
  const integer = (): number => {
    const first = bytes.readInt8(at++);
    if (first === 0) return 0;
    if (first > 4) return first - 5;
    at += first;
    return bytes.readUIntLE(at - first, first);
  };
  const sized = (): string => {
    const length = integer();
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const values = (count: number): unknown[] => Array.from({ length: count }, () => value());
  const readers: Readonly<Record<string, () => unknown>> = {
    '[': () => values(integer()),
    '"': sized,
    ':': sized,
    T: () => true,
    U: () => ({ [String(value())]: value() }),
    I: () => {
      const read = value();
      if (values(2 * integer()).join() !== 'E,true') throw new Error(`The text at ${at} is not said to be UTF-8.`);
      return read;
    },
  };
  const value = (): unknown => {
    const kind = String.fromCharCode(bytes.readUInt8(at++));
    const reader = readers[kind];
    if (!reader) throw new Error(`There is '${kind}' at ${at - 1}.`);
    return reader();
  };
  const read = value();
  expect([bytes[0], bytes[1], at]).toEqual([4, 8, bytes.length]);
  return read;
};

const gem = (name: string, ...versions: string[]): ListedGem => ({ name, versions, md5: '0'.repeat(32) });

const read = async (gems: readonly ListedGem[], which: SpecsList): Promise<unknown> =>
  unmarshalled(gunzipSync(await renderSpecs(gems, which)));

const entry = (name: string, version: string, platform = 'ruby') => [name, { 'Gem::Version': [version] }, platform];

describe('The lists of names, versions and platforms', () => {
  const gems = [
    gem('one', '1.9.0', '2.0.0.pre', '1.10.0', '1.10.0-java', '1.2.0-java', '3.0.a-java', '?'),
    gem('two', '0.1.rc1'),
    gem('x'.repeat(150), '1'),
  ];

  it('have releases, the newest of them for each platform, and prereleases', async () => {
    expect(await read(gems, 'specs')).toEqual([
      entry('one', '1.9.0'),
      entry('one', '1.10.0'),
      entry('one', '1.10.0', 'java'),
      entry('one', '1.2.0', 'java'),
      entry('x'.repeat(150), '1'),
    ]);
    expect(await read(gems, 'latest_specs')).toEqual([
      entry('one', '1.10.0'),
      entry('one', '1.10.0', 'java'),
      entry('x'.repeat(150), '1'),
    ]);
    expect(await read(gems, 'prerelease_specs')).toEqual([
      entry('one', '2.0.0.pre'),
      entry('one', '3.0.a', 'java'),
      entry('two', '0.1.rc1'),
    ]);
    expect(await read([], 'specs')).toEqual([]);
  });

  it('have all versions of many gems, and are made without a buffer for each', async () => {
    const many = Array.from({ length: 2500 }, (_, index) =>
      gem(`gem-${index}`, ...[0, 1, 2, 3, 4, 5, 6, 7].map((minor) => `${index % 7}.${minor}.0`)),
    );
    const made = [jest.spyOn(Buffer, 'from'), jest.spyOn(Buffer, 'concat')];
    const list = await renderSpecs(many, 'specs');
    const calls = made.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    for (const each of made) each.mockRestore();
    expect(calls).toBeLessThan(100);
    const expected = many.flatMap(({ name, versions }) => versions.map((version) => entry(name, version)));
    expect(unmarshalled(gunzipSync(list))).toEqual(expected);
    const newest = many.map(({ name }, index) => entry(name, `${index % 7}.7.0`));
    expect(await read(many, 'latest_specs')).toEqual(newest);
  });

  it('have texts of any characters in UTF-8', () => {
    const texts = ['tool', 'Äda', '€ 😀', 'x'.repeat(300)];
    expect(unmarshalled(Buffer.concat([...marshalList(texts.length, texts.map(text))]))).toEqual(texts);
  });

  it('are written in parts of bounded size', () => {
    const items = Array.from({ length: 70_000 }, (_, index) => text(`item ${index}`));
    const parts = [...marshalList(items.length, items)];
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(66_000);
    expect(parts.length).toBeLessThan(30);
    expect(unmarshalled(Buffer.concat(parts))).toHaveLength(70_000);
  });
});
