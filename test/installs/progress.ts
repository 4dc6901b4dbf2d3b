import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../infra/local/synthesis.ts';

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
