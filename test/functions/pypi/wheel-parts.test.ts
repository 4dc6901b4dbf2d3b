import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { fileKey } from '../../../shared/table/packages/package-keys.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { coreMetadata, usePythonRepository, wheelName, wheelOf } from '../../harness/pypi.ts';
import { stored, useRemotes } from '../../harness/remote-repositories.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { type ZipEntry, zipOf } from '../../harness/zips.ts';

const { service, upstream } = useRemotes();
const { get, page, remote } = usePythonRepository(service);

/** An answer to a request for a part. */
interface Part {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** How an upstream answers the requests for parts, of which the first one has the number 0. */
type Sending = (part: Part, at: number, whole: Buffer) => Part | ((response: ServerResponse) => void);

const asTheyAre: Sending = (part) => part;

const partOf = (whole: Buffer, range: string): Part => {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const from = first === '' ? Math.max(0, whole.length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? whole.length - 1 : Number(last);
  return {
    status: 206,
    headers: { 'Content-Range': `bytes ${from}-${to}/${whole.length}`, ETag: '"one"' },
    body: whole.subarray(from, to + 1),
  };
};

/** The upstream has a wheel of a new project, and its page says nothing of METADATA. Returns what the wheel is. */
const offer = (
  makeWheel: (each: { name: string; version: string }) => Buffer = wheelOf,
  sending: Sending = asTheyAre,
  fields: object = {},
) => {
  const each = { name: uniqueName('project'), version: '1.0' };
  const [wheel, filename] = [makeWheel(each), wheelName(each)];
  const url = `/packages/${filename}`;
  const file = { filename, url, hashes: { sha256: sha256(wheel) }, size: wheel.length, ...fields };
  const sent = JSON.stringify({ meta: { 'api-version': '1.1' }, name: each.name, files: [file] });
  let parts = 0;
  upstream.answer = ({ url: path, headers: { range } }, response) => {
    if (path === `/simple/${each.name}/`) return void response.end(sent);
    if (path !== url) return void response.writeHead(404).end();
    if (range === undefined) return void response.end(wheel);
    const answer = sending(partOf(wheel, range), parts, wheel);
    parts += 1;
    return typeof answer === 'function'
      ? answer(response)
      : void response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const path = `files/${each.name}/1.0/${filename}`;
  return { ...each, wheel, filename, path };
};

/** What the upstream was asked for of wheels: their parts, or all of them. */
const asked = (): string[] =>
  upstream.requests
    .filter(({ url }) => url?.startsWith('/packages/'))
    .map(({ headers: { range = 'all' } }) => range.replace('bytes=', ''));

const cached = async (): Promise<Named> => remote({ remoteRepositoryUrl: upstream.url });

const isKept = async ({ id }: Named, { name, filename }: ReturnType<typeof offer>, ending = ''): Promise<boolean> =>
  (await stored(fileKey({ contentId: id, name }, '1.0', filename + ending))) !== undefined;

const filler = (path: string, bytes: number): ZipEntry => ({ path, content: randomBytes(bytes), method: 0 });

const metadataIn = (each: { name: string; version: string }, fields: Partial<ZipEntry> = {}): ZipEntry => ({
  path: `${each.name.replaceAll('-', '_')}-1.0.dist-info/METADATA`,
  content: coreMetadata(each),
  ...fields,
});

/** METADATA and the directory of such a wheel begin before its end. */
const largeWheel = (each: { name: string; version: string }): Buffer => {
  const files = Array.from({ length: 60 }, (_, at) => ({ path: 'f'.repeat(5_000) + at }));
  return zipOf([filler('a', 2_000_000), metadataIn(each), filler('b', 2_000_000), ...files]);
};

describe('METADATA that an upstream does not have', () => {
  it('is read from the end of the wheel, and kept without the wheel', async () => {
    const offered = offer();
    const repository = await cached();
    const { files } = await page(offered.name, repository);
    expect(files[0]).toMatchObject({ 'core-metadata': true });
    const read = async (ending = '.metadata') => {
      const { text, headers } = await get(offered.path + ending, { repository });
      return [text, headers['x-stockroom-cache']];
    };
    expect(await read()).toEqual([coreMetadata(offered), 'miss']);
    expect(await read()).toEqual([coreMetadata(offered), 'hit']);
    expect(asked()).toEqual(['-262144']);
    expect([await isKept(repository, offered, '.metadata'), await isKept(repository, offered)]).toEqual([true, false]);
    expect(await read('')).toEqual([offered.wheel.toString(), 'miss']);
    expect(asked()).toEqual(['-262144', 'all']);
  });

  it.each([
    ['says its size', {}],
    ['does not', { size: undefined }],
  ])('is read from parts of a large wheel if the page %s', async (_, fields) => {
    const offered = offer(largeWheel, asTheyAre, fields);
    const repository = await cached();
    const { text } = await get(`${offered.path}.metadata`, { repository });
    expect(text).toBe(coreMetadata(offered));
    const [end, ...parts] = asked();
    expect([end, parts.length]).toEqual(['-262144', 2]);
    for (const [first = 0, last = 0] of parts.map((part) => part.split('-').map(Number)))
      expect(last - first).toBeLessThan(1024 * 1024);
    expect(await isKept(repository, offered)).toBe(false);
  });

  it('is asked for once, whoever waits', async () => {
    const offered = offer(wheelOf, (part) => (response) => {
      setTimeout(() => response.writeHead(part.status, part.headers).end(part.body), 500);
    });
    const repository = await cached();
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => get(`${offered.path}.metadata`, { repository })),
    );
    expect(answers.map(({ text }) => text)).toEqual(answers.map(() => coreMetadata(offered)));
    expect(asked()).toEqual(['-262144']);
  });

  it.each([
    ['is kept', null, ['all']],
    ['was kept, and is asked for again', 0, ['all', 'all']],
  ])('is read from a wheel that %s', async (_, fileCacheTimeTillRevalidation, expected) => {
    const offered = offer(wheelOf, asTheyAre, { hashes: {} });
    const repository = await remote({ remoteRepositoryUrl: upstream.url, fileCacheTimeTillRevalidation });
    await get(offered.path, { repository });
    expect((await get(`${offered.path}.metadata`, { repository })).text).toBe(coreMetadata(offered));
    expect(asked()).toEqual(expected);
    expect(await isKept(repository, offered, '.metadata')).toBe(false);
  });

  it('is read once more where the wheel has no hash and the time of the copy is over', async () => {
    const offered = offer(wheelOf, asTheyAre, { hashes: {} });
    const repository = await remote({ remoteRepositoryUrl: upstream.url, fileCacheTimeTillRevalidation: 0 });
    for (const _ of [1, 2])
      expect((await get(`${offered.path}.metadata`, { repository })).text).toBe(coreMetadata(offered));
    expect(asked()).toEqual(['-262144', '-262144']);
  });

  itAnswers('403 VERSION_HELD if the wheel is held back, of which nothing is read', async () => {
    const offered = offer(wheelOf, asTheyAre, { 'upload-time': new Date().toISOString() });
    const repository = await remote({ remoteRepositoryUrl: upstream.url, releaseGate: { minimumAgeHours: 24 } });
    const answer = await get(`${offered.path}.metadata`, { repository });
    expect(asked()).toEqual([]);
    return answer;
  });
});

/** A part that says something else of itself. */
const saying =
  (headers: (part: Part) => Readonly<Record<string, string>>, number = 0): Sending =>
  (part, at) =>
    at < number ? part : { ...part, headers: { ...part.headers, ...headers(part) } };

const rangeOf = ({ headers }: Part): string => headers['Content-Range'] ?? '';

const liars: Readonly<Record<string, Sending>> = {
  'refuses parts': () => ({ status: 403, headers: {}, body: Buffer.of() }),
  'knows no parts': () => ({ status: 405, headers: {}, body: Buffer.of() }),
  'has no such part': () => ({ status: 416, headers: {}, body: Buffer.of() }),
  'sends another part': saying((part) => ({ 'Content-Range': rangeOf(part).replace(/\d+-/, '7-') })),
  'does not say which part it sends': saying(() => ({ 'Content-Range': 'none' })),
  'has a wheel of another size': saying((part) => ({ 'Content-Range': rangeOf(part).replace(/\d+$/, '9$&') })),
  'breaks a part off': (part) => (response) => {
    response.writeHead(206, { ...part.headers, 'Content-Length': String(part.body.length) });
    response.write(part.body.subarray(0, 1_000), () => response.destroy());
  },
  'sends less than a part': (part) => ({ ...part, body: part.body.subarray(1) }),
  'sends more than a part': (part) => ({ ...part, body: Buffer.concat([part.body, Buffer.of(0)]) }),
  'sends other bytes': (part) => ({ ...part, body: Buffer.alloc(part.body.length) }),
  'has a wheel of another size at the second part': saying(
    (part) => ({ 'Content-Range': rangeOf(part).replace(/\d+$/, '9$&') }),
    1,
  ),
  'has another wheel at the second part': saying(() => ({ ETag: '"other"' }), 1),
  'has no wheel at the second part': (part, at) => (at === 0 ? part : { ...part, status: 404 }),
  'sends all at the second part': (part, at, whole) =>
    at === 0 ? part : { status: 200, headers: { ETag: '"one"' }, body: whole },
};

describe('An upstream', () => {
  it.each(Object.entries(liars))('that %s is asked for the wheel, whose hash is checked', async (_, sending) => {
    const offered = offer(largeWheel, sending);
    const repository = await cached();
    const { status, text } = await get(`${offered.path}.metadata`, { repository });
    expect([status, text]).toEqual([200, coreMetadata(offered)]);
    expect(asked().at(-1)).toBe('all');
    expect(asked().length).toBeLessThanOrEqual(3);
    expect([await isKept(repository, offered, '.metadata'), await isKept(repository, offered)]).toEqual([false, true]);
  });

  it('that sends all of the wheel is not asked again', async () => {
    const offered = offer(largeWheel, (_part, _at, whole) => ({ status: 200, headers: {}, body: whole }));
    const repository = await cached();
    expect((await get(`${offered.path}.metadata`, { repository })).text).toBe(coreMetadata(offered));
    expect([asked(), await isKept(repository, offered)]).toEqual([['-262144'], true]);
  });

  itAnswers('502 UPSTREAM_FAILED while it fails, which is not asked again at once', async () => {
    const answers = [];
    for (const status of [503, 429]) {
      const headers = { 'Retry-After': '9' };
      const offered = offer(wheelOf, () => ({ status, headers, body: Buffer.of() }));
      answers.push(await get(`${offered.path}.metadata`, { repository: await cached() }));
      expect(asked()).toEqual(['-262144']);
      upstream.requests.length = 0;
    }
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for a wheel whose METADATA cannot be read, in parts or as a whole', async () => {
    const bomb = (each: { name: string; version: string }) =>
      zipOf([metadataIn(each, { content: Buffer.alloc(11 * 1024 * 1024) })]);
    const liar = (each: { name: string; version: string }) =>
      zipOf([metadataIn(each, { content: Buffer.alloc(11 * 1024 * 1024), saidSize: 100 })]);
    const outside = (each: { name: string; version: string }) => {
      const wheel = wheelOf(each);
      // Where the directory says that each of the files begins (APPNOTE.TXT section 4.3.12).
      for (let at = wheel.indexOf('PK\x01\x02'); at !== -1; at = wheel.indexOf('PK\x01\x02', at + 1))
        wheel.writeUInt32LE(0x7fff_ffff, at + 42);
      return wheel;
    };
    const nowhere = (each: { name: string; version: string }) => {
      const wheel = wheelOf(each);
      wheel.writeUInt32LE(0x7fff_ffff, wheel.lastIndexOf('PK\x05\x06') + 16);
      return wheel;
    };
    const answers = [];
    for (const makeWheel of [bomb, liar, outside, nowhere]) {
      const offered = offer(makeWheel);
      const repository = await cached();
      answers.push(await get(`${offered.path}.metadata`, { repository }));
      expect(await isKept(repository, offered, '.metadata')).toBe(false);
    }
    return answers;
  });

  it('is asked for a few parts at most, however large the directory of the wheel is', async () => {
    const makeWheel = (each: { name: string; version: string }) => {
      const files = Array.from({ length: 1_000 }, (_, at) => ({ path: 'f'.repeat(5_000) + at }));
      return zipOf([...files, metadataIn(each)]);
    };
    const offered = offer(makeWheel);
    const { text } = await get(`${offered.path}.metadata`, { repository: await cached() });
    expect([text, asked().length, asked().at(-1)]).toEqual([coreMetadata(offered), 6, 'all']);
  });
});
