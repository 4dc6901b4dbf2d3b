import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { selfSigned } from '../../harness/tls.ts';
import { clientFor, file, type Loopback, resolvingTo, serve, serveSecurely, stopServers } from './loopback.ts';

const seen: Pick<IncomingMessage, 'url' | 'headers'>[] = [];

/** `/3?to=…` redirects three times, the last time to the URL that is given. */
const listener: RequestListener = ({ url = '', headers }, response) => {
  seen.push({ url, headers });
  const { pathname, searchParams } = new URL(url, 'http://server/');
  const left = Number(pathname.slice(1));
  const to = searchParams.get('to');
  if (left === 0) response.end(`reached ${url}`);
  else if (left === 1 && to !== null)
    response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end();
  else response.writeHead(302, { location: `/${left - 1}${to === null ? '' : `?to=${encodeURIComponent(to)}`}` }).end();
};

const identity = selfSigned('registry.example', 'files.example');
let plain: Loopback;
let secure: Loopback;
let home: string;
let secureHome: string;

beforeAll(async () => {
  [plain, secure] = await Promise.all([serve(listener), serveSecurely(identity, listener)]);
  home = `http://registry.example:${plain.port}`;
  secureHome = `https://registry.example:${secure.port}`;
});

beforeEach(() => {
  seen.length = 0;
});

afterAll(stopServers);

const credentials = { username: 'ci', password: 'the user: and pässword' };
const basic = `Basic ${Buffer.from('ci:the user: and pässword').toString('base64')}`;
const oneTo = (url: string): string => `/1?to=${encodeURIComponent(url)}`;

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('with %d are followed', async (status) => {
    const to = `http://files.example:${plain.port}/0?x=%2F`;
    const response = await clientFor(home).request(`${home}${oneTo(to)}&status=${status}`, file());
    expect([response.status, response.url.href, await text(response.body)]).toEqual([200, to, 'reached /0?x=%2F']);
  });

  it.each([300, 304, 305, 306])('with %d are none', async (status) => {
    const response = await clientFor(home).request(`${home}${oneTo('/0')}&status=${status}`, file());
    expect([response.status, seen.length]).toEqual([status, 1]);
  });

  it('are followed five times and not six', async () => {
    const response = await clientFor(home).request(`${home}/5`, file());
    expect([response.url.href, await text(response.body), seen.length]).toEqual([`${home}/0`, 'reached /0', 6]);
    seen.length = 0;
    await expect(clientFor(home).request(`${home}/6`, file())).rejects.toMatchObject({
      kind: 'protocol',
      message: `registry.example:${plain.port} redirects after 5 redirects (HTTP 302).`,
    });
    expect(seen.map(({ url }) => url)).toEqual(['/6', '/5', '/4', '/3', '/2', '/1']);
  });

  it('without a Location are an answer like any other', async () => {
    const server = await serve((_request, response) => response.writeHead(302).end('where?'));
    const url = `http://registry.example:${server.port}/`;
    const { status, body } = await clientFor(url).request(url, file());
    expect([status, await text(body)]).toEqual([302, '']);
  });

  it.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://127.0.0.2/',
    'http://localhost/',
    'http://metadata.google.internal/',
  ])('to %s are refused', async (to) => {
    await expect(clientFor(home).request(`${home}${oneTo(to)}`, file())).rejects.toMatchObject({
      kind: 'refused-address',
      message: `registry.example:${plain.port} leads to an address that is not a public host (HTTP 302).`,
      cause: new Error(`leads to ${new URL(to).host}`),
    });
    expect(seen).toHaveLength(1);
  });

  it('to a private address are refused at the end of a chain', async () => {
    const to = encodeURIComponent('http://10.0.0.1/');
    await expect(clientFor(home).request(`${home}/5?to=${to}`, file())).rejects.toMatchObject({
      kind: 'refused-address',
    });
    expect(seen).toHaveLength(5);
  });

  it('to another port are refused', async () => {
    const other = await serve(listener);
    const to = `http://registry.example:${other.port}/0`;
    await expect(clientFor(home).request(`${home}${oneTo(to)}`, file())).rejects.toMatchObject({
      kind: 'refused-address',
    });
    expect(other.connections).toBe(0);
  });

  it('from https to http are refused', async () => {
    const client = clientFor(secureHome, { certificateAuthority: identity.cert });
    const to = `http://registry.example:${secure.port}/0`;
    await expect(client.request(`${secureHome}${oneTo(to)}`, file())).rejects.toMatchObject({
      kind: 'refused-address',
      message: `registry.example:${secure.port} would be reached without TLS (HTTP 302).`,
    });
    await expect(client.request(to, file())).rejects.toMatchObject({ kind: 'refused-address' });
    expect(seen).toHaveLength(1);
  });
});

describe('the credential', () => {
  it('goes to the origin of the repository, also after a redirect there', async () => {
    const client = clientFor(home, { credentials: async () => credentials });
    await client.request(`${home}/2`, file({ method: 'HEAD' }));
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([basic, basic, basic]);
  });

  it('goes nowhere else, and does not come back', async () => {
    const client = clientFor(home, { credentials: async () => credentials });
    const back = `http://files.example:${plain.port}${oneTo(`${home}/0`)}`;
    await client.request(`${home}${oneTo(back)}`, file({ method: 'HEAD' }));
    expect(seen.map(({ headers }) => [headers.host, headers.authorization])).toEqual([
      [`registry.example:${plain.port}`, basic],
      [`files.example:${plain.port}`, undefined],
      [`registry.example:${plain.port}`, undefined],
    ]);
  });

  it.each(['http://files.example', 'http://registry.example.', 'http://x.registry.example', 'http://127.0.0.1'])(
    'is not sent, nor asked for, when the upstream names a file at %s',
    async (origin) => {
      const ask = jest.fn(async () => credentials);
      await clientFor(home, { credentials: ask }).request(`${origin}:${plain.port}/0`, file({ method: 'HEAD' }));
      expect([seen[0]?.headers.authorization, ask.mock.calls.length]).toEqual([undefined, 0]);
    },
  );

  it('is not sent to http when the repository names the same host with https', async () => {
    const client = clientFor(`https://registry.example:${plain.port}/`, { credentials: async () => credentials });
    await expect(client.request(`${home}/0`, file())).rejects.toMatchObject({ kind: 'refused-address' });
    expect(seen).toEqual([]);
  });

  it('is asked for once, when it is first needed, and again after a failure', async () => {
    const outage = new Error('KMS is away');
    const ask = jest.fn(async () => credentials).mockRejectedValueOnce(outage);
    const client = clientFor(home, { credentials: ask });
    expect(ask).not.toHaveBeenCalled();
    const head = async () => client.request(`${home}/0`, file({ method: 'HEAD' }));
    await expect(head()).rejects.toBe(outage);
    await Promise.all([head(), head()]);
    await head();
    expect(ask).toHaveBeenCalledTimes(2);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([basic, basic, basic]);
  });

  it('is left out when the repository has none', async () => {
    await clientFor(home, { credentials: async () => undefined }).request(`${home}/0`, file({ method: 'HEAD' }));
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('TLS', () => {
  const read = async (host: string, certificateAuthority?: string) => {
    const url = `https://${host}:${secure.port}/0`;
    const { body } = await clientFor(url, {
      allowedPrivate: ['127.0.0.1'],
      ...(certificateAuthority !== undefined && { certificateAuthority }),
      resolver: resolvingTo('127.0.0.1'),
    }).request(url, file());
    return text(body);
  };

  it('is spoken with a host whose certificate is trusted and names it', async () => {
    expect(await read('registry.example', identity.cert)).toBe('reached /0');
    expect(await read('files.example.', identity.cert)).toBe('reached /0');
  });

  it.each([
    ['nobody trusts', 'registry.example', undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['names another host', 'other.example', identity.cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['names no address', '127.0.0.1', identity.cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('is not spoken with a host whose certificate %s', async (_, host, authority, code) => {
    await expect(read(host, authority)).rejects.toMatchObject({
      kind: 'unreachable',
      message: `${host}:${secure.port} could not be reached: ${code}.`,
    });
    expect(seen).toEqual([]);
  });
});
