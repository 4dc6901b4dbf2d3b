import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { environment } from '../../../shared/config.ts';

/** A call that the table received. */
export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the table answers; with `date`, by a clock that says this. */
export interface TableAnswer {
  readonly status: number;
  readonly body: object;
  readonly date?: Date;
}

/** What calls of the table are signed with. */
export const tableAccess = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'tests', secretAccessKey: 'secret', sessionToken: 'session of the tests' },
} as const;

/** Answers calls of the table as a test says; undefined is silence. */
export const useAnsweringTable = (answerTo: (call: ReceivedCall) => TableAnswer | undefined): void => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const said = answerTo({ headers: request.headers, body: await text(request) });
    if (said)
      response.writeHead(said.status, said.date && { Date: said.date.toUTCString() }).end(JSON.stringify(said.body));
  };
  const server = createServer((request, response) => void answer(request, response));
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    Object.assign(process.env, {
      [environment.tableName]: 'table',
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: tableAccess.region,
      AWS_ACCESS_KEY_ID: tableAccess.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: tableAccess.credentials.secretAccessKey,
      AWS_SESSION_TOKEN: tableAccess.credentials.sessionToken,
    });
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
};
