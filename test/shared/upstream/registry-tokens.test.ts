import { RegistryTokens, tokenIn } from '../../../shared/upstream/registry-tokens.ts';
import { clientFor, file, resolvingTo, serve, stopServers } from './loopback.ts';

afterAll(stopServers);

describe('a demand for a token', () => {
  it.each(['http://[', 'not a URL at all:\\', 'ftp://registry.example/token', ''])(
    'from an address that is no address of a server (%j) is a failure of the upstream',
    async (realm) => {
      const server = await serve((_request, response) =>
        response.writeHead(401, { 'WWW-Authenticate': `Bearer realm="${realm}",service="x"` }).end(),
      );
      const url = `http://registry.example:${server.port}/v2/image/manifests/1`;
      await expect(clientFor(url, { takesTokens: true }).request(url, file())).rejects.toMatchObject({
        name: 'UpstreamError',
      });
    },
  );
});

describe('the credentials of a repository', () => {
  const ask = async (credentials?: { readonly username: string; readonly password: string }) => {
    const challenge = 'Bearer realm="https://tokens.evil.example/token"';
    const server = await serve((_request, response) =>
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end(),
    );
    const url = `http://registry.example:${server.port}/v2/image/manifests/1`;
    const resolver = resolvingTo('127.0.0.1');
    const client = clientFor(url, { takesTokens: true, resolver, credentials: async () => credentials });
    const error: unknown = await client.request(url, file()).catch((reason: unknown) => reason);
    return { error, asked: resolver.asked, port: server.port };
  };

  it('do not go for a token to a host that is not of the domain of the registry', async () => {
    const { error, asked, port } = await ask({ username: 'ci', password: 'secret' });
    expect(error).toMatchObject({
      kind: 'refused-address',
      message: `registry.example:${port} wants the credentials of this repository to be sent to a host that is not of its domain, or not over TLS (HTTP 401).`,
    });
    expect(asked).toEqual(['registry.example']);
  });

  it('are not at stake where there are none', async () => {
    const { asked } = await ask();
    expect(asked).toContain('tokens.evil.example');
  });
});

describe('a token', () => {
  /** How often a registry is asked for a token by three requests for one image. */
  const tokensFor = async (seconds: number | undefined): Promise<number> => {
    let given = 0;
    const server = await serve((request, response) => {
      if (request.url?.startsWith('/token')) {
        given += 1;
        response.end(JSON.stringify({ token: `token-${given}`, expires_in: seconds }));
      } else if (request.headers.authorization === `Bearer token-${given}`) response.end('the manifest');
      else {
        const realm = `http://registry.example:${server.port}/token`;
        response.writeHead(401, { 'WWW-Authenticate': `Bearer realm="${realm}",service="x"` }).end();
      }
    });
    const url = `http://registry.example:${server.port}/v2/image/manifests/1`;
    const client = clientFor(url, { takesTokens: true });
    for (let time = 0; time < 3; time += 1) {
      const { status, body } = await client.request(url, file());
      expect(status).toBe(200);
      body.resume();
    }
    return given;
  };

  it('serves the next requests, until ten seconds before its end', async () => {
    expect(await tokensFor(300)).toBe(1);
    expect(await tokensFor(undefined)).toBe(1);
    expect(await tokensFor(10)).toBe(3);
  });

  it.each([
    [300, 290],
    [11, 1],
    [undefined, 50],
    [0, 50],
    ['soon', 50],
  ])('that is valid for %j seconds is used for %d', (seconds, used) => {
    const answer = Buffer.from(JSON.stringify({ token: 'abc', expires_in: seconds }));
    const left = (tokenIn(answer)?.until ?? 0) - Date.now();
    expect({ left, isRight: left <= used * 1_000 && left > used * 1_000 - 1_000 }).toEqual({ left, isRight: true });
  });

  it('that has ended is not found any more', () => {
    const [tokens, url] = [new RegistryTokens(), new URL('https://registry.example/v2/image/manifests/1')];
    tokens.keep(url, { header: 'Bearer abc', until: Date.now() + 5_000 });
    expect(tokens.find(url)).toBe('Bearer abc');
    tokens.keep(url, { header: 'Bearer abc', until: Date.now() - 1 });
    expect(tokens.find(url)).toBeUndefined();
  });
});
