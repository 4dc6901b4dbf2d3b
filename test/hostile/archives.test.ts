import { execFileSync } from 'node:child_process';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { Answer } from '../harness/client.ts';
import { roundsOf, shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { useDebian } from '../types/debian.ts';
import { controlOf, controlTar, debOf, debPath, debWith } from '../types/debian-files.ts';
import { gemOf, metadataYaml, useGems } from '../types/gems.ts';
import { useRpm } from '../types/rpm.ts';
import { headerOf, rpmOf, rpmPath, tagsOf } from '../types/rpm-files.ts';
import { tarOf } from '../types/tars.ts';

/** `ARCHIVES=10000` publishes so many packages of each type that are not what they seem; `npm test` some. */
jest.setTimeout(3_600_000);

const count = Number(process.env.ARCHIVES ?? roundsOf(60));
const service = useService();
const debian = useDebian(service);
const rpm = useRpm(service);
const gems = useGems(service);

const each = { name: 'tool', version: '1.0.0', content: 'c' };
const tar = controlTar(controlOf(each));
const header = headerOf(tagsOf(each));
const yaml = Buffer.from(metadataYaml(each));

const publishers = {
  debian: async (bytes: Buffer) => debian.put(debPath(each), bytes),
  rpm: async (bytes: Buffer) => rpm.put(rpmPath(each), bytes),
  gems: async (bytes: Buffer) => gems.push(bytes),
};
type Type = keyof typeof publishers;

/** A package, what is read of it, and a whole package around another one of that. */
const packages: Readonly<Record<Type, readonly [whole: Buffer, inner: Buffer, around: (inner: Buffer) => Buffer]>> = {
  debian: [debOf(each), tar, (inner) => debWith(['control.tar.gz', gzipSync(inner, { level: 0 })])],
  rpm: [rpmOf(each), header, (inner) => rpmOf(each, inner)],
  gems: [gemOf(each), yaml, (inner) => gemOf(each, inner.toString('latin1'))],
};

/** Bytes with one to three pieces cut out, doubled or replaced, or cut at their end. */
const changed = (valid: Buffer): fc.Arbitrary<Buffer> => {
  const change = fc.tuple(fc.nat(valid.length), fc.nat(40), fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.boolean()));
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) =>
    changes.reduce((bytes, [from, length, put]) => {
      const piece = bytes.subarray(from, from + length);
      if (put === true) return bytes.subarray(0, from);
      const middle = put === false ? Buffer.concat([piece, piece]) : put;
      return Buffer.concat([bytes.subarray(0, from), middle, bytes.subarray(from + middle.length)]);
    }, valid),
  );
};

describe.each(shareOf(Object.keys(publishers) as Type[], 3))('A package of %s', (type) => {
  const [whole, inner, around] = packages[type];

  it(`is published or refused with a reason, ${count} times with changed bytes`, async () => {
    const statuses: Record<string, number> = {};
    const mutated = fc.oneof(changed(whole), changed(inner).map(around));
    await fc.assert(
      fc.asyncProperty(mutated, async (bytes) => {
        const { status } = await publishers[type](bytes);
        statuses[status] = (statuses[status] ?? 0) + 1;
        expect([200, 201, 400, 409, 413, 422]).toContain(status);
      }),
      { numRuns: count },
    );
    if (count > 60) process.stderr.write(`${type}: ${JSON.stringify(statuses)}\n`);
    expect(Object.values(statuses).reduce((sum, of) => sum + of)).toBeGreaterThanOrEqual(count);
  });
});

const zeros = Buffer.alloc(300_000_000);
const bombs: Readonly<Record<string, () => Buffer>> = {
  'control.tar.gz': () => debWith(['control.tar.gz', gzipSync(zeros)]),
  'control.tar.zst': () => debWith(['control.tar.zst', zstdCompressSync(zeros)]),
  'control.tar.xz': () =>
    debWith(['control.tar.xz', execFileSync('xz', ['-0c'], { input: zeros, maxBuffer: 10_000_000 })]),
};

const gemWith = (metadata: Buffer): Buffer =>
  tarOf({
    'metadata.gz': metadata,
    'data.tar.gz': gzipSync(tarOf({ a: 'b' })),
    'checksums.yaml.gz': gzipSync('---\n'),
  });

/** A header whose introduction says another count of entries, or another size of its data. */
const lying = (at: number, value: number): Buffer => {
  const bytes = Buffer.from(header);
  bytes.writeUInt32BE(value, at);
  return rpmOf(each, bytes);
};

const expectRefused = async (answer: Answer): Promise<void> => {
  const { status, code, problem } = answer;
  expect([status, code, problem?.detail]).toEqual([400, 'BODY_MALFORMED', expect.any(String)]);
};

describe('An archive that inflates beyond all bounds', () => {
  it.each(Object.keys(bombs))('is refused: %s', async (name) => {
    await expectRefused(await publishers.debian(bombs[name]?.() ?? Buffer.alloc(0)));
  });

  it('is refused: metadata.gz', async () => {
    await expectRefused(await publishers.gems(gemWith(gzipSync(zeros))));
  });
});

describe('A header of rpm that lies', () => {
  it.each([
    ['entries', 8],
    ['bytes', 12],
  ])('about the number of its %s is refused', async (_, at) => {
    for (const value of [0, 1, 0x7fff_ffff, 0xffff_ffff, 60_000_000])
      await expectRefused(await publishers.rpm(lying(at, value)));
  });

  it('about a place, a type or a count in its index is refused, or names the same package', async () => {
    for (let entry = 16; entry < 16 + 16 * header.readUInt32BE(8); entry += 16)
      for (const field of [4, 8, 12])
        for (const value of [0x7fff_ffff, 0xffff_ffff]) {
          const { status } = await publishers.rpm(lying(entry + field, value));
          expect([201, 400, 409]).toContain(status);
        }
  });
});
