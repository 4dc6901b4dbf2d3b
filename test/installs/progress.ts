import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../infra/local/sources.ts';
import type { Installation } from './running.ts';

/** What clients and services print is kept until the next run. */
export const logFolder = join(projectRoot, 'node_modules', '.cache', 'stockroom-installs');

/** Removes what the run before left. */
export const emptyLogFolder = (): void => {
  rmSync(logFolder, { recursive: true, force: true });
  mkdirSync(logFolder, { recursive: true });
};

/** A file for what is named so. */
export const logFile = (label: string): string => join(logFolder, `${label.replaceAll(' ', '-')}.log`);

/** Prints a line with the time. */
export const progress = (line: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

/** What became of an installation, in words. */
export const outcomeOf = ({ seconds, packages, failure }: Installation): string =>
  failure === undefined
    ? `${packages} packages in ${seconds.toFixed(1)} s`
    : `FAILED after ${seconds.toFixed(1)} s: it ${failure}`;
