import { deleteContent } from '../../functions/packages/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { environment } from '../../shared/config.ts';
import { pendingAnswer } from '../../shared/packages/waiting.ts';
import { fileFetchKey, fileKey } from '../../shared/table/keys.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { endLeaseOf, handedOver, reachingLoopback, refusalOf, stored } from '../harness/remote-repositories.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { refusing, serving, trickling, Upstream } from '../harness/upstream.ts';
import type { Actor, Named } from '../harness/world.ts';

/** Of this time an upstream has three quarters for 16 kB, and 50 MB are not expected in all of it. */
const answerMilliseconds = 2_000;
const service = useService({
  environment: { ...reachingLoopback, [environment.upstreamAnswerMilliseconds]: `${answerMilliseconds}` },
});
let workspace: Named;
let admin: Actor;
const upstreams: Upstream[] = [];

const path = 'tools/formatter/1.0.0/formatter.bin';
const address = { name: 'tools/formatter', version: '1.0.0', file: 'formatter.bin' };

/** A remote repository over an upstream of its own. */
const remote = async (fields: Parameters<typeof createRemote>[2] = {}) => {
  const upstream = new Upstream();
  upstreams.push(upstream);
  await upstream.start();
  const remoteRepositoryUrl = `${upstream.url}/files/{package-name}/{version}/{file}`;
  const universal = { packageType: 'universal', remoteRepositoryUrl } as const;
  return { upstream, repository: await createRemote(service, workspace, { ...universal, ...fields }) };
};

const addressOf = (repository: Named): string => `/universal/${workspace.name}/${repository.name}/${path}`;

const get = async (repository: Named, wait?: number) =>
  service.client.sendTo(getUniversalFile, {
    path: addressOf(repository) + (wait === undefined ? '' : `?wait=${wait}`),
    headers: [['Authorization', admin.bearer]],
  });

/** Goes where the answers lead, as a client does, until one is no redirect to wait. */
const follow = async (repository: Named) => {
  const places: string[] = [];
  for (let answer = await get(repository); ; ) {
    const location = answer.headers.location?.toString();
    if (!location?.includes('?wait=')) return { answer, places };
    places.push(location);
    answer = await get(repository, Number(new URL(location).searchParams.get('wait')));
  }
};

const refOf = (repository: Named) => ({ contentId: repository.id, name: address.name });
const keyOfFetch = (repository: Named) => fileFetchKey(refOf(repository), address.version, address.file);
const keyOfFile = (repository: Named) => fileKey(refOf(repository), address.version, address.file);

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
};

/** All of these wait most of the time, so they run at the same time; each test looks at what became of one. */
const scenarios = {
  slow: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(1.2 * answerMilliseconds);
    const clients = await Promise.all(Array.from({ length: 5 }, () => follow(repository)));
    return { repository, clients, asked: upstream.requests.length };
  },
  large: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = (request, response) => {
      if (upstream.requests.length > 1) serving('the file')(request, response);
      else response.writeHead(200, { 'Content-Length': '50000001' }).flushHeaders();
    };
    const { answer } = await follow(repository);
    return { answer, asked: upstream.requests.length };
  },
  endless: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(60_000);
    await get(repository);
    return get(repository, 5);
  },
  failing: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(1.2 * answerMilliseconds, (response) => void response.destroy());
    const clients = await Promise.all([follow(repository), follow(repository)]);
    const kept = await stored(keyOfFile(repository));
    upstream.answer = serving('the file');
    return { upstream, clients, kept, next: await get(repository) };
  },
  absent: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = (request, response) =>
      (upstream.requests.length > 1 ? refusing(404) : trickling(60_000))(request, response);
    return follow(repository);
  },
  stale: async () => {
    const { upstream, repository } = await remote({ fileCacheTimeTillRevalidation: 1 });
    upstream.answer = serving('before');
    await get(repository);
    const before = (await stored(keyOfFile(repository)))?.blob.sha256;
    upstream.answer = trickling(1.2 * answerMilliseconds);
    const answer = await get(repository);
    await until(async () => (await stored(keyOfFile(repository)))?.blob.sha256 !== before);
    return { answer, asked: upstream.requests.length };
  },
} as const;

type Outcomes = { [name in keyof typeof scenarios]: Awaited<ReturnType<(typeof scenarios)[name]>> };
const outcomes: Partial<Outcomes> = {};
const outcomeOf = <Name extends keyof Outcomes>(name: Name): Outcomes[Name] => {
  const outcome = outcomes[name];
  if (outcome === undefined) throw new Error(`The scenario ${name} did not end.`);
  return outcome;
};

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
  const runs = Object.entries(scenarios).map(async ([name, run]) => Object.assign(outcomes, { [name]: await run() }));
  await Promise.all(runs);
}, 60_000);
afterAll(() => Promise.all(upstreams.map((upstream) => upstream.stop())));

describe('A file that takes longer than a request', () => {
  itAnswers('200 at the address itself, which sends its client back meanwhile', async () => {
    const { repository, clients, asked } = outcomeOf('slow');
    for (const { answer, places } of clients) {
      expect([answer.text.replace(/^x{20000,}$/, 'all'), answer.headers['x-stockroom-cache']]).toEqual(['all', 'hit']);
      expect(places[0]).toBe(`${service.runner.url}${addressOf(repository)}?wait=1`);
    }
    // One by a request, one by the worker.
    expect(asked).toBe(2);
    return clients.map(({ answer }) => answer);
  });

  it("is the worker's at once where its length says so", () => {
    const { answer, asked } = outcomeOf('large');
    expect([answer.status, answer.text, asked]).toEqual([200, 'the file', 2]);
  });

  itAnswers('503 FILE_PENDING after the fifth time, with when to come back', async () => {
    const answer = outcomeOf('endless');
    expect(answer.headers['retry-after']).toBe('30');
    return answer;
  });

  itAnswers('502 UPSTREAM_FAILED for those who wait, when the upstream fails after all', async () => {
    const { upstream, clients, kept, next } = outcomeOf('failing');
    const answers = clients.map(({ answer }) => answer);
    for (const { text } of answers) expect(text).toContain(`${upstream.host} broke its answer off`);
    expect([kept, next.text]).toEqual([undefined, 'the file']);
    return answers;
  });

  itAnswers(
    '404 FILE_NOT_FOUND for those who wait, when there is no such file after all',
    async () => outcomeOf('absent').answer,
  );

  it('takes the place of a stale copy, which is served meanwhile', () => {
    const { answer, asked } = outcomeOf('stale');
    expect([answer.text, answer.headers['x-stockroom-cache'], asked]).toEqual(['before', 'stale', 3]);
  });

  itAnswers('503 SERVICE_UNAVAILABLE for those who wait, when the worker fails by our own fault', async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(1.2 * answerMilliseconds);
    service.proxy.inject({ functionId: 'fetcher', operation: 'TransactWriteItems', fault: 'server-error' });
    const { answer } = await follow(repository);
    expect(service.logs.some((line) => line.includes('The event failed 1 times'))).toBe(true);
    service.proxy.heal();
    upstream.answer = serving('the file');
    expect((await get(repository)).text).toBe('the file');
    return answer;
  });

  it('is fetched again by whoever comes next after its worker was killed', async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(60_000);
    await get(repository);
    await until(() => upstream.requests.length === 2);
    await service.runner.reload();
    upstream.answer = serving('the file');
    expect(await stored(keyOfFile(repository))).toBeUndefined();
    await endLeaseOf(keyOfFetch(repository));
    expect((await get(repository)).text).toBe('the file');
  });
});

describe('The worker', () => {
  it('fetches once what it is asked for twice', async () => {
    const { upstream, repository } = await remote();
    const event = await handedOver(workspace, repository, upstream);
    upstream.answer = serving('the file');
    await Promise.all([service.runner.invoke('fetcher', event), service.runner.invoke('fetcher', event)]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('fetches nothing for a repository that was emptied meanwhile', async () => {
    const { upstream, repository } = await remote();
    const event = await handedOver(workspace, repository, upstream);
    const params = { workspace: workspace.id, repository: repository.id };
    await service.client.succeed(deleteContent, { params, as: admin.bearer });
    await service.runner.invoke('fetcher', event);
    expect(upstream.requests).toEqual([]);
  });
});

describe('A client that loses its credential on a redirect', () => {
  it('is asked to come later at once', async () => {
    const work = async (): Promise<unknown> => pendingAnswer({ url: 'https://host/path', query: {} }, 'refuse', {});
    expect((await refusalOf(work()))[0]).toBe('FILE_PENDING');
  });
});
