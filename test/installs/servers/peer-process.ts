import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from '../client.ts';
import { environmentWith } from '../running.ts';

const startTriesMax = 150;
const startPollMilliseconds = 200;

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};

/** Starts a service, with what it prints in a file, and waits until an address of it answers. */
export const startPeer = async (
  { file, parameters, variables = {} }: Command,
  { log, url }: { readonly log: string; readonly url: string },
): Promise<{ readonly pid: number; readonly stop: () => Promise<void> }> => {
  const output = openSync(log, 'a');
  const child = spawn(file, parameters, { env: environmentWith(variables), stdio: ['ignore', output, output] });
  closeSync(output);
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  for (let tries = 0; !(await answers(url)); tries += 1) {
    if (tries === startTriesMax || child.exitCode !== null) {
      await stop();
      throw new Error(`${file} does not answer at ${url}: its output is in ${log}.`);
    }
    await pause(startPollMilliseconds);
  }
  return { pid: Number(child.pid), stop };
};
