import { AccessCheck } from './access-check.ts';
import { objectRequestsOf } from './access-requests.ts';
import type { FunctionDefinition } from './assembly.ts';
import type { AccessSink } from './lambda.ts';
import type { PresignedCall } from './object-store.ts';

/** Decides about a call with a presigned URL: why its signer may not make it, or undefined. */
export type PresignedCheck = (call: PresignedCall) => string | undefined;

/**
 * Holds calls with presigned URLs against the role of the function that signed them, as S3 does. An access key that several
 * functions share, or none has, decides nothing.
 */
export const presignedCheck = (
  functions: readonly FunctionDefinition[],
  accessKeyOf: (functionId: string) => string,
  report: AccessSink,
): PresignedCheck => {
  const byKey = Map.groupBy(functions, ({ id }) => accessKeyOf(id));
  const checks = new Map<string, AccessCheck>();
  for (const [accessKeyId, [signer, ...others]] of byKey)
    if (signer && others.length === 0)
      checks.set(
        accessKeyId,
        new AccessCheck(signer.principal, signer.statements, (attempt) => report(attempt, signer.id)),
      );
  return ({ accessKeyId, method, path, headers }) =>
    checks.get(accessKeyId)?.refusalOf(objectRequestsOf({ method, path, header: (name) => headers[name] }));
};
