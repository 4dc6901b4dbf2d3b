import { Logger } from '@aws-lambda-powertools/logger';
import type { ApiError } from '../errors.ts';
import { serviceName } from './metric-names.ts';
import { countDenial, countRequest, isDenial } from './metrics.ts';
import { sourceTrace } from './stack-trace.ts';

const logger = new Logger({ serviceName });

/** What one request did; never what it carried. */
interface RequestLine {
  readonly requestId: string;
  readonly operation: string;
  readonly status: number;
  readonly outcome: string;
  readonly principalId: string | undefined;
  readonly tokenId: string | undefined;
  readonly durationMilliseconds: number;
  readonly table: {
    readonly calls: number;
    readonly conflicts: number;
    readonly throttles: number;
  };
}

/** An error by name, text and stack: the SDK hangs items of the table on its errors, and those stay out of the log. */
const told = (error: unknown): unknown =>
  error instanceof Error
    ? {
        name: error.name,
        message: error.message,
        stack: error.stack && sourceTrace(error.stack),
        cause: error.cause && told(error.cause),
      }
    : { name: typeof error };

/** The log of a function: JSON lines on stdout, and the metrics of what they tell. */
export const log = {
  request: (line: RequestLine): void => {
    logger.info('request', { ...line });
    countRequest(line.outcome, line.table);
  },
  /** A write that was good to have, but decides nothing, failed. */
  bestEffortFailure: (error: unknown): void => {
    logger.warn('best effort failed', { failure: told(error) });
  },
  /** A custom resource of the stack failed, and the deployment with it. */
  customResourceFailure: (error: unknown): void => {
    logger.error('custom resource failed', { failure: told(error) });
  },
  sweep: (report: { readonly workspaces: number; readonly memberships: number; readonly pending: boolean }): void => {
    logger.info('sweep', { ...report });
  },
  failure: (requestId: string, operation: string, error: ApiError): void => {
    if (isDenial(error.cause)) countDenial();
    const level = error.code === 'INTERNAL_ERROR' ? 'error' : 'warn';
    logger[level]('failure', {
      requestId,
      operation,
      code: error.code,
      failure: told(error.cause),
    });
  },
};
