import { createHash } from 'node:crypto';
import { inBatches } from '../../harness/concurrency.ts';
import { digestOf, useImages } from '../../harness/images.ts';
import { roundsOf } from '../../harness/sampling.ts';
import { useService } from '../../harness/service.ts';

jest.setTimeout(3_600_000);

const service = useService();
const images = useImages(service);

/** With UPLOAD_SEQUENCES=10000, an hour. */
const sequences = Number(process.env.UPLOAD_SEQUENCES ?? roundsOf(40));
const stepsPerSequence = 12;
const atOnce = 6;

/** Numbers that follow from a seed, so that a failure can be repeated. */
const numbersFrom = (seed: number) => {
  let count = 0;
  return (below: number): number => {
    count += 1;
    return createHash('sha256').update(`${seed} ${count}`).digest().readUInt32BE(0) % below;
  };
};

/** An upload as the client knows it: what was accepted, and every address that an answer gave. */
interface Model {
  bytes: string;
  readonly locations: string[];
  isOver: boolean;
}

type Pick = ReturnType<typeof numbersFrom>;

/** What a sequence knows. `stored` has the blobs that the service said are there. */
interface Sequence {
  readonly image: string;
  readonly pick: Pick;
  readonly uploads: Model[];
  readonly stored: Map<string, string>;
  readonly refused: Set<string>;
}

const latest = ({ locations }: Model): string => locations.at(-1) ?? '';

/** Bytes of a small alphabet, so that different uploads often have the same. */
const bytesOf = (pick: Pick): string => 'ab'.charAt(pick(2)).repeat(pick(4));

/** An address that is out of date, altered, or that of another upload, with the refusal that it must get. */
const wrongAddress = ({ pick, uploads }: Sequence, upload: Model): readonly [string, readonly number[]] => {
  const [path = '', state = ''] = latest(upload).split('?state=');
  const other = uploads[pick(uploads.length)] ?? upload;
  const otherState = latest(other).split('?state=')[1] ?? '';
  const [version = '', seal = ''] = state.split('.');
  const addresses: readonly string[] = [
    upload.locations[pick(upload.locations.length)] ?? '',
    `${path}?state=${Number(version) + 1}.${seal}`,
    `${path}?state=${version}.${'A'.repeat(43)}`,
    `${path}?state=${otherState}`,
    path,
  ];
  return [addresses[pick(addresses.length)] ?? '', [404, 416]];
};

const append = async (sequence: Sequence, upload: Model): Promise<void> => {
  const { pick } = sequence;
  const bytes = bytesOf(pick);
  const start = upload.bytes.length;
  const isWrong = pick(4) === 0;
  const first = isWrong ? start + 1 + pick(3) : start;
  const hasRange = bytes.length > 0 && (isWrong || pick(2) === 0);
  const headers = hasRange ? [['Content-Range', `${first}-${first + bytes.length - 1}`] as const] : [];
  const answer = await images.send('PATCH', latest(upload), { body: bytes, headers });
  const expected = upload.isOver ? 404 : isWrong && hasRange ? 416 : 202;
  expect([answer.status, answer.text]).toEqual([expected, expect.anything()]);
  if (answer.status !== 202) return;
  upload.bytes += bytes;
  upload.locations.push(images.locationOf(answer));
};

const appendAtOnce = async ({ pick }: Sequence, upload: Model): Promise<void> => {
  const pieces = [`${bytesOf(pick)}x`, `${bytesOf(pick)}y`];
  const answers = await Promise.all(pieces.map((body) => images.send('PATCH', latest(upload), { body })));
  const accepted = answers.findIndex(({ status }) => status === 202);
  const statuses = answers.map(({ status }) => String(status)).toSorted();
  expect(statuses).toEqual(upload.isOver ? ['404', '404'] : ['202', '416']);
  if (accepted < 0) return;
  upload.bytes += pieces[accepted];
  upload.locations.push(images.locationOf(answers[accepted] as (typeof answers)[number]));
};

const misuse = async (sequence: Sequence, upload: Model): Promise<void> => {
  const [location, statuses] = wrongAddress(sequence, upload);
  if (location === latest(upload)) return;
  const claimed = digestOf(`${upload.bytes}z`);
  const answer =
    sequence.pick(2) === 0
      ? await images.send('PATCH', location, { body: 'z' })
      : await images.send('PUT', `${location}${location.includes('?') ? '&' : '?'}digest=${claimed}`, { body: 'z' });
  expect(statuses).toContain(answer.status);
  sequence.refused.add(claimed);
};

const ask = async ({ pick }: Sequence, upload: Model): Promise<void> => {
  const location = upload.locations[pick(upload.locations.length)] ?? '';
  const { status, headers } = await images.get(location);
  expect(status).toBe(upload.isOver ? 404 : 204);
  if (upload.isOver) return;
  expect(headers.range).toBe(`0-${Math.max(0, upload.bytes.length - 1)}`);
  upload.locations.push(String(headers.location));
};

const complete = async ({ pick, stored, refused }: Sequence, upload: Model): Promise<void> => {
  const rest = pick(2) === 0 ? '' : bytesOf(pick);
  const whole = upload.bytes + rest;
  const claimed = pick(3) === 0 ? `${whole}${'ab'.charAt(pick(2))}` : whole;
  const isRight = claimed === whole;
  const answer = await images.complete(latest(upload), claimed, rest);
  expect([answer.status, answer.text]).toEqual([upload.isOver ? 404 : isRight ? 201 : 400, expect.anything()]);
  if (answer.status !== 201) {
    refused.add(digestOf(claimed));
    return;
  }
  upload.isOver = true;
  stored.set(digestOf(whole), whole);
};

const end = async (_: Sequence, upload: Model): Promise<void> => {
  const { status } = await images.remove(latest(upload));
  expect(status).toBe(upload.isOver ? 404 : 204);
  upload.isOver = true;
};

const steps = [append, append, append, append, appendAtOnce, misuse, misuse, ask, complete, complete, end];

const run = async (seed: number): Promise<void> => {
  const pick = numbersFrom(seed);
  const sequence: Sequence = {
    image: `model/s${seed}`,
    pick,
    uploads: [],
    stored: new Map(),
    refused: new Set(),
  };
  for (let step = 0; step < stepsPerSequence; step += 1) {
    if (sequence.uploads.length === 0 || pick(5) === 0) {
      const location = await images.begin(sequence.image);
      sequence.uploads.push({ bytes: '', locations: [location], isOver: false });
    }
    const upload = sequence.uploads[pick(sequence.uploads.length)];
    const act = steps[pick(steps.length)];
    if (upload && act) await act(sequence, upload);
  }
  for (const [digest, bytes] of sequence.stored)
    expect((await images.get(`${sequence.image}/blobs/${digest}`)).text).toBe(bytes);
  for (const digest of sequence.refused)
    if (!sequence.stored.has(digest)) expect((await images.get(`${sequence.image}/blobs/${digest}`)).status).toBe(404);
};

it('No sequence of requests makes a digest vouch for other bytes', async () => {
  const first = Number(process.env.UPLOAD_SEED ?? 1);
  const seeds = Array.from({ length: sequences }, (_, index) => first + index);
  await inBatches(seeds, atOnce, async (seed) => {
    try {
      await run(seed);
    } catch (error) {
      throw new Error(`The sequence with the seed ${seed} fails (UPLOAD_SEED=${seed} UPLOAD_SEQUENCES=1).`, {
        cause: error,
      });
    }
  });
});
