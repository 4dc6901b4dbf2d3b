import { config } from '../config.ts';
import { serviceName } from './metric-names.ts';

const write = (line: object): void => {
  if (!config.isSilent) process.stdout.write(`${JSON.stringify(line)}\n`);
};

/**
 * Writes a line of the log: JSON on stdout. Not by the console, whose lines Lambda wraps in JSON of its own, which would hide the
 * metrics in them. docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
 */
export const writeLine = (level: 'INFO' | 'WARN' | 'ERROR', message: string, fields: object): void => {
  write({ level, message, timestamp: new Date().toISOString(), service: serviceName, ...fields });
};

/** Writes counts that belong to no other line. */
export const writeMetrics = (fields: object): void => {
  write({ service: serviceName, ...fields });
};
