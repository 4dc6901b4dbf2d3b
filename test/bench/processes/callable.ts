import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';

// Loads a bundle as Lambda does, and reports when its handler is ready.
const file = process.argv[2] ?? '';
const before = performance.now();
const { handler } = createRequire(__filename)(file) as { handler?: unknown };
const after = performance.now();
if (typeof handler !== 'function') throw new Error(`${file} has no handler.`);
writeSync(3, `${JSON.stringify({ callableAt: performance.timeOrigin + after, importMilliseconds: after - before })}\n`);
