import type { ApiError, ErrorCode } from '../errors.ts';
import { writeLine } from './lines.ts';
import {
  countDenial,
  countedRequest,
  countLostObject,
  countRefusedImport,
  countUnfinishedSweep,
  countUpstreamFailure,
  isDenial,
  writeCounts,
} from './metrics.ts';
import { sourceTrace } from './stack-trace.ts';

/** What the log says about one request. It never contains a body. */
interface RequestLine {
  readonly requestId: string;
  readonly operation: string;
  readonly path: string;
  readonly status: number;
  readonly outcome: ErrorCode | 'OK';
  readonly principalId: string | undefined;
  readonly tokenId: string | undefined;
  readonly durationMilliseconds: number;
  readonly table: {
    readonly calls: number;
    readonly conflicts: number;
    readonly throttles: number;
    /** The version whose file the answer gave, and the tag that was asked for (`servedKeyOf`), and to which address. */
    readonly served?: { readonly version?: string; readonly tag?: string; readonly address: string } | undefined;
  };
}

/** What is logged of a record. What was before and after is in the record alone. */
interface ChangeLine {
  readonly recordId: string;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string; readonly tokenId: string };
  readonly sourceAddress: string;
  readonly requestId: string;
  readonly operation: string;
  readonly workspaceId: string;
  readonly target: { readonly id: string; readonly name: string };
}

/** What is logged of a credential that proves nobody. */
interface RefusedCredential {
  readonly requestId: string;
  readonly sourceAddress: string;
  readonly username?: string | undefined;
}

/** What is logged of the failure of an upstream. */
interface FailedUpstream {
  readonly kind: string;
  readonly host: string;
  readonly status: number | undefined;
  /** A sentence that holds no secret. */
  readonly message: string;
  readonly cause?: unknown;
}

/**
 * The name, the text and the stack of an error. The SDK attaches items of the table to its errors, which must stay out
 * of the log.
 */
const loggable = (error: unknown): unknown =>
  error instanceof Error
    ? {
        name: error.name,
        message: error.message,
        stack: error.stack && sourceTrace(error.stack),
        cause: error.cause && loggable(error.cause),
      }
    : { name: typeof error };

/**
 * The log of a function: JSON lines on stdout. The line of a request is also that of its metrics, which say how often its calls of
 * the table conflicted or were throttled.
 */
export const log = {
  request: (line: RequestLine): void => {
    const { calls, served } = line.table;
    writeLine('INFO', 'request', { ...line, table: { calls, served }, ...countedRequest(line.outcome, line.table) });
  },
  /** Logs a request that the API answered: that has a line of the request itself. */
  passedOn: (line: Readonly<Record<string, string | number>>): void => {
    writeLine('INFO', 'passed on', { ...line });
  },
  /** Logs that changes were recorded. */
  changes: (lines: readonly ChangeLine[]): void => {
    for (const { recordId, action, actor, sourceAddress, requestId, operation, workspaceId, target } of lines)
      writeLine('INFO', 'change', {
        recordId,
        action,
        actor,
        sourceAddress,
        requestId,
        operation,
        workspaceId,
        target,
      });
  },
  /** Logs a credential that proves nobody. Never the password; a username only if it has the shape of one. */
  refusedCredential: (refused: RefusedCredential): void => {
    writeLine('INFO', 'credential refused', { ...refused });
  },
  /** Counts what AWS denied the authorizer. Lambda logs the failure itself, which ends the call. */
  authorizerFailure: (error: unknown): void => {
    if (!isDenial(error)) return;
    countDenial();
    writeCounts();
  },
  /** Logs an identity token that gets no token, and why. The reason holds no part of the token but its claims' names. */
  refusedExchange: (refused: Readonly<Record<string, string | undefined>>): void => {
    writeLine('INFO', 'exchange refused', { ...refused });
  },
  /** Logs a failed best-effort write. */
  bestEffortFailure: (error: unknown): void => {
    writeLine('WARN', 'best effort failed', { failure: loggable(error) });
  },
  /** Logs the failure of an upstream. The client does not notice it where a cached copy is served. */
  upstreamFailure: ({ kind, host, status, message: failure, cause }: FailedUpstream): void => {
    countUpstreamFailure(kind === 'integrity');
    writeLine('WARN', 'upstream failed', { kind, host, status, failure, cause: cause && loggable(cause) });
  },
  /** Logs the failure of a custom resource, which ends the deployment. */
  customResourceFailure: (error: unknown): void => {
    writeLine('ERROR', 'custom resource failed', { failure: loggable(error) });
  },
  /** Logs why a new authorizer gets no traffic. */
  releaseCheckFailure: (error: unknown): void => {
    writeLine('ERROR', 'release check failed', { failure: loggable(error) });
  },
  /** Logs a fetch that went on after its request. */
  fetch: (report: Readonly<Record<string, string | number>>): void => {
    writeLine('INFO', 'fetch', { ...report });
    writeCounts();
  },
  /** Logs a run that verified an upload session. */
  verification: (report: Readonly<Record<string, string | number>>): void => {
    writeLine('INFO', 'verification', { ...report });
    writeCounts();
  },
  failure: (requestId: string, operation: string, error: ApiError): void => {
    if (isDenial(error.cause)) countDenial();
    writeLine(error.code === 'INTERNAL_ERROR' ? 'ERROR' : 'WARN', 'failure', {
      requestId,
      operation,
      code: error.code,
      failure: loggable(error.cause),
    });
  },
};

/*
 * What follows is no part of `log`, so that only the bundles of the functions that need it have it.
 */

/** Logs a run that imported advisories. */
export const logAdvisoryImport = (
  report: Readonly<Record<string, string | number>> & { readonly outcome: string },
): void => {
  if (report.outcome === 'refused') countRefusedImport();
  writeLine('INFO', 'advisory import', { ...report });
  writeCounts();
};

/** Logs a run of the sweeping job. */
export const logSweep = (report: Readonly<Record<string, number | boolean>> & { readonly pending: boolean }): void => {
  if (report.pending) countUnfinishedSweep();
  writeLine('INFO', 'sweep', { ...report });
  writeCounts();
};

/** Logs an object that should be in the bucket. Its key consists of IDs and hashes. */
export const logLostObject = (objectKey: string, found: 'absent' | 'damaged'): void => {
  countLostObject();
  writeLine('ERROR', 'object lost', { objectKey, found });
};
