import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { statusCounts } from '../harness/concurrency.ts';
import { serveRegistry, upstreamTarballOf, useNpmRepository } from '../harness/npm.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { uniqueName } from '../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const npm = useNpmRepository(service);
const [tarballs, atOnce] = [80, 60];
jest.setTimeout(120_000);

/** Over HTTP/1.0, a body without a length ends with its connection. */
const speakOldHttp = (response: ServerResponse): void => {
  response.end = ((body: string | Uint8Array) => {
    response.socket?.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), Buffer.from(body)]));
    return response;
  }) as ServerResponse['end'];
};

/** Meets the second request on a connection with a reset, and answers every other request over HTTP/1.0. */
const awkward = (good: RequestListener): RequestListener => {
  const used = new WeakSet<Socket>();
  let requests = 0;
  return (request, response) => {
    const { socket } = request;
    requests += 1;
    if (used.has(socket)) socket.resetAndDestroy();
    else {
      if (requests % 2 === 0) speakOldHttp(response);
      good(request, response);
    }
    used.add(socket);
  };
};

it(`Downloads of ${tarballs} tarballs by ${atOnce} clients at once all succeed, however the upstream ends its connections`, async () => {
  const name = uniqueName('package');
  const versions = Array.from({ length: tarballs }, (_, index) => `1.0.${index}`);
  upstream.answer = awkward(
    serveRegistry(upstream, { [name]: Object.fromEntries(versions.map((version) => [version, {}])) }),
  );
  const repository = await createRemote(service, npm.setting.workspace, { remoteRepositoryUrl: upstream.url });
  const left = [...versions];
  const answers: Answer[] = [];
  const wrong: string[] = [];
  const install = async (): Promise<void> => {
    for (let version = left.shift(); version !== undefined; version = left.shift()) {
      const path = `${name}/-/${name}-${version}.tgz`;
      const answer = await npm.send(getNpmDocument, path, { repository });
      answers.push(answer);
      if (answer.text !== upstreamTarballOf(name, version).toString()) wrong.push(`${version}: ${answer.text}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, install));
  expect([statusCounts(answers), wrong]).toEqual([{ 200: tarballs }, []]);
});
