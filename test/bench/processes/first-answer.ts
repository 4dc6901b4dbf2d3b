import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';

type Handler = (event: unknown, context: object) => Promise<unknown>;

// Loads a bundle and calls it once, for a caller who is not in the table: it refuses after the table's first answer.
const [, , file = '', event = ''] = process.argv;
const { handler } = createRequire(__filename)(file) as { handler: Handler };

const tell = () => writeSync(3, `${JSON.stringify({ answeredAt: performance.timeOrigin + performance.now() })}\n`);
void handler(JSON.parse(event), { getRemainingTimeInMillis: () => 10_000 }).then(tell, tell);
