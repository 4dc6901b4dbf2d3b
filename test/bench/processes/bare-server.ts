import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createRepository, type Known } from '../yardsticks/table-calls.ts';

// Node's own server and the SDK: creates a local repository by the same two table calls, and checks nothing.
const known = JSON.parse(process.argv[2] ?? '') as Known;

const server = createServer((request, response) => {
  text(request)
    .then((body) => createRepository(known, body))
    .then((record) => response.writeHead(201, { 'Content-Type': 'application/json' }).end(record))
    .catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => {
  writeSync(3, `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
