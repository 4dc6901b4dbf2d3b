import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { limitsWithin } from '../../../shared/upstream/limits.ts';
import type { UpstreamClient } from '../../../shared/upstream/upstream-client.ts';
import { selfSigned } from '../../harness/tls.ts';
import {
  dropsBursts,
  pace,
  serveAndClose,
  serveAnswers,
  serveASecond,
  serveOldHttp,
  servePoison,
  serveSlowHandshakes,
  tarballOf,
} from './hard-upstreams.ts';
import { clientFor, clientsSharing, type Loopback, resolvingTo, serve, stopServers } from './loopback.ts';

jest.setTimeout(60_000);
afterAll(stopServers);

const budgetMilliseconds = 20_000 * pace;
const limits = { ...limitsWithin(budgetMilliseconds), connectMilliseconds: 10_000 * pace };
const paths = Array.from({ length: 80 }, (_, index) => `tarball-${index}.tgz`);
const atOnce = 60;

/** Fetches a tarball within the time of a request. Any failure is told in place of the content. */
const fetchFrom = async (client: UpstreamClient, url: string, milliseconds = budgetMilliseconds): Promise<string> => {
  try {
    const { body } = await client.request(url, { content: 'file', signal: AbortSignal.timeout(milliseconds) });
    return await text(body);
  } catch (error) {
    return String(error);
  }
};

/** Fetches all tarballs, 60 at once, and returns those that came otherwise than they are. */
const fetchAll = async (urlOf: (path: string, index: number) => readonly [UpstreamClient, string]) => {
  const left = [...paths.entries()];
  const wrong: string[] = [];
  const take = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [index, path] = next;
      const content = await fetchFrom(...urlOf(path, index));
      if (content !== tarballOf(path)) wrong.push(`${path}: ${content.slice(0, 100)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, take));
  return wrong;
};

/** Fetches all tarballs of a plain upstream through one client. */
const fetchAllOf = async (server: Loopback): Promise<string[]> => {
  const home = `http://registry.example:${server.port}`;
  const client = clientFor(home, { limits });
  return fetchAll((path) => [client, `${home}/${path}`]);
};

describe('80 tarballs, 60 at once, all come from an upstream that', () => {
  it('takes seconds for a handshake and resets the ninth of them', async () => {
    const identity = selfSigned('registry.example');
    const upstream = await serveSlowHandshakes(identity);
    const home = `https://registry.example:${upstream.server.port}`;
    const client = clientFor(home, { limits, certificateAuthority: identity.cert });
    expect(await fetchAll((path) => [client, `${home}/${path}`])).toEqual([]);
    expect(upstream.refused).toBe(0);
    expect(upstream.server.connections).toBeLessThanOrEqual(24);
  });

  it('has its files at another name, whose resolver forgets all but two questions at once', async () => {
    const server = await serve(({ url = '' }, response) => void response.end(tarballOf(url.slice(1))));
    const bursts = dropsBursts();
    const clients = clientsSharing({ resolver: bursts.resolver });
    const hosts = ['registry.example', 'files.example'].map((host) => `http://${host}:${server.port}`);
    const [home = ''] = hosts;
    const [one, other] = [clients(home, { limits }), clients(home, { limits })];
    expect(
      await fetchAll((path, index) => [index % 3 === 0 ? one : other, `${hosts[index % hosts.length]}/${path}`]),
    ).toEqual([]);
    expect(bursts.dropped).toBe(0);
  });

  it.each([
    [1, 'reset'],
    [1, 'end'],
    [3, 'reset'],
    [3, 'end'],
  ] as const)('answers %d times on a connection, and meets the next request with a %s', async (answersMax, ending) => {
    expect(await fetchAllOf(await serveAnswers(answersMax, ending))).toEqual([]);
  });

  it('closes each connection', async () => {
    expect(await fetchAllOf(await serveAndClose())).toEqual([]);
  });

  it('speaks HTTP/1.0', async () => {
    expect(await fetchAllOf(await serveOldHttp())).toEqual([]);
  });

  it('waits a second for the next request, and no longer', async () => {
    const upstream = await serveASecond();
    expect(await fetchAllOf(upstream.server)).toEqual([]);
    await pause(1_000);
    expect(await fetchAllOf(upstream.server)).toEqual([]);
    expect(upstream.late).toBe(0);
  });

  it('sends an answer too many with the first one on each connection', async () => {
    expect(await fetchAllOf(await servePoison())).toEqual([]);
  });
});

describe('An upstream that keeps its connections', () => {
  it('is connected to 24 times at most, for any number of requests', async () => {
    const server = await serve(({ url = '' }, response) => {
      setTimeout(() => response.end(tarballOf(url.slice(1))), 20);
    });
    expect(await fetchAllOf(server)).toEqual([]);
    expect(server.connections).toBeLessThanOrEqual(24);
  });

  it('answers requests in the order in which they waited', async () => {
    const order: string[] = [];
    const server = await serve(({ url = '' }, response) => {
      order.push(url.slice(1));
      setTimeout(() => response.end(tarballOf(url.slice(1))), 20);
    });
    const home = `http://registry.example:${server.port}`;
    const client = clientFor(home, { limits });
    await Promise.all(paths.map(async (path) => fetchFrom(client, `${home}/${path}`)));
    // Those that had no connection to wait for may overtake one another.
    const places = paths.map((path) => order.indexOf(path));
    for (const [index, place] of places.entries()) expect(Math.abs(place - index)).toBeLessThan(24);
  });

  it('is looked up once for all of them', async () => {
    const server = await serve(({ url = '' }, response) => void response.end(tarballOf(url.slice(1))));
    const resolver = resolvingTo('127.0.0.1');
    const home = `http://registry.example:${server.port}`;
    const client = clientFor(home, { limits, resolver });
    expect(await fetchAll((path) => [client, `${home}/${path}`])).toEqual([]);
    expect(resolver.asked).toEqual(['registry.example']);
  });
});

describe('A request is sent once more', () => {
  it.each(['reset', 'end'] as const)('and not twice, if each connection meets it with a %s', async (ending) => {
    const server = await serveAnswers(0, ending);
    const home = `http://registry.example:${server.port}/`;
    await expect(
      clientFor(home, { limits }).request(home, { content: 'file', signal: AbortSignal.timeout(10_000) }),
    ).rejects.toMatchObject({ kind: 'unreachable' });
    expect(server.connections).toBe(2);
  });

  it('and not at all once its answer has begun, or if the upstream is slow', async () => {
    let requests = 0;
    const server = await serve(({ url }, response) => {
      requests += 1;
      if (url === '/slow') return;
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => response.socket?.resetAndDestroy());
    });
    const home = `http://registry.example:${server.port}`;
    const client = clientFor(home, { limits: { ...limits, firstByteMilliseconds: 300 } });
    expect(await fetchFrom(client, `${home}/half`)).toContain('broke its answer off');
    expect(await fetchFrom(client, `${home}/slow`)).toContain('sent no answer within 0.3 seconds');
    expect(requests).toBe(2);
  });
});

describe('A connection is used by nobody', () => {
  it('after an answer that was given up', async () => {
    const server = await serve(({ url = '' }, response) => {
      response.write('a beginning ');
      setTimeout(() => response.end(tarballOf(url.slice(1))), 100);
    });
    const home = `http://registry.example:${server.port}`;
    const client = clientFor(home, { limits });
    expect(await fetchFrom(client, `${home}/one`, 50)).toContain('was given up by the caller');
    expect(await fetchFrom(client, `${home}/two`)).toBe(`a beginning ${tarballOf('two')}`);
  });

  // An answer that comes after the next question cannot be told from the one to it.
  it('after an answer that nobody asked for', async () => {
    const server = await servePoison(20);
    const home = `http://registry.example:${server.port}`;
    const client = clientFor(home, { limits });
    for (const path of ['one', 'two', 'three']) {
      expect(await fetchFrom(client, `${home}/${path}`)).toBe(tarballOf(path));
      await pause(200);
    }
    expect(server.connections).toBe(3);
  });
});
