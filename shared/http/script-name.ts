import { createHash } from 'node:crypto';

/** The name of the script of the console, which changes with its bytes. */
export const scriptName = (script: Uint8Array | string): string =>
  `console-${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`;
