import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createRepository, credential, currentUser, type Known } from '../yardsticks/table-calls.ts';

// Node's own server and the SDK: it makes the table calls of one endpoint and checks nothing.
const calls = { createRepository, credential, currentUser };
const name = process.argv[2] as keyof typeof calls;
const known = JSON.parse(process.argv[3] ?? '') as Known;

const server = createServer((request, response) => {
  text(request)
    .then((body) => calls[name](known, body))
    .then((record) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(record))
    .catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => {
  writeSync(3, `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
