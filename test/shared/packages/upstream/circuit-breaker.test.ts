import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as later } from 'node:timers/promises';
import { environment } from '../../../../shared/config.ts';
import type { ApiError } from '../../../../shared/errors.ts';
import { throughBreaker } from '../../../../shared/packages/upstream/circuit-breaker.ts';
import { askUpstream } from '../../../../shared/packages/upstream/upstream-request.ts';
import { Table } from '../../../../shared/table/client.ts';
import { hangingInWorkspaceMax, hangingMax } from '../../../../shared/table/packages/hanging-counts.ts';
import { upstreamPauseKey, workspaceCrowdKey } from '../../../../shared/table/packages/package-keys.ts';
import { beginFetch } from '../../../../shared/table/packages/upstream-fetches.ts';
import type { RemoteRepository } from '../../../../shared/table/repositories/repositories.ts';
import type { Resolver } from '../../../../shared/upstream/lookups.ts';
import { UpstreamError } from '../../../../shared/upstream/upstream-error.ts';
import type { Ask } from '../../../../shared/upstream/upstream-response.ts';
import {
  address,
  download,
  fetchAt,
  leaseKeyOf,
  passSeconds,
  refusalOf,
  remoteOf,
  stored,
  useUpstreams,
} from '../../../harness/remote-repositories.ts';
import { useService } from '../../../harness/service.ts';
import { serving, Upstream } from '../../../harness/upstream.ts';
import { clientFor, resolvingTo, serve, stopServers } from '../../upstream/loopback.ts';

const service = useService();
useUpstreams(service);

/** A question hangs after 0.9 seconds, and has no answer after three. */
const answerMilliseconds = 6_000;
beforeAll(() => {
  process.env[environment.upstreamAnswerMilliseconds] = `${answerMilliseconds}`;
  process.env[environment.allowedPrivateUpstreams] = '127.0.0.0/8,localhost';
});

let upstream: Upstream;
let port: number;
beforeEach(async () => {
  upstream = new Upstream();
  await upstream.start();
  port = Number(new URL(upstream.url).port);
});
afterEach(async () => upstream.stop());
afterAll(stopServers);

const tables: Table[] = [];
const askingTable = (): Table => {
  const table = new Table();
  tables.push(table);
  return table;
};

/** Waits for what the questions have left to write. */
const settled = async () => Promise.all(tables.map(async ({ sideWork }) => sideWork.ended()));

let files = 0;
const fetchFrom = (source: RemoteRepository, url = new URL(source.remoteRepositoryUrl).origin) => {
  files += 1;
  const file = `file-${files}`;
  return fetchAt(source, { ...address, file }, undefined, { url: `${url}/${file}`, mediaType: 'text/plain' });
};

const keyOf = ({ repositoryId }: RemoteRepository) => upstreamPauseKey(repositoryId);
const endPause = async (source: RemoteRepository) =>
  new Table().writeUnrecorded([{ update: keyOf(source), set: 'SET #until = :past', values: { ':past': 1 } }]);

const fail = async (source: RemoteRepository, times: number): Promise<string[]> => {
  const sentences: string[] = [];
  for (let time = 0; time < times; time += 1) sentences.push((await refusalOf(fetchFrom(source))).join(' '));
  return sentences;
};

const unreached = () => `UPSTREAM_TIMEOUT 127.0.0.1:${port} could not be reached: ECONNREFUSED.`;
const isPaused = /^UPSTREAM_TIMEOUT 127\.0\.0\.1:\d+ did not answer the last requests, and is not asked until 20.*Z\.$/;

/** Fails five times within some seconds. */
const failForSeconds = async (source: RemoteRepository): Promise<string[]> => {
  const first = await fail(source, 4);
  await passSeconds(source.repositoryId);
  return [...first, ...(await fail(source, 1))];
};

/** A repository whose upstream was away for five questions, and is there again. */
const withOpenCircuit = async (fields: Parameters<typeof remoteOf>[2] = {}) => {
  const source = await remoteOf(service, upstream, fields);
  await upstream.stop();
  expect(await failForSeconds(source)).toEqual(Array.from({ length: 5 }, unreached));
  upstream = new Upstream();
  upstream.answer = serving('the file');
  await upstream.start(port);
  return source;
};

describe('An upstream that did not answer five times within some seconds', () => {
  it('is not asked for 30 seconds: everybody learns at once when to come back', async () => {
    const source = await withOpenCircuit();
    const error: unknown = await fetchFrom(source).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'UPSTREAM_TIMEOUT', message: expect.stringContaining('is not asked until') });
    const seconds = Number((error as ApiError).headers?.['Retry-After']);
    expect([seconds > 20, seconds <= 30]).toEqual([true, true]);
    for (const sentence of await fail(source, 3)) expect(sentence).toMatch(isPaused);
    expect(upstream.requests).toHaveLength(0);
  });

  it('is asked by one request when the pause is over, and by all when that has its answer', async () => {
    const source = await withOpenCircuit();
    await endPause(source);
    upstream.answer = (request, response) => setTimeout(() => serving('the file')(request, response), 500);
    const results = await Promise.allSettled(Array.from({ length: 10 }, async () => fetchFrom(source)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(upstream.requests).toHaveLength(1);
    await Promise.all(Array.from({ length: 10 }, async () => fetchFrom(source)));
    expect(upstream.requests).toHaveLength(11);
  });

  it('has another pause if that request has no answer either', async () => {
    const source = await withOpenCircuit();
    await upstream.stop();
    await endPause(source);
    expect(await fail(source, 1)).toEqual([unreached()]);
    for (const sentence of await fail(source, 2)) expect(sentence).toMatch(isPaused);
  });

  it('has that pause from the end of the request on', async () => {
    const source = await withOpenCircuit();
    await endPause(source);
    const pauseEnd = async (): Promise<number> => (await stored(keyOf(source)))?.until ?? 0;
    let whileItIsAsked = Infinity;
    upstream.answer = () => void pauseEnd().then((end) => (whileItIsAsked = end));
    expect(await fail(source, 1)).toEqual([expect.stringMatching(/^UPSTREAM_TIMEOUT /)]);
    expect(await pauseEnd()).toBeGreaterThan(whileItIsAsked);
    for (const sentence of await fail(source, 2)) expect(sentence).toMatch(isPaused);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is no reason not to serve the stale copy at once', async () => {
    const source = await remoteOf(service, upstream, { fileCacheTimeTillRevalidation: 0 });
    upstream.answer = serving('the file');
    await download(source);
    await upstream.stop();
    await failForSeconds(source);
    expect(await download(source)).toMatchObject({ cache: 'stale' });
  });
});

describe('An upstream is asked on', () => {
  it('if it answers in between, as one does that only loses some connections', async () => {
    const source = await remoteOf(service, upstream);
    const away = `http://127.0.0.1:${port}`;
    for (let round = 0; round < 3; round += 1) {
      await upstream.stop();
      expect(await fail(source, 4)).toEqual(Array.from({ length: 4 }, unreached));
      upstream = new Upstream();
      upstream.answer = serving('the file');
      await upstream.start(port);
      await fetchFrom(source, away);
      await passSeconds(source.repositoryId);
    }
  });

  it('if it could not be reached for a moment, however many questions met that', async () => {
    const source = await remoteOf(service, upstream);
    await upstream.stop();
    expect(await fail(source, 7)).toEqual(Array.from({ length: 7 }, unreached));
  });

  it('if its name was not found for a second, by 60 questions at once', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = serving('the file');
    const found = resolvingTo('127.0.0.1');
    const failsUntil = Date.now() + 1_000;
    const resolver: Resolver = (name, done) => {
      if (Date.now() > failsUntil) found(name, done);
      else setTimeout(() => done(Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' }), []), 20);
    };
    const url = `http://registry.example:${port}/`;
    const client = clientFor(url, { resolver });
    const askOnce = async (): Promise<unknown> => {
      const pause = await stored(keyOf(source));
      const question = { table: askingTable(), source, pause, signal: AbortSignal.timeout(answerMilliseconds) };
      const ask = async (guard: Pick<Ask, 'signal' | 'onHang'>) => client.request(url, { content: 'file', ...guard });
      return throughBreaker(question, 'GET', ask).then(
        async ({ body }) => text(body),
        (error: unknown) => String(error),
      );
    };
    const askAgain = async (): Promise<unknown> => {
      let answer: unknown;
      do answer = await askOnce();
      while (Date.now() < failsUntil);
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: 60 }, askAgain));
    await settled();
    expect(answers.filter((answer) => String(answer).includes('is not asked until'))).toEqual([]);
    expect(await askOnce()).toBe('the file');
  });

  it('if its answers are errors, whatever they say', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = (_request, response) => void response.writeHead(500).end();
    for (const sentence of await fail(source, 7)) expect(sentence).toContain('HTTP 500');
    expect(upstream.requests).toHaveLength(7);
  });

  it('if what it answers is no HTTP', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = (request) => void request.socket.end('no HTTP\r\n\r\n');
    for (const sentence of await fail(source, 7)) expect(sentence).toContain('sent no valid HTTP');
    expect(upstream.requests).toHaveLength(7);
  });

  it('and nothing is written about it while it answers', async () => {
    upstream.answer = serving('the file');
    const ask = async (count: number) => {
      const source = await remoteOf(service, upstream);
      const begun = Date.now();
      await Promise.all(Array.from({ length: count }, async () => fetchFrom(source)));
      return { source, milliseconds: Date.now() - begun };
    };
    let asked = await ask(20);
    // On a busy machine, questions may hang that the upstream answers at once: the fewer they are, the sooner all have their answers.
    for (let count = 19; asked.milliseconds > 800 && count > 0; count -= 1) asked = await ask(count);
    expect(await stored(keyOf(asked.source))).toBeUndefined();
  });
});

it('An upstream that begins its answers and never ends them counts as one that does not answer', async () => {
  const source = await remoteOf(service, upstream);
  upstream.answer = (_request, response) => void response.writeHead(200).write('begin');
  const refused = await Promise.all(Array.from({ length: 5 }, async () => refusalOf(fetchFrom(source))));
  for (const [, sentence] of refused) expect(sentence).toContain('sent less than');
  expect((await fail(source, 1))[0]).toMatch(isPaused);
});

/** Begins an answer at once, and sends 16 KiB of it every two seconds. */
const sendSlowly: RequestListener = (_request, response) => {
  const send = (): void => void response.write('x'.repeat(16 * 1024));
  send();
  const timer = setInterval(send, 2_000);
  response.once('close', () => clearInterval(timer));
};

/** Reads a whole file, within so many milliseconds. */
const readFrom = async (source: RemoteRepository, url: string, milliseconds: number): Promise<string> => {
  const question = { source, url, content: 'file', pause: undefined } as const;
  try {
    const answer = await askUpstream(askingTable(), { ...question, signal: AbortSignal.timeout(milliseconds) });
    return answer.kind === 'content' ? await text(answer.response.body) : answer.kind;
  } catch (error) {
    if (error instanceof UpstreamError) return `${error.kind} ${error.lateness ?? ''}`;
    throw error;
  }
};

describe('An answer that comes slowly', () => {
  it('counts as none at the deadline of its request, and one that is fast and large does not', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = (request, response) => {
      if (request.url === '/slow') return sendSlowly(request, response);
      const timer = setInterval(() => response.write('x'.repeat(100_000)), 20);
      response.once('close', () => clearInterval(timer));
    };
    const read = async (path: string) =>
      Promise.all(Array.from({ length: 5 }, async () => readFrom(source, upstream.url + path, 1_500)));
    expect(await read('/large')).toEqual(Array.from({ length: 5 }, () => 'aborted '));
    await settled();
    expect(await stored(keyOf(source))).toBeUndefined();
    expect(await read('/slow')).toEqual(Array.from({ length: 5 }, () => 'aborted slow'));
    await settled();
    expect((await fail(source, 1))[0]).toMatch(isPaused);
  });

  it('hangs until its end: of a hundred, 80 come and the others end at once', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = sendSlowly;
    let open = 0;
    const count: RequestListener = (request, response) => {
      sendSlowly(request, response);
      open += 1;
      response.once('close', () => (open -= 1));
    };
    const hosts = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];
    const servers = await Promise.all(hosts.map(async (host) => serve(count, { address: host, port })));
    expect(servers).toHaveLength(5);
    const answers: string[] = [];
    const questions = Array.from({ length: 100 }, async (_, index) =>
      answers.push(await readFrom(source, `http://${hosts[index % hosts.length]}:${port}/`, 5_000)),
    );
    const haveOthersEnded = () => answers.length >= 20 && open <= hangingMax;
    while (!haveOthersEnded()) await later(20);
    expect([...answers, open]).toEqual([...Array.from({ length: 20 }, () => 'crowded '), hangingMax]);
    await Promise.all(questions);
    expect(answers.slice(20)).toEqual(Array.from({ length: hangingMax }, () => 'aborted slow'));
    await settled();
    expect((await stored(keyOf(source)))?.hanging).toBe(0);
  });
});

describe('Questions that hang', () => {
  const soon = () => Date.now() + 20_000;
  const hanging = async (source: RemoteRepository, count: number) =>
    new Table().writeUnrecorded([
      {
        put: { ...keyOf(source), until: 0, hanging: count, hangingUntil: soon(), expiresAt: Math.ceil(soon() / 1000) },
      },
    ]);
  const busy = () => `UPSTREAM_BUSY 127.0.0.1:${port} has not answered the many requests that wait for it already.`;

  it('are so many at most, and those beyond them end at once', async () => {
    const source = await remoteOf(service, upstream);
    await hanging(source, hangingMax - 2);
    upstream.answer = () => {};
    const sentences = await Promise.all(
      Array.from({ length: 5 }, async () => (await refusalOf(fetchFrom(source))).join(' ')),
    );
    expect(sentences.filter((sentence) => sentence === busy())).toHaveLength(3);
    expect(sentences.filter((sentence) => sentence.includes('sent no answer within 3 seconds'))).toHaveLength(2);
    expect((await stored(keyOf(source)))?.hanging).toBe(hangingMax - 2);
    await hanging(source, hangingMax);
    upstream.requests.length = 0;
    expect(await fail(source, 1)).toEqual([busy()]);
    expect(upstream.requests).toHaveLength(0);
  });

  describe('in a workspace', () => {
    const inWorkspace = ({ workspaceId }: RemoteRepository) => workspaceCrowdKey(workspaceId);
    /** A repository of a workspace in which one more request may wait. */
    const almostCrowded = async () => {
      const source = await remoteOf(service, upstream);
      const counted = { until: 0, hanging: hangingInWorkspaceMax - 1, hangingUntil: soon(), expiresAt: soon() };
      await new Table().writeUnrecorded([{ put: { ...inWorkspace(source), ...counted } }]);
      return source;
    };
    const isBusy = (sentence: string) =>
      sentence.startsWith('UPSTREAM_BUSY') && sentence.includes('of this workspace wait for slow upstreams already');

    it('are so many at most over all its repositories, and those beyond them end at once', async () => {
      const source = await almostCrowded();
      const repository = (repositoryId: string): RemoteRepository => ({ ...source, repositoryId });
      const sources = ['a', 'b', 'c', 'd'].map(repository);
      upstream.answer = () => {};
      const refusals = await Promise.all(sources.map(async (each) => refusalOf(fetchFrom(each))));
      const sentences = refusals.map((refusal) => refusal.join(' '));
      expect(sentences.filter(isBusy)).toHaveLength(3);
      expect(sentences.filter((sentence) => sentence.includes('sent no answer within 3 seconds'))).toHaveLength(1);
      expect((await stored(inWorkspace(source)))?.hanging).toBe(hangingInWorkspaceMax - 1);
      const left = await Promise.all(sources.map(async (each) => stored(keyOf(each))));
      expect(left.map((item) => item?.hanging)).toEqual([0, 0, 0, 0]);
    });

    it('count together with the requests that wait for what another one asks for', async () => {
      const source = await almostCrowded();
      await beginFetch(new Table(), leaseKeyOf(source));
      const refusals = await Promise.all(Array.from({ length: 3 }, async () => refusalOf(download(source))));
      expect(refusals.filter((refusal) => isBusy(refusal.join(' ')))).toHaveLength(2);
      expect(refusals.filter(([code]) => code === 'FILE_PENDING')).toHaveLength(1);
      expect((await stored(inWorkspace(source)))?.hanging).toBe(hangingInWorkspaceMax - 1);
    });
  });

  it('are counted for 25 seconds at most, also where nobody reads or ends the answer', async () => {
    const source = await remoteOf(service, upstream);
    await hanging(source, 5);
    upstream.answer = (_request, response) => void response.writeHead(200).write('begin');
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const question = { table: askingTable(), source, pause: undefined, signal: new AbortController().signal };
    const client = clientFor(upstream.url);
    const { body } = await throughBreaker(question, 'GET', async (guard) => {
      guard.onHang?.();
      return client.request(upstream.url, { content: 'file', ...guard });
    });
    const [end, ...others] = timers.mock.calls.filter(([, milliseconds]) => milliseconds === 25_000);
    timers.mockRestore();
    while ((await stored(keyOf(source)))?.hanging !== 6);
    expect(others).toEqual([]);
    // Its time comes.
    end?.[0]();
    await settled();
    expect((await stored(keyOf(source)))?.hanging).toBe(5);
    // Its end is no other one.
    body.destroy();
    await settled();
    expect((await stored(keyOf(source)))?.hanging).toBe(5);
  });

  it('that were counted by processes which have ended are forgotten', async () => {
    const source = await remoteOf(service, upstream);
    await new Table().writeUnrecorded([
      { put: { ...keyOf(source), until: 0, hanging: hangingMax, hangingUntil: Date.now() - 1, expiresAt: 1 } },
    ]);
    upstream.answer = (request, response) => setTimeout(() => serving('the file')(request, response), 1_500);
    await fetchFrom(source);
    expect((await stored(keyOf(source)))?.hanging).toBe(0);
  });

  it('are no more than an install through a slow upstream has: 64 at once are all answered', async () => {
    const source = await remoteOf(service, upstream);
    upstream.answer = (request, response) => setTimeout(() => serving('the file')(request, response), 1_000);
    const results = await Promise.allSettled(Array.from({ length: 64 }, async () => fetchFrom(source)));
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await stored(keyOf(source)))?.hanging ?? 0).toBe(0);
  });
});
