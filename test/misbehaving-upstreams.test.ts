import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { getNpmDocument } from '../functions/npm/contracts.ts';
import { getUniversalFile } from '../functions/universal/contracts.ts';
import { chunksOf } from '../shared/chunks.ts';
import { environment } from '../shared/config.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { Table } from '../shared/table/client.ts';
import { upstreamPauseKey } from '../shared/table/package-keys.ts';
import { readUsage } from '../shared/table/usage.ts';
import { packumentOf } from './harness/npm-upstream.ts';
import { createRemote } from './harness/repositories.ts';
import { reachingLoopback, useService } from './harness/service.ts';
import { readItems } from './harness/stored-items.ts';
import { refusing, serving, trickling, Upstream } from './harness/upstream.ts';
import type { Actor, Named } from './harness/world.ts';

/** Of this time an upstream has half to begin an answer, and three quarters for 16 kB of it. */
const answerMilliseconds = 3_000;
const service = useService({
  environment: { ...reachingLoopback, [environment.upstreamAnswerMilliseconds]: `${answerMilliseconds}` },
});

const content = 'the file';

/** How a package type is asked for a file, and how a good upstream of that type answers. */
const types = {
  universal: {
    contract: getUniversalFile,
    path: 'tool/1.0.0/tool.bin',
    urlOf: (url: string) => `${url}/{package-name}/{version}/{file}`,
    good: () => serving(content),
    isFile: () => true,
  },
  npm: {
    contract: getNpmDocument,
    path: 'tool/-/tool-1.0.0.tgz',
    urlOf: (url: string) => url,
    good:
      (url: string): RequestListener =>
      (request, response) =>
        request.url?.endsWith('.tgz')
          ? serving(content)(request, response)
          : serving(JSON.stringify(packumentOf(url, 'tool', { '1.0.0': { tarball: Buffer.from(content) } })))(
              request,
              response,
            ),
    isFile: (path: string) => path.endsWith('.tgz'),
  },
} as const;
type Type = keyof typeof types;

/** A byte a tenth of a second, which is a byte a second for who waits ten times as long. */
const dripping: RequestListener = (_, response) => {
  const timer = setInterval(() => response.write('x'), 100);
  response.on('close', () => clearInterval(timer));
};

const shorter: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Length': '100' });
  response.write('half', () => response.destroy());
};

const longer: RequestListener = (_, response) => {
  response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nthe file');
};

const zeros = gzipSync(Buffer.alloc(8 * 1024 * 1024));
const bomb: RequestListener = (_, response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(zeros);

const huge: RequestListener = (_, response) =>
  response.writeHead(200, { 'Content-Length': String(65 * 1024 * 1024) }).flushHeaders();

interface Misbehaviour {
  readonly types: readonly Type[];
  /** What of the upstream misbehaves; the rest answers well. */
  readonly of: 'file' | 'metadata';
  readonly answer: RequestListener;
  readonly refusal: ErrorCode;
  readonly sentence: string;
  /** The upstream is left alone until this test lets it be asked again. */
  readonly isPaused?: true;
}

const both = ['universal', 'npm'] as const;
const ofFile = { types: both, of: 'file' } as const;
const ofMetadata = { types: ['npm'], of: 'metadata' } as const;
const failed = { refusal: 'UPSTREAM_FAILED' } as const;
const late = { refusal: 'UPSTREAM_TIMEOUT' } as const;
const reachesInside = 'leads to 169.254.169.254, which is not a public host (HTTP 302)';
const toMetadataService = refusing(302, { Location: 'http://169.254.169.254/latest/meta-data/' });
const around: RequestListener = (request, response) =>
  refusing(302, { Location: String(request.url) })(request, response);

const misbehaviours: Readonly<Record<string, Misbehaviour>> = {
  'hangs up': {
    ...ofFile,
    ...failed,
    answer: (request) => void request.destroy(),
    sentence: 'could not be reached: ECONNRESET',
  },
  'is silent': { ...ofFile, ...late, answer: () => {}, sentence: 'sent no answer within 1.5 seconds' },
  'sends a byte now and then': {
    ...ofFile,
    ...late,
    answer: dripping,
    sentence: 'sent less than 16384 bytes in 2.25 seconds (HTTP 200)',
  },
  'sends less than it says': {
    ...ofFile,
    ...failed,
    answer: shorter,
    sentence: 'broke its answer off: ECONNRESET (HTTP 200)',
  },
  'sends more than it says': {
    ...ofFile,
    ...failed,
    answer: longer,
    sentence: 'sent no valid HTTP: HPE_CLOSED_CONNECTION (HTTP 200)',
  },
  'sends another file than its index promises': {
    ...ofFile,
    ...failed,
    types: ['npm'],
    answer: serving('another file'),
    sentence: 'sent a file whose sha512 is not the promised one (HTTP 200)',
  },
  'leads to the credentials of the machine': {
    ...ofFile,
    ...failed,
    answer: toMetadataService,
    sentence: reachesInside,
  },
  'leads around in a circle': {
    ...ofFile,
    ...failed,
    answer: around,
    sentence: 'redirects after 5 redirects (HTTP 302)',
  },
  fails: { ...ofFile, ...failed, answer: refusing(500), sentence: 'gave no usable answer (HTTP 500)' },
  'asks to be left alone': {
    ...ofFile,
    ...failed,
    answer: refusing(429, { 'Retry-After': '120' }),
    sentence: 'gave no usable answer (HTTP 429)',
    isPaused: true,
  },
  'is silent about its metadata': {
    ...ofMetadata,
    ...late,
    answer: () => {},
    sentence: 'sent no answer within 1.5 seconds',
  },
  'sends its metadata byte by byte': {
    ...ofMetadata,
    ...late,
    answer: dripping,
    sentence: 'sent less than 16384 bytes in 2.25 seconds (HTTP 200)',
  },
  'sends a bomb as metadata': {
    ...ofMetadata,
    ...failed,
    answer: bomb,
    sentence: 'sent metadata that inflates more than 200 times (HTTP 200)',
  },
  'sends metadata that is too large': {
    ...ofMetadata,
    ...failed,
    answer: huge,
    sentence: 'sent metadata of more than 67108864 bytes (HTTP 200)',
  },
  'sends metadata that is none': {
    ...ofMetadata,
    ...failed,
    answer: serving('<html></html>'),
    sentence: 'sent a document that is not valid for this package type (HTTP 200)',
  },
  'leads from its metadata to the credentials of the machine': {
    ...ofMetadata,
    ...failed,
    answer: toMetadataService,
    sentence: reachesInside,
  },
};

let workspace: Named;
let admin: Actor;
const upstreams: Upstream[] = [];

const get = async (type: Type, repository: Named, query = '') =>
  service.client.sendTo(types[type].contract, {
    path: `/${type}/${workspace.name}/${repository.name}/${types[type].path}${query}`,
    headers: [['Authorization', admin.bearer]],
  });

/** A remote repository whose upstream misbehaves. */
const remote = async (type: Type, isBad: (path: string) => boolean, answer: RequestListener) => {
  const upstream = new Upstream();
  upstreams.push(upstream);
  await upstream.start();
  const { urlOf, good } = types[type];
  upstream.answer = (request, response) => (isBad(request.url ?? '') ? answer : good(upstream.url))(request, response);
  const repository = await createRemote(service, workspace, {
    packageType: type,
    remoteRepositoryUrl: urlOf(upstream.url),
  });
  const recover = (): void => {
    upstream.answer = good(upstream.url);
  };
  return { upstream, repository, recover };
};

/** Goes where the answers lead until one is no redirect to wait: on a busy machine a fetch may take its time. */
const follow = async (type: Type, repository: Named) => {
  for (let answer = await get(type, repository); ; ) {
    const [wait] = /\?wait=\d$/.exec(String(answer.headers.location)) ?? [];
    if (wait === undefined) return answer;
    answer = await get(type, repository, wait);
  }
};

/** What is left of a fetch: what a reader could see, and the bytes that are counted. */
const keptOf = async ({ id }: Named) => {
  const { bytes, files } = await readUsage(new Table(), id);
  const items = (await readItems()).map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
  return {
    bytes,
    files,
    items: items.filter((key) => key.startsWith(`PACKAGE#${id}#`) && / (FILE|VERSION)#/.test(key)),
  };
};
const nothing = { bytes: 0, files: 0, items: [] };

const run = async (type: Type, { of, answer, isPaused }: Misbehaviour) => {
  const { isFile } = types[type];
  const { upstream, repository, recover } = await remote(type, (path) => isFile(path) === (of === 'file'), answer);
  const refused = await follow(type, repository);
  const kept = await keptOf(repository);
  recover();
  const paused = isPaused && (await get(type, repository));
  if (isPaused) await new Table().writeUnrecorded([{ remove: upstreamPauseKey(repository.id) }]);
  const next = await follow(type, repository);
  return { host: upstream.host, refused, kept, paused, next };
};

const cases = Object.entries(misbehaviours).flatMap(([title, misbehaviour]) =>
  misbehaviour.types.map((type) => ({ title, type, misbehaviour })),
);
const outcomes = new Map<string, Awaited<ReturnType<typeof run>>>();
const nameOf = ({ title, type }: (typeof cases)[number]): string => `${type} ${title}`;

/** Those that wait most of the time run at the same time, the others some at a time. */
const batches = [
  cases.filter(({ misbehaviour }) => misbehaviour.refusal === 'UPSTREAM_TIMEOUT'),
  ...chunksOf(
    cases.filter(({ misbehaviour }) => misbehaviour.refusal !== 'UPSTREAM_TIMEOUT'),
    6,
  ),
];

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
  for (const batch of batches)
    await Promise.all(
      batch.map(async (each) => void outcomes.set(nameOf(each), await run(each.type, each.misbehaviour))),
    );
}, 60_000);
afterAll(() => Promise.all(upstreams.map((upstream) => upstream.stop())));

describe('An upstream that misbehaves is refused with a sentence, leaves nothing, and is asked again', () => {
  it.each(cases)('$type: it $title', (each) => {
    const { sentence, refusal, isPaused } = each.misbehaviour;
    const outcome = outcomes.get(nameOf(each));
    if (!outcome) throw new Error('The case did not end.');
    const { host, refused, kept, paused, next } = outcome;
    expect([refused.code, refused.problem?.detail]).toEqual([refusal, `${host} ${sentence}.`]);
    // A pause of 120 seconds, or what the service asks for itself after a timeout.
    const wait = isPaused ? '120' : refusal === 'UPSTREAM_TIMEOUT' ? '10' : undefined;
    expect(refused.headers['retry-after']).toBe(wait);
    expect(kept).toEqual(nothing);
    expect([next.status, next.text]).toEqual([200, content]);
    if (isPaused && paused) expect(paused.problem?.detail).toContain('accepts no requests until');
  });

  it.each(both)('%s: it is down', async (type) => {
    const { upstream, repository } = await remote(
      type,
      () => false,
      () => {},
    );
    const { host } = upstream;
    await upstream.stop();
    const refused = await get(type, repository);
    expect([refused.code, refused.problem?.detail]).toEqual([
      'UPSTREAM_FAILED',
      `${host} could not be reached: ECONNREFUSED.`,
    ]);
    expect(await keptOf(repository)).toEqual(nothing);
    await upstream.start(Number(host.split(':')[1]));
    expect((await follow(type, repository)).text).toBe(content);
  });

  it.each([
    ['universal', 'file'],
    ['npm', 'file'],
    ['npm', 'metadata'],
  ] as const)('%s: its %s never ends', async (type, of) => {
    const isEndless = (path: string): boolean => types[type].isFile(path) === (of === 'file');
    const { upstream, repository, recover } = await remote(type, isEndless, trickling(60_000));
    expect((await get(type, repository)).headers.location).toMatch(/\?wait=1$/);
    expect((await get(type, repository, '?wait=5')).code).toBe('FILE_PENDING');
    expect(await keptOf(repository)).toEqual(nothing);
    recover();
    upstream.hangUp();
    const told = await get(type, repository, '?wait=2');
    expect([told.code, told.problem?.detail]).toEqual([
      'UPSTREAM_FAILED',
      expect.stringMatching(/broke its answer off|sent no valid HTTP/),
    ]);
    expect((await follow(type, repository)).text).toBe(content);
  });
});

describe('The metrics', () => {
  const counted = (name: string): number =>
    service.logs
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      // Requests that run at the same time in one process share a line.
      .flatMap((line) => ('_aws' in line ? [line[name] ?? 0].flat() : []))
      .reduce<number>((sum, count) => sum + Number(count), 0);

  it('count each failure of an upstream, and each file that is not the promised one', () => {
    // The three of the tests above that are no case of the table: two are down, three break off in the worker.
    expect(counted('upstreamFailures')).toBe(
      cases.length + cases.filter(({ misbehaviour }) => misbehaviour.isPaused).length + 5,
    );
    expect(counted('integrityRejections')).toBe(1);
  });

  it('count none of it as a fault of the service, by which a release would be rolled back', () => {
    expect(counted('refusals')).toBeGreaterThan(cases.length);
    expect(counted('faults')).toBe(0);
  });
});
