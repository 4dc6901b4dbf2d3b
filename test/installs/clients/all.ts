import type { Client } from '../client.ts';
import { options } from '../options.ts';
import { apt } from './apt.ts';
import { bunClients } from './bun.ts';
import { cargo } from './cargo.ts';
import { go } from './go.ts';
import { maven } from './maven.ts';
import { npm } from './npm.ts';
import { pip } from './pip.ts';
import { pnpm } from './pnpm.ts';
import { uv } from './uv.ts';
import { yarn } from './yarn.ts';

/** The clients whose installations are measured. */
export const clients: readonly Client[] = options.chosen('INSTALLS', [
  npm,
  pnpm,
  yarn,
  ...bunClients,
  pip,
  uv,
  maven,
  go,
  cargo,
  apt,
]);
