import type { ErrorCode } from '../errors.ts';
import { type Contract, isPaged } from './contract.ts';
import { roleRefusalCodeOf } from './role-refusal.ts';

/**
 * The errors of every endpoint: an unknown query parameter, a body that is too large or of the wrong type, the throttle
 * of the gateway, a request that the service has sent itself, and failures.
 */
const ofEveryEndpoint: readonly ErrorCode[] = [
  'REQUEST_INVALID',
  'BODY_TOO_LARGE',
  'MEDIA_TYPE_UNSUPPORTED',
  'RATE_LIMITED',
  'REQUEST_LOOP',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** The errors of an endpoint that asks upstreams, for which it decrypts their passwords. */
const ofUpstreams: readonly ErrorCode[] = ['UPSTREAM_FAILED', 'UPSTREAM_TIMEOUT', 'UPSTREAM_BUSY'];

const accessWithRole: ReadonlySet<string> = new Set([
  'user',
  'oneself',
  'system-admin',
  'workspace-admin',
  'repository-deployer',
  'repository-manager',
]);

/** All error codes of an endpoint: its own, and those that follow from its access, its path, its body and its rights. */
export const errorCodesOf = (contract: Contract): readonly ErrorCode[] => {
  const codes = new Set<ErrorCode>([...ofEveryEndpoint, ...contract.errors]);
  if (contract.invokes?.includes('fetcher')) codes.add('FILE_PENDING');
  if (contract.decrypts) for (const code of ofUpstreams) codes.add(code);
  if (codes.has('VERSION_HELD')) codes.add('VERSION_BLOCKED');
  if (contract.method !== 'GET' || contract.changesByGet) codes.add('CROSS_SITE_REQUEST');
  if (contract.request && !('takesParts' in contract.request)) codes.add('BODY_MALFORMED');
  if (contract.idempotencyKey === 'taken') {
    codes.add('IDEMPOTENCY_KEY_SPENT');
    codes.add('IDEMPOTENCY_KEY_REUSED');
  }
  if (isPaged(contract)) codes.add('LIST_TOO_LONG');
  if (contract.access !== 'public') codes.add('UNAUTHENTICATED');
  if (contract.isForUsers) codes.add('FORBIDDEN');
  if (contract.isDelicate) codes.add('PASSWORD_PROOF_EXPIRED');
  if (accessWithRole.has(contract.access)) codes.add(roleRefusalCodeOf(contract));
  if (contract.store?.includes('GetObject blobs/*')) codes.add('CONTENT_LOST');
  if (contract.path.includes('{workspace}')) codes.add('WORKSPACE_NOT_FOUND');
  if (contract.path.includes('{repository}')) codes.add('REPOSITORY_NOT_FOUND');
  return [...codes];
};
