import type { Client } from '../client.ts';
import { options } from '../options.ts';
import { npm } from './npm.ts';
import { pnpm } from './pnpm.ts';
import { uv } from './uv.ts';

const all: readonly Client[] = [npm, pnpm, uv];

const unknown = options.installs?.filter((name) => all.every((client) => client.name !== name)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `INSTALLS names no installation: ${unknown.join(', ')}. There are ${all.map(({ name }) => name).join(', ')}.`,
  );

/** The clients whose installations are measured. */
export const clients = all.filter(({ name }) => options.installs?.includes(name) ?? true);
