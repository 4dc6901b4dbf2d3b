import { clientFor, file, serve, stopServers } from './loopback.ts';

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
