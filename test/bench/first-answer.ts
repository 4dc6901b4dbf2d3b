import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { authorizerEvent, proxyEvent } from './events.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import { functionVariables, type Workbench } from './workbench.ts';

const rounds = 15;
const ratioMax = 2.2;

const stranger = { userId: 'nobody', username: 'nobody', tokenId: 'none' };
const path = { workspace: 'acme' };

/** An empty table behind its own certificate. Node cannot create one, so openssl does. */
const startTable = async (directory: string): Promise<{ server: Server; certificate: string }> => {
  const [certificate, key] = [join(directory, 'table.crt'), join(directory, 'table.key')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', certificate, ...names], {
    stdio: 'ignore',
  });
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
    request.resume().on('end', () => {
      response.setHeader('Content-Type', 'application/x-amz-json-1.0');
      response.end('{"Responses":{"bench":[]},"UnprocessedKeys":{}}');
    });
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return { server, certificate };
};

/** From process start to the first answer of the table over TLS, compared with a read that is signed by hand. */
export const firstAnswer = async (workbench: Workbench): Promise<Figure[]> => {
  const { server, certificate } = await startTable(workbench.directory);
  const variables = {
    ...functionVariables,
    NODE_EXTRA_CA_CERTS: certificate,
    AWS_ENDPOINT_URL_DYNAMODB: `https://localhost:${(server.address() as AddressInfo).port}`,
  };
  const measure = (file: string, event: object) => async () => {
    const { message, startedAt } = await workbench.run(
      workbench.built('processes/first-answer'),
      [file, JSON.stringify(event)],
      variables,
    );
    return (message as { answeredAt: number }).answeredAt - startedAt;
  };
  const measured = await inTurns(
    rounds,
    {
      'hand-signed': measure(workbench.built('yardsticks/hand-signed'), {}),
      authorizer: measure(workbench.bundle('authorizer'), authorizerEvent(getCurrentUser)),
      [createLocalRepository.id]: measure(
        workbench.bundle(createLocalRepository.id),
        proxyEvent(createLocalRepository, path, stranger, { name: 'npm-local', packageType: 'npm' }),
      ),
    },
    25,
  );
  server.close();
  const { 'hand-signed': least, ...ours } = measured;
  return Object.entries(ours).map(([id, milliseconds]) => {
    const ratio = median(milliseconds) / median(least);
    return {
      row: `cold to first table answer over TLS: ${id}`,
      against: `hand-signed HTTPS (${median(least).toFixed(0)} ms)`,
      goal: `≤ ${ratioMax} ×`,
      figure: `${times(ratio)} (${median(milliseconds).toFixed(0)} ms)`,
      met: ratio <= ratioMax,
    };
  });
};
