import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useService } from '../harness/service.ts';
import { askFront } from './answers.ts';
import { edgeSecret } from './edge.ts';

describe('What the front behind CloudFront passes on', () => {
  const received: IncomingHttpHeaders[] = [];
  const api = createServer(({ headers }, response) => {
    received.push(headers);
    response.end('{}');
  });
  const variables: Record<string, string> = {};
  const service = useService({ hasEdge: true, isOwn: true, environment: variables });

  beforeAll(async () => {
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    variables.API_URL = `http://127.0.0.1:${(api.address() as AddressInfo).port}/api`;
    await service.runner.reload();
  });

  afterAll(() => {
    api.close();
    api.closeAllConnections();
  });

  it('proves itself by the header of CloudFront, and names the client, with the credential where the API wants it', async () => {
    const authorization = 'Basic dTpw';
    const forged = { 'x-stockroom-viewer': '10.0.0.1', 'x-stockroom-edge': 'forged', 'x-stockroom-authorization': 'x' };
    await askFront(service, { path: '/npm/a/b/c', headers: { authorization, ...forged } });
    const [sent] = received;
    expect(sent).toMatchObject({
      authorization,
      'x-stockroom-edge': edgeSecret,
      'x-stockroom-viewer': expect.stringMatching(/127\.0\.0\.1$/),
    });
    for (const name of ['x-stockroom-authorization', 'x-stockroom-front', 'x-amz-date', 'x-amz-security-token'])
      expect([name, sent?.[name]]).toEqual([name, undefined]);
  });
});
