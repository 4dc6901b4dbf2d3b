import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { credentialsOf } from '../../infra/local/credentials.ts';
import { RolePolicy } from '../../infra/local/role-policy.ts';
import { local } from '../../infra/local/template.ts';
import { sha256 } from '../harness/bytes.ts';
import type { Reply } from '../harness/wire.ts';
import { inlineBytesMax, sampleBytesMax } from '../sample-endpoints/samples/contracts.ts';
import { problemOf, useSamples } from './sample-service.ts';

const samples = useSamples();

type Headers = readonly (readonly [string, string])[];

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
const uploadSession = 'POST /1/workspaces/{workspace}/repositories/{repository}/packages/uploads';
const octets = ['Content-Type', 'application/octet-stream'] as const;

const put = (path: string, body: Uint8Array | string = 'x', headers: Headers = [octets]): Promise<Reply> =>
  samples.send({ method: 'PUT', path: `${samples.place}/${path}`, headers, body });
const get = (path: string, headers: Headers = [], method = 'GET'): Promise<Reply> =>
  samples.send({ method, path: `${samples.place}/${path}`, headers }, samples.viewer);
const jsonOf = ({ status, text }: Reply): unknown => [status, JSON.parse(text)];

describe('A body of bytes', () => {
  it.each(['name/1.0.0', '@scope%2fname', '@scope%2Fname', 'a%2520b', 'a/b/', 'a//b', '%C3%A9', '1.0+build', 'a%00b'])(
    '201 at %s, which arrives as it was sent, byte for byte',
    async (path) => {
      const sample = { name: path, sizeInBytes: everyByte.length, sha256: sha256(everyByte) };
      expect(jsonOf(await put(path, everyByte))).toEqual([201, sample]);
    },
  );

  it('201 when it is empty, and when it has as many bytes as it may', async () => {
    for (const body of ['', Buffer.alloc(sampleBytesMax, 1)])
      expect(jsonOf(await put('size', body))).toMatchObject([201, { sizeInBytes: body.length, sha256: sha256(body) }]);
  });

  it('413 BODY_TOO_LARGE with one byte more: the sentence says the limit and the way for larger files', async () => {
    const { code, detail } = problemOf(await put('size', Buffer.alloc(sampleBytesMax + 1)), 413);
    expect([code, detail]).toEqual(['BODY_TOO_LARGE', expect.stringContaining(`at most ${sampleBytesMax} bytes`)]);
    expect(detail).toContain(uploadSession);
  });

  it('413 BODY_TOO_LARGE where Lambda does not even take it, in the same words', async () => {
    const { code, detail } = problemOf(await put('size', Buffer.alloc(5_000_000)), 413);
    expect([code, detail]).toEqual(['BODY_TOO_LARGE', expect.stringContaining('4.5 MB')]);
    expect(detail).toContain(uploadSession);
  });

  it.each([
    ['of another type', [['Content-Type', 'application/json']]],
    ['of a type that only begins alike', [['Content-Type', 'text/plainer']]],
    ['of no type', []],
  ] as [string, Headers][])('415 MEDIA_TYPE_UNSUPPORTED when it is %s', async (_, headers) => {
    const { code, detail } = problemOf(await put('type', 'x', headers), 415);
    expect([code, detail]).toEqual([
      'MEDIA_TYPE_UNSUPPORTED',
      'Send the body as application/octet-stream or text/plain, uncompressed.',
    ]);
  });

  it('415 MEDIA_TYPE_UNSUPPORTED when it is compressed', async () => {
    const { code, detail } = problemOf(await put('type', 'x', [octets, ['Content-Encoding', 'gzip']]), 415);
    expect([code, detail]).toEqual(['MEDIA_TYPE_UNSUPPORTED', 'Send the body uncompressed, without Content-Encoding.']);
  });

  it('201 whatever the parameters of its type', async () => {
    expect((await put('type', 'x', [['Content-Type', 'TEXT/plain;charset=utf-8']])).status).toBe(201);
  });

  it('403 FORBIDDEN before anything is said of the body', async () => {
    const request = {
      method: 'PUT',
      path: `${samples.place}/a`,
      headers: [['Content-Type', 'a/b']] as Headers,
      body: '',
    };
    expect(problemOf(await samples.send(request, samples.viewer), 403).code).toBe('FORBIDDEN');
  });
});

const boundary = 'the-boundary';
const field = (name: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, content: Uint8Array | string, part = 'sampleFiles'): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${name}"\r\n`),
    Buffer.from('Content-Type: application/gzip\r\n\r\n'),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const form = (...parts: (Uint8Array | string)[]): Buffer =>
  Buffer.concat([...parts.map((part) => Buffer.from(part)), Buffer.from(`--${boundary}--\r\n`)]);

describe('A multipart body', () => {
  const post = (body: Uint8Array | string, mediaType = `multipart/form-data; boundary=${boundary}`): Promise<Reply> =>
    samples.send({ method: 'POST', path: samples.place, headers: [['Content-Type', mediaType]], body });
  const label = field('label', 'new');

  it('201 with several files, streamed one after the other, and its fields', async () => {
    const files = [
      ['first.tgz', everyByte],
      ['zwölf.tgz', Buffer.alloc(300_000, 7)],
      ['empty', Buffer.alloc(0)],
    ] as const;
    const parts = files.map(([name, content]) => file(name, content));
    const stored = files.map(([name, content]) => ({ name, sizeInBytes: content.length, sha256: sha256(content) }));
    expect(jsonOf(await post(form(...parts, label)))).toEqual([201, { label: 'new', samples: stored }]);
  });

  it.each([
    ['ends in a file', file('a', 'x'.repeat(100_000)).subarray(0, 5_000)],
    ['ends in a field', Buffer.from(field('label', 'new')).subarray(0, -5)],
    ['has no end', Buffer.concat([file('a', 'x'), Buffer.from(label)])],
    ['has another boundary', Buffer.from('--other\r\n\r\n--other--\r\n')],
    ['is empty', Buffer.alloc(0)],
    ['has a field twice', form(label, label, file('a', 'x'))],
    ['has a field that is too long', form(field('note', 'x'.repeat(64 * 1024 + 1)), label, file('a', 'x'))],
    ['has too many fields', form(...Array.from({ length: 101 }, (_, n) => field(`f${n}`, '')), file('a', 'x'))],
    ['has too many files', form(label, ...Array.from({ length: 101 }, () => file('a', 'x')))],
  ])('400 BODY_MALFORMED when it %s', async (_, body) => {
    expect(problemOf(await post(body), 400).code).toBe('BODY_MALFORMED');
  });

  it('400 BODY_MALFORMED when its type names no boundary', async () => {
    const mediaType = 'multipart/form-data; charset=utf-8';
    expect(problemOf(await post(form(label, file('a', 'x')), mediaType), 400).code).toBe('BODY_MALFORMED');
  });

  const missing = { pointer: '/label', rule: 'required', message: 'label is required: it must be lowercase letters.' };
  it.each([
    ['an unknown file', [label, file('a', 'x'), file('b', 'x', 'others')], [{ pointer: '/others', rule: 'unknown' }]],
    ['an unknown field', [label, field('extra', '1'), file('a', 'x')], [{ pointer: '/extra', rule: 'unknown' }]],
    [
      'a field of Object',
      [label, field('__proto__', '1'), file('a', 'x')],
      [{ pointer: '/__proto__', rule: 'unknown' }],
    ],
    ['a missing field', [file('a', 'x')], [missing]],
    ['a wrong field', [field('label', 'NEW'), file('a', 'x')], [{ pointer: '/label', rule: 'pattern' }]],
    ['two wrong fields', [field('note', 'x'.repeat(101)), file('a', 'x')], [missing, { pointer: '/note' }]],
    ['no file', [label], [{ pointer: '/sampleFiles', rule: 'required' }]],
    [
      'the file in a field',
      [label, field('sampleFiles', 'x')],
      [{ rule: 'unknown' }, { pointer: '/sampleFiles', rule: 'required' }],
    ],
  ])('400 REQUEST_INVALID for %s', async (_, parts, violations) => {
    const problem = problemOf(await post(form(...parts)), 400);
    expect([problem.code, problem.violations]).toMatchObject(['REQUEST_INVALID', violations]);
  });

  it('400 REQUEST_INVALID for a broken field, behind which no file is read', async () => {
    const stored = async (content: string): Promise<boolean> => {
      const s3 = new S3Client({
        endpoint: samples.runner.storeUrl,
        region: local.region,
        forcePathStyle: true,
        credentials: credentialsOf('runner'),
      });
      const Prefix = `blobs/${samples.workspace.id}/sha256/${sha256(content)}`;
      const { KeyCount } = await s3.send(new ListObjectsV2Command({ Bucket: samples.runner.bucket, Prefix }));
      s3.destroy();
      return KeyCount === 1;
    };
    const broken = field('label', 'NEW');
    expect((await post(form(broken, file('a', 'behind a broken field')))).status).toBe(400);
    expect((await post(form(label, file('a', 'behind a right field')))).status).toBe(201);
    expect([await stored('behind a broken field'), await stored('behind a right field')]).toEqual([false, true]);
  });

  it('413 BODY_TOO_LARGE: the sentence says the limit and the way for larger files', async () => {
    const { code, detail } = problemOf(await post(form(label, file('a', Buffer.alloc(sampleBytesMax)))), 413);
    expect([code, detail]).toEqual(['BODY_TOO_LARGE', expect.stringContaining(`at most ${sampleBytesMax} bytes`)]);
    expect(detail).toContain(uploadSession);
  });

  it.each(['application/json', 'multipart/mixed; boundary=the-boundary', 'multipart/form-data'])(
    '415 MEDIA_TYPE_UNSUPPORTED for %s',
    async (mediaType) => {
      expect(problemOf(await post(form(label), mediaType), 415).code).toBe('MEDIA_TYPE_UNSUPPORTED');
    },
  );
});

describe('A form of a client', () => {
  const send = (body: Uint8Array | string): Promise<Reply> =>
    samples.send({
      method: 'PUT',
      path: samples.place,
      headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
      body,
    });

  it('201 with any fields, also repeated and long ones, and files under several names', async () => {
    const long = 'x'.repeat(200_000);
    const parts = [
      field(':action', 'file_upload'),
      file('a.whl', 'four', 'content'),
      field('requires', 'one'),
      field('requires', 'two'),
      field('__proto__', 'text'),
      file('a.whl.asc', 'x', 'signature'),
      field('description', long),
    ];
    expect(jsonOf(await send(form(...parts)))).toEqual([
      201,
      {
        fields: [':action=file_upload', 'requires=one+two', '__proto__=text', `description=${long}`],
        files: ['content: a.whl 4', 'signature: a.whl.asc 1'],
      },
    ]);
  });

  it('201 without any part', async () => {
    expect(jsonOf(await send(form()))).toEqual([201, { fields: [], files: [] }]);
  });

  it('400 REQUEST_INVALID for a file under another name', async () => {
    const problem = problemOf(await send(form(file('a', 'x', 'other'))), 400);
    expect(problem).toMatchObject({ code: 'REQUEST_INVALID', violations: [{ pointer: '/other', rule: 'unknown' }] });
    expect(problem.violations?.[0]?.message).toBe('other is not a file of this request. Files are content, signature.');
  });

  it.each([
    ['ends in a file', file('a', 'x'.repeat(100_000), 'content').subarray(0, 5_000)],
    ['has too many fields', form(...Array.from({ length: 2_001 }, (_, n) => field(`f${n}`, '')))],
  ])('400 BODY_MALFORMED when it %s', async (_, body) => {
    expect(problemOf(await send(body), 400).code).toBe('BODY_MALFORMED');
  });
});

describe('An answer of bytes', () => {
  const content = Buffer.from(Array.from({ length: inlineBytesMax }, (_, index) => index % 251));
  const etag = `"${sha256(content)}"`;
  const path = 'answers/1.0.0/a.tgz';
  const common = {
    'content-type': 'application/octet-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    etag,
  };

  beforeAll(() => put(path, content));

  it('200 whole, with its length, its tag and the offer of ranges', async () => {
    const { status, headers, text } = await get(path);
    expect([status, text]).toEqual([200, content.toString()]);
    expect(headers).toMatchObject({ ...common, 'content-length': '1000', 'accept-ranges': 'bytes' });
  });

  it.each([etag, `W/${etag}`, `"other", ${etag}`, '*'])('304 without a body for the known tag %s', async (known) => {
    const { status, headers, text } = await get(path, [['If-None-Match', known]]);
    expect([status, headers.etag, text]).toEqual([304, etag, '']);
  });

  it('200 for tags that are others', async () => {
    expect((await get(path, [['If-None-Match', '"other", W/"another"']])).status).toBe(200);
  });

  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=0-0', 0, 0],
    ['bytes=990-', 990, 999],
    ['bytes=999-999', 999, 999],
    ['bytes=-5', 995, 999],
    ['bytes=-5000', 0, 999],
    ['bytes=500-99999', 500, 999],
  ])('206 for the range %s', async (range, first, last) => {
    const { status, headers, text } = await get(path, [['Range', range]]);
    expect([status, headers['content-range']]).toEqual([206, `bytes ${first}-${last}/1000`]);
    expect(headers).toMatchObject({ ...common, 'content-length': `${last - first + 1}` });
    expect(text).toBe(content.subarray(first, last + 1).toString());
  });

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('416 for the range %s, which there is not', async (range) => {
    const { status, headers, text } = await get(path, [['Range', range]]);
    expect([status, headers['content-range'], text]).toEqual([416, 'bytes */1000', '']);
  });

  it.each(['bytes=9-1', 'bytes=0-1,3-4', 'bytes=-', 'lines=1-2', 'bytes=a-b', ''])(
    '200 whole for what is no range: "%s"',
    async (range) => {
      expect((await get(path, [['Range', range]])).status).toBe(200);
    },
  );

  it.each([
    [etag, 206],
    ['"other"', 200],
    [`W/${etag}`, 200],
  ])('takes a range only of what If-Range names: %s %s', async (ifRange, status) => {
    const headers = [['Range', 'bytes=0-9'] as const, ['If-Range', ifRange] as const];
    expect((await get(path, headers)).status).toBe(status);
  });

  it('304 rather than a range, where both are asked for', async () => {
    const headers = [['Range', 'bytes=0-9'] as const, ['If-None-Match', etag] as const];
    expect((await get(path, headers)).status).toBe(304);
  });

  it('416 for any range of nothing', async () => {
    await put('empty', '');
    expect((await get('empty', [['Range', 'bytes=0-']])).status).toBe(416);
    expect((await get('empty')).headers['content-length']).toBe('0');
  });

  it('to HEAD has the headers of GET and no body, and knows no ranges', async () => {
    const [whole, head, ranged] = [
      await get(path),
      await get(path, [], 'HEAD'),
      await get(path, [['Range', 'bytes=0-9']], 'HEAD'),
    ];
    const lasting = ({ status, headers }: Reply) => {
      const { 'content-length': length, 'content-type': mediaType, 'accept-ranges': ranges, etag: tag } = headers;
      return { status, length, mediaType, ranges, tag, names: Object.keys(headers).toSorted() };
    };
    expect(lasting(head)).toEqual(lasting(whole));
    expect(lasting(ranged)).toEqual(lasting(whole));
    expect([head.text, ranged.text]).toEqual(['', '']);
  });

  it('304 to HEAD for a known tag', async () => {
    expect((await get(path, [['If-None-Match', etag]], 'HEAD')).status).toBe(304);
  });
});

describe('An answer from elsewhere', () => {
  const path = '@scope%2fname/large.tgz';

  beforeAll(() => put(path, Buffer.alloc(inlineBytesMax + 1)));

  it.each(['GET', 'HEAD'])('302 to %s: to an absolute URL that nobody may keep, without a body', async (method) => {
    const { status, headers, text } = await get(path, [], method);
    expect([status, text]).toEqual([302, '']);
    expect(headers.location).toBe(`https://objects.example/${encodeURIComponent(path)}?signed-for=${method}`);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': expect.stringMatching(/\S/) });
  });
});

describe('The role of a function with rights on the store', () => {
  const refused = () => samples.accesses.filter(({ isAllowed }) => !isAllowed);

  it('allowed all that the samples did so far, in the table and in the store', () => {
    expect(refused()).toEqual([]);
    expect(samples.accesses.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['s3:GetObject', 's3:PutObject', 'dynamodb:PutItem', 'dynamodb:BatchGetItem']),
    );
  });

  it.each(['samples/get-sample', 'samples/put-sample', 'samples/add-samples'])(
    'gives %s no right that it did not use',
    (id) => {
      const { statements = [] } = samples.assembly.functions.find((each) => each.id === id) ?? {};
      const rightOf = ({ action, resource }: { action: string; resource: string }) => `${action} on ${resource}`;
      const ofFunction = samples.accesses.filter(({ functionId }) => functionId === id);
      const used = new Set(ofFunction.flatMap(({ rights }) => rights.map(rightOf)));
      const given = new RolePolicy(statements).rights.map(rightOf);
      expect(given.filter((right) => right.includes(':s3:::'))).toHaveLength(1);
      expect(given.filter((right) => !used.has(right))).toEqual([]);
    },
  );

  it.each([
    ['store', 's3:DeleteObject'],
    ['table', 'dynamodb:Query'],
    ['blob', 's3:PutObject'],
  ])('refuses what it does not give: %s, %s', async (of, action) => {
    await put('kept', 'x');
    const request = { method: 'DELETE', path: `${samples.place}/kept?of=${of}` };
    expect(problemOf(await samples.send(request, samples.manager), 500).code).toBe('INTERNAL_ERROR');
    expect(refused().at(-1)).toMatchObject({ functionId: 'samples/delete-sample', action });
    expect((await get('kept')).text).toBe('x');
  });
});
