import { clientFor, file, resolvingTo, serve, stopServers } from './loopback.ts';

afterAll(stopServers);

describe('a demand for a token', () => {
  it.each(['http://[', 'not a URL at all:\\', 'ftp://registry.example/token', ''])(
    'from a place that is no address of a server (%j) is a failure of the upstream',
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
