import { hash } from 'node:crypto';

/** The name of the script of the console, which changes with its bytes. */
export const scriptName = (script: Uint8Array | string): string => `console-${hash('sha256', script).slice(0, 16)}.js`;
