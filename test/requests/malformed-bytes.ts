import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { getRegistry } from '../../functions/docker/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { listWorkspaces } from '../../functions/workspaces/contracts.ts';
import { pathOf } from '../harness/client.ts';
import { itAnswers } from '../harness/it-answers.ts';
import type { Service } from '../harness/service.ts';

/** What a service answers to bytes that are no request, or one that no function may see: by the API, and by the door before it. */
export const itRefusesMalformedBytes = (service: Service, bearer: () => string): void => {
  const host = 'Host: x\r\n';
  const whoAmI = (): string => `GET ${pathOf(getCurrentUser)} HTTP/1.1\r\n${host}Authorization: ${bearer()}\r\n\r\n`;
  const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAE\r\n';
  const create = `POST ${pathOf(listWorkspaces)} HTTP/1.1\r\n${host}`;

  itAnswers('400 REQUEST_INVALID for what is no HTTP/1.1, and the service goes on', async () => {
    const broken = [
      'nonsense\r\n\r\n',
      'GET /healthz HT',
      'NONSENSE /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
      `GET /healthz HTTP/1.1\r\n${host}Authorization: a\u0000b\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\n${host}X: ${'x'.repeat(1_000_000)}\r\n\r\n`,
      `${create}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`,
      `${create}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${create}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`,
      `${create}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
      `${create}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
      `${create}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
      `${create}Content-Length: 1\r\nTransfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n`,
      `GET /healthz HTTP/1.1\n${host}\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: x\nX: y\r\n\r\n`,
      `${create}Content-Length: 100\r\n\r\n{`,
      `${create}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`,
      `${create}${upgrade}Content-Length: 100\r\n\r\n{`,
      `${create}${upgrade}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`,
    ];
    const answers = (await Promise.all(broken.map((bytes) => service.client.pipeline(bytes)))).flat();
    expect(answers).toHaveLength(broken.length);
    expect((await service.client.sendTo(getCurrentUser, { headers: [['Authorization', bearer()]] })).status).toBe(200);
    return answers;
  });

  itAnswers(
    '400 REQUEST_INVALID for two Host headers, for none, and for an expectation that nobody meets',
    async () => {
      const heads = [`${host}Host: x`, `${host}host: y`, 'X: y', `${host}Expect: 200-ok`];
      const answers = await Promise.all(
        heads.map((lines) => service.client.pipeline(`GET /healthz HTTP/1.1\r\n${lines}\r\n\r\n`)),
      );
      expect(answers.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
      return answers.flat();
    },
  );

  itAnswers(
    '400 REQUEST_INVALID for a body in a coding that nobody undoes, and no other coding is needed',
    async () => {
      const send = async (coding: string) => service.client.pipeline(`${create}${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
      const [understood] = await send('Transfer-Encoding: Chunked');
      expect(understood?.status).toBe(401);
      const codings = ['gzip, chunked', 'chunked, chunked', 'x, deflate,chunked'];
      return (await Promise.all(codings.map((coding) => send(`Transfer-Encoding: ${coding}`)))).flat();
    },
  );

  itAnswers('400 REQUEST_INVALID for a Host that no host name is, at every endpoint', async () => {
    const hosts = ['', 'a b', 'a:b:c', '[', 'x@y', 'a/b', 'a?b', 'a"b', '1.2.3.999', 'a:99999', 'é'];
    const paths = [pathOf(getCurrentUser), pathOf(getRegistry), '/healthz', '/docs', '/nowhere'];
    const lines = [
      ...hosts.flatMap((each) => paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: ${each}`)),
      ...paths.map((path) => `GET http://[${path} HTTP/1.1\r\nHost: x`),
    ];
    const answers = await Promise.all(
      lines.map((head) => service.client.pipeline(`${head}\r\nAuthorization: ${bearer()}\r\n\r\n`)),
    );
    expect(answers.map(({ length }) => length)).toEqual(answers.map(() => 1));
    return answers.flat();
  });

  it('may have a Host of each form, and none in HTTP/1.0', async () => {
    for (const each of ['a', 'a.example:1', '127.0.0.1', '[::1]:3000', 'under_score', 'A.EXAMPLE.']) {
      const [answer] = await service.client.pipeline(
        `GET ${pathOf(getCurrentUser)} HTTP/1.1\r\nHost: ${each}\r\nAuthorization: ${bearer()}\r\n\r\n`,
      );
      expect([each, answer?.status]).toEqual([each, 200]);
    }
    const { hostname, port } = new URL(service.runner.url);
    const socket = connect(Number(port), hostname);
    socket.end(`GET ${pathOf(getCurrentUser)} HTTP/1.0\r\nAuthorization: ${bearer()}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  itAnswers('404 ROUTE_NOT_FOUND for CONNECT', () =>
    service.client.pipeline(`CONNECT a.example:443 HTTP/1.1\r\n${host}\r\n`),
  );

  it.each([
    ['broken bytes', 'nonsense\r\n\r\n', 400],
    ['CONNECT', `CONNECT a.example:443 HTTP/1.1\r\n${host}\r\n`, 404],
    ['a body that breaks off', `${create}Content-Length: 9\r\n\r\n{`, 400],
  ])('leave the requests before them their answers: %s', async (_, bytes, status) => {
    const answers = await service.client.pipeline(whoAmI() + whoAmI() + bytes);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, status]);
  });

  it('are no requests of a client that closes its side once it has sent them', async () => {
    const answers = await service.client.pipeline(whoAmI().repeat(3));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  });
};
