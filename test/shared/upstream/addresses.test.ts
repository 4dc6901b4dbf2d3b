import { setTimeout as pause } from 'node:timers/promises';
import { type Resolver, systemResolver } from '../../../shared/upstream/lookups.ts';
import { clientFor, file, type Loopback, resolvingTo, serve, stopServers } from './loopback.ts';

let server: Loopback;
let home: string;

beforeAll(async () => {
  server = await serve(({ url = '' }, response) => {
    const to = new URL(url, 'http://server/').searchParams.get('to');
    if (to === null) response.end('reached');
    else response.writeHead(302, { location: Buffer.from(to).toString('latin1') }).end();
  });
  home = `http://registry.example:${server.port}/`;
});

afterAll(stopServers);

const spellings = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '0',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::127.0.0.1]',
  '127.0.0.2',
  'localhost',
  '169.254.169.254',
  '2852039166',
  '[fd00:ec2::254]',
];

describe('an address in place of a name, for which Node looks nothing up', () => {
  it.each(spellings)('%s is refused without a connection', async (host) => {
    const resolver = resolvingTo('127.0.0.1');
    const before = server.connections;
    const client = clientFor(home, { allowedPrivate: ['registry.example'], resolver });
    await expect(client.request(`http://${host}:${server.port}/`, file())).rejects.toMatchObject({
      kind: 'refused-address',
    });
    expect([server.connections - before, resolver.asked]).toEqual([0, []]);
  });

  it.each(spellings)('%s is refused after a redirect too', async (host) => {
    const resolver = resolvingTo('127.0.0.1');
    const before = server.connections;
    const client = clientFor(home, { allowedPrivate: ['registry.example'], resolver });
    const to = encodeURIComponent(`http://${host}:${server.port}/`);
    await expect(client.request(`${home}?to=${to}`, file())).rejects.toMatchObject({
      kind: 'refused-address',
      host: `registry.example:${server.port}`,
      status: 302,
    });
    expect([server.connections - before, resolver.asked]).toEqual([1, ['registry.example']]);
  });

  it.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]'])('%s is reached when it is listed', async (host) => {
    const client = clientFor(home, { allowedPrivate: ['127.0.0.0/8'] });
    const { status, body } = await client.request(`http://${host}:${server.port}/`, file());
    body.destroy();
    expect(status).toBe(200);
  });
});

describe('a name', () => {
  it.each([
    ['private', ['10.0.0.1']],
    ['of the loopback', ['127.0.0.2']],
    ['of the loopback in IPv6', ['::1']],
    ['mapped into IPv6', ['::ffff:10.0.0.1']],
    ["a metadata service's", ['169.254.169.254']],
    ['private, after a good one', ['127.0.0.1', '10.0.0.1']],
    ['private, before a good one', ['10.0.0.1', '127.0.0.1']],
    ['of the loopback, among many', ['127.0.0.1', '8.8.8.8', '2606:4700:4700::1111', '::1']],
  ])('is refused when one of its addresses is %s', async (_, addresses) => {
    const before = server.connections;
    const client = clientFor(home, { resolver: resolvingTo(...addresses) });
    await expect(client.request(home, file())).rejects.toMatchObject({
      kind: 'refused-address',
      message: `registry.example:${server.port} resolves to an address that is not public.`,
    });
    expect(server.connections - before).toBe(0);
  });

  it('that is listed may resolve to a private address, but not to a metadata service', async () => {
    const listed = { allowedPrivate: ['registry.example'] };
    const { body } = await clientFor(home, { ...listed, resolver: resolvingTo('127.0.0.1') }).request(home, file());
    body.destroy();
    await expect(
      clientFor(home, { ...listed, resolver: resolvingTo('169.254.169.254') }).request(home, file()),
    ).rejects.toMatchObject({ kind: 'refused-address' });
  });

  it('is looked up once for each connection, so what was checked is what is connected to', async () => {
    const resolver = resolvingTo('127.0.0.1');
    const client = clientFor(home, { resolver });
    const { body } = await client.request(home, file());
    body.destroy();
    expect(resolver.asked).toEqual(['registry.example']);
  });

  it('that is bound to a private address is refused once the age of its connection ended', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
    const resolver: Resolver = (name, done) => resolvingTo(...(answers.shift() ?? []))(name, done);
    const client = clientFor(home, { resolver, ageMilliseconds: 200, lookupMilliseconds: 0 });
    const before = server.connections;
    const read = async () => (await (await client.request(home, file())).body.toArray()).join('');
    expect(await read()).toBe('reached');
    await pause(250);
    await expect(read()).rejects.toMatchObject({ kind: 'refused-address' });
    expect(await read()).toBe('reached');
    expect(server.connections - before).toBe(2);
  });

  it('has no connection that its server is about to close', async () => {
    const closing = await serve((_request, response) => response.setHeader('Keep-Alive', 'timeout=1').end('reached'));
    const url = `http://registry.example:${closing.port}/`;
    const client = clientFor(url);
    for (const _ of [1, 2]) await (await client.request(url, file())).body.toArray();
    expect(closing.connections).toBe(2);
  });

  it('that a redirect leads to is looked up and checked as well', async () => {
    const resolver: Resolver = (name, done) =>
      resolvingTo(name === 'registry.example' ? '127.0.0.1' : '192.168.0.1')(name, done);
    const to = encodeURIComponent(`http://rebound.example:${server.port}/`);
    await expect(clientFor(home, { resolver }).request(`${home}?to=${to}`, file())).rejects.toMatchObject({
      kind: 'refused-address',
      message: `registry.example:${server.port} leads to an internal host that cannot be used.`,
      cause: { message: `rebound.example:${server.port} resolves to an address that is not public.` },
    });
  });

  it('without any address is unreachable', async () => {
    await expect(clientFor(home, { resolver: resolvingTo() }).request(home, file())).rejects.toMatchObject({
      kind: 'unreachable',
      message: `registry.example:${server.port} has no address.`,
    });
  });

  it('that is not found is unreachable', async () => {
    const resolver: Resolver = (name, done) =>
      done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
    await expect(clientFor(home, { resolver }).request(home, file())).rejects.toMatchObject({
      kind: 'unreachable',
      message: `registry.example:${server.port} could not be reached: ENOTFOUND.`,
    });
  });

  it('is looked up by the system where nothing else is said', async () => {
    const url = `http://localhost:${server.port}/`;
    const read = async (...allowedPrivate: string[]) => {
      const { body } = await clientFor(url, { allowedPrivate, resolver: systemResolver }).request(url, file());
      return (await body.toArray()).join('');
    };
    expect(await read('localhost')).toBe('reached');
    await expect(read()).rejects.toMatchObject({
      kind: 'refused-address',
      message: expect.stringMatching(/public host/),
    });
  });
});
