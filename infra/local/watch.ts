import { watch } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './sources.ts';

const settleMilliseconds = 150;

/** Calls back after the sources changed, once writing has paused; never two calls at a time. */
export const watchSources = (onChange: () => Promise<void>): void => {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const changed = (_: string, file: string | null) => {
    if (!file?.endsWith('.ts')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(onChange);
    }, settleMilliseconds);
  };
  for (const folder of ['functions', 'shared', 'infra']) watch(join(projectRoot, folder), { recursive: true }, changed);
};
