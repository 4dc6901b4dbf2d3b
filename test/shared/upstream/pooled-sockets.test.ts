import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Resolver } from '../../../shared/upstream/lookups.ts';
import type { UpstreamClient } from '../../../shared/upstream/upstream-client.ts';
import { selfSigned } from '../../harness/tls.ts';
import { clientsSharing, file, type Loopback, resolvingTo, serve, serveSecurely, stopServers } from './loopback.ts';

afterAll(stopServers);

/** How long a connection is used at most in these tests, in place of a minute. */
const ageMilliseconds = 400;
const short = { ageMilliseconds, lookupMilliseconds: 50 };

const seen: { readonly host: string; readonly authorization: string | undefined }[] = [];
const listener: RequestListener = ({ url = '', headers }, response) => {
  seen.push({ host: String(headers.host).split(':')[0] ?? '', authorization: headers.authorization });
  const to = new URL(url, 'http://server/').searchParams.get('to');
  if (to === null) response.end(`reached ${url}`);
  else response.writeHead(302, { location: to }).end();
};

let server: Loopback;
let home: string;
beforeEach(async () => {
  seen.length = 0;
  server = await serve(listener);
  home = `http://registry.example:${server.port}/`;
});

const read = async (client: UpstreamClient, url = home): Promise<string> => {
  const { body } = await client.request(url, file());
  return text(body);
};

/** Resolves every name to one address, which a test may change. */
const resolvingWith = (address: string) => {
  const state = { address };
  const resolver: Resolver = (name, done) => resolvingTo(state.address)(name, done);
  return { resolver, state };
};

const credentialsOf = (username: string) => ({ credentials: async () => ({ username, password: 'only for one' }) });
const basicOf = (username: string): string => `Basic ${Buffer.from(`${username}:only for one`).toString('base64')}`;

describe('A kept connection', () => {
  it('carries the next request, also of another client of the process', async () => {
    const resolver = resolvingTo('127.0.0.1');
    const clients = clientsSharing({ resolver });
    for (const client of [clients(home), clients(home), clients(home)])
      for (const _ of ['first', 'again']) expect(await read(client)).toBe('reached /');
    expect([server.connections, resolver.asked]).toEqual([1, ['registry.example']]);
  });

  it('leads to the address that was checked when it was opened, until its age ends, and then to no other', async () => {
    const { resolver, state } = resolvingWith('127.0.0.1');
    const client = clientsSharing({ resolver, ...short })(home);
    expect(await read(client)).toBe('reached /');
    state.address = '10.0.0.1';
    await pause(2 * short.lookupMilliseconds);
    expect(await read(client)).toBe('reached /');
    await pause(ageMilliseconds);
    await expect(read(client)).rejects.toMatchObject({
      kind: 'refused-address',
      message: `registry.example:${server.port} resolves to an address that is not public.`,
    });
    expect(server.connections).toBe(1);
    state.address = '127.0.0.1';
    await pause(2 * short.lookupMilliseconds);
    expect(await read(client)).toBe('reached /');
    expect(server.connections).toBe(2);
  });

  it('leads to a new address that is permitted once its age ends', async () => {
    const other = await serve((_, response) => void response.end('the other'), {
      address: '127.0.0.2',
      port: server.port,
    });
    const { resolver, state } = resolvingWith('127.0.0.1');
    const client = clientsSharing({ resolver, ...short, allowedPrivate: ['127.0.0.0/8'] })(home);
    expect(await read(client)).toBe('reached /');
    state.address = '127.0.0.2';
    await pause(2 * short.lookupMilliseconds);
    expect([await read(client), other.connections]).toEqual(['reached /', 0]);
    await pause(ageMilliseconds);
    expect(await read(client)).toBe('the other');
  });

  it('has an age that no use prolongs', async () => {
    const client = clientsSharing({ ...short })(home);
    const until = Date.now() + 3 * ageMilliseconds;
    for (let asked = 0; Date.now() < until; asked += 1) {
      expect(await read(client)).toBe('reached /');
      // On a busy machine there are fewer requests, and no fewer connections.
      if (asked < 200) await pause(10);
    }
    expect(server.connections).toBeGreaterThanOrEqual(3);
    expect(server.connections).toBeLessThan(seen.length);
  });

  it('is not what a request waits for whose name resolves to a forbidden address', async () => {
    const { resolver, state } = resolvingWith('10.0.0.1');
    const client = clientsSharing({ resolver, ...short })(home);
    await expect(read(client)).rejects.toMatchObject({ kind: 'refused-address' });
    state.address = '127.0.0.1';
    await pause(2 * short.lookupMilliseconds);
    expect(await read(client)).toBe('reached /');
  });
});

describe('A kept connection is of one host', () => {
  it('and not of another name with the same address', async () => {
    const clients = clientsSharing({});
    const other = `http://files.example:${server.port}/`;
    for (const [url, client] of [
      [home, clients(home)],
      [other, clients(other)],
      [home, clients(home)],
      [other, clients(home)],
    ] as const)
      expect(await read(client, url)).toBe('reached /');
    expect(server.connections).toBe(2);
    expect(seen.map(({ host }) => host)).toEqual([
      'registry.example',
      'files.example',
      'registry.example',
      'files.example',
    ]);
  });

  it('also after a redirect, which has no credentials', async () => {
    const client = clientsSharing({})(home, credentialsOf('one'));
    const to = encodeURIComponent(`http://files.example:${server.port}/far`);
    expect(await read(client, `${home}?to=${to}`)).toBe('reached /far');
    expect(await read(client)).toBe('reached /');
    expect([server.connections, seen]).toEqual([
      2,
      [
        { host: 'registry.example', authorization: basicOf('one') },
        { host: 'files.example', authorization: undefined },
        { host: 'registry.example', authorization: basicOf('one') },
      ],
    ]);
  });

  it('and of no other one that may not be reached', async () => {
    const clients = clientsSharing({ allowedPrivate: ['registry.example'] });
    expect(await read(clients(home))).toBe('reached /');
    for (const host of ['127.0.0.1', '2130706433', 'files.example', 'localhost']) {
      const url = `http://${host}:${server.port}/`;
      for (const client of [clients(home), clients(url)])
        await expect(read(client, url)).rejects.toMatchObject({ kind: 'refused-address' });
    }
    expect(server.connections).toBe(1);
  });

  it('and of one port', async () => {
    const other = await serve((_, response) => void response.end('the other'));
    const clients = clientsSharing({});
    const url = `http://registry.example:${other.port}/`;
    expect([await read(clients(home)), await read(clients(url), url), await read(clients(home))]).toEqual([
      'reached /',
      'the other',
      'reached /',
    ]);
  });
});

describe('A kept connection has no credentials', () => {
  const sent = (): (string | undefined)[] => seen.map(({ authorization }) => authorization);

  it('of the repository that used it before', async () => {
    const clients = clientsSharing({});
    const repositories = [clients(home, credentialsOf('one')), clients(home, credentialsOf('two')), clients(home)];
    for (const client of [...repositories, ...repositories]) expect(await read(client)).toBe('reached /');
    const expected = [basicOf('one'), basicOf('two'), undefined];
    expect(sent()).toEqual([...expected, ...expected]);
    expect(server.connections).toBe(1);
  });

  it('of another one among many at once', async () => {
    const clients = clientsSharing({});
    const echoing = await serve(({ headers }, response) => {
      setTimeout(() => response.end(String(headers.authorization)), 5);
    });
    const url = `http://registry.example:${echoing.port}/`;
    const names = Array.from({ length: 90 }, (_, index) => `user-${index % 3}`);
    const repositories = new Map(names.map((name) => [name, clients(url, credentialsOf(name))]));
    const answers = await Promise.all(
      names.map(async (name) => {
        const client = repositories.get(name);
        return client && read(client, url);
      }),
    );
    expect(answers).toEqual(names.map(basicOf));
  });
});

describe('A kept connection with TLS', () => {
  const identity = selfSigned('registry.example');

  it('is of one authority', async () => {
    const secure = await serveSecurely(identity, listener);
    const url = `https://registry.example:${secure.port}/`;
    const trusting = clientsSharing({ certificateAuthority: identity.cert });
    for (const _ of ['first', 'again']) expect(await read(trusting(url), url)).toBe('reached /');
    expect(secure.connections).toBe(1);
    for (const certificateAuthority of [undefined, selfSigned('registry.example').cert]) {
      const client = clientsSharing({ certificateAuthority })(url);
      await expect(read(client, url)).rejects.toMatchObject({ kind: 'unreachable' });
    }
  });

  it('is of a host that the certificate names', async () => {
    const secure = await serveSecurely(identity, listener);
    const url = `https://registry.example:${secure.port}/`;
    const clients = clientsSharing({ certificateAuthority: identity.cert });
    expect(await read(clients(url), url)).toBe('reached /');
    await expect(read(clients(url), url.replace('registry', 'files'))).rejects.toMatchObject({
      message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    });
  });
});
