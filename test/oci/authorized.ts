import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server on the loopback that passes every request on with a credential: the conformance suite then depends on no challenge, and is
 * about what a caller may do.
 */
export const authorized = async (url: string, authorization: string) => {
  const target = new URL(url);
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const options = { host: target.hostname, port: target.port, method, path, headers: { ...headers, authorization } };
    const passed = send(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};
