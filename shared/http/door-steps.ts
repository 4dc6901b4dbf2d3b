import type { APIGatewayProxyEvent } from 'aws-lambda';
import { doorSettings } from '../door-settings.ts';
import { ApiError } from '../errors.ts';
import { longRequestMilliseconds } from '../limits.ts';
import { hashNames } from '../store/hashes.ts';
import { tooLarge } from './body-limits.ts';
import type { BuiltContract, DoorSteps } from './built-contract.ts';
import { askHeader, lengthHeader, referenceHeader, type UploadDestination, type UploadTerms } from './door-headers.ts';
import { headerOf } from './input.ts';
import { checkQuota } from './quota.ts';
import { textResponse } from './response.ts';
import { takeStagedBody } from './staged-bodies.ts';

/** A question of the door: the length is undefined if the client does not say it. */
interface Question {
  readonly length: string | undefined;
  readonly caller: string;
  /** Refuses a body for which the workspace has no room. Returns how long a body may be for which it has. */
  readonly checkRoom: (bytes: number) => Promise<number>;
  readonly destinationOf: (bytes: number) => Promise<UploadDestination | undefined>;
}

/** What a caller may send through the door. Throws BODY_TOO_LARGE if the length is known and too large, and QUOTA_EXCEEDED. */
const termsOf = async (
  { request }: BuiltContract,
  { length, caller, checkRoom, destinationOf }: Question,
): Promise<UploadTerms> => {
  if (!request || !('bytesMax' in request)) throw new ApiError('BODY_TOO_LARGE');
  const bodyBytesMax = (doorSettings.keyId && request.stagedBytesMax) || request.bytesMax;
  if (length !== undefined && !/^\d+$/.test(length))
    throw new ApiError('REQUEST_INVALID', `${lengthHeader} must be the number of the bytes.`);
  if (Number(length ?? 0) > bodyBytesMax) throw tooLarge(bodyBytesMax);
  const room = await checkRoom(Number(length ?? 0));
  // A body of an unknown length is cut where the room ends: the door then asks again, with the length that it has come to.
  const bytesMax = length === undefined ? Math.min(bodyBytesMax, room) : bodyBytesMax;
  const { hashes = hashNames, keepsBody } = request.kind === 'bytes' ? request : {};
  const isKnown = length !== undefined && doorSettings.keyId !== undefined;
  const destination = isKnown ? await destinationOf(Number(length)) : undefined;
  return { caller, bytesMax, hashes, ...(destination && { destination }), ...(keepsBody && { keepsBody }) };
};

/** Whether a contract takes staged bodies here. Elsewhere, a reference would publish an empty body. */
const takesStaged = ({ request }: BuiltContract): boolean =>
  doorSettings.keyId !== undefined && request !== undefined && 'stagedBytesMax' in request;

/** What the pipeline does for the door, in the bundles of endpoints that take files. */
export const doorSteps: DoorSteps = {
  millisecondsFor: (event: APIGatewayProxyEvent) =>
    headerOf(event, referenceHeader) === undefined ? undefined : longRequestMilliseconds,
  pass: async (contract, event, actorId, call, destination) => {
    const reference = headerOf(event, referenceHeader);
    if (reference === undefined) {
      if (headerOf(event, askHeader) === undefined) return undefined;
      const { table, workspace } = call;
      const terms = await termsOf(contract, {
        length: headerOf(event, lengthHeader),
        caller: actorId ?? '',
        checkRoom: async (bytes) =>
          workspace
            ? checkQuota(table, workspace, workspace.workspaceId, { bytes, packages: 0 })
            : Number.POSITIVE_INFINITY,
        destinationOf: async (bytes) => destination?.(call, bytes),
      });
      const { requestId } = event.requestContext;
      return textResponse(200, requestId, 'application/json', JSON.stringify(terms), { [askHeader]: 'allowed' });
    }
    if (!takesStaged(contract))
      throw new ApiError('REQUEST_INVALID', `This endpoint takes no ${referenceHeader}: send the body itself.`);
    await takeStagedBody(event, reference, actorId, call.table);
    return undefined;
  },
};
