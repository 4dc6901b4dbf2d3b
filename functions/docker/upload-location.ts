import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../shared/http/caller.ts';

/** Whom an upload belongs to. */
type Owner = Pick<Caller, 'actor' | 'cursorSecret'>;

/** The upload that an address leads to. */
export interface UploadLocation {
  readonly uploadId: string;
  readonly contentId: string;
  readonly image: string;
}

/**
 * What makes the address of an upload unusable to others and at other places. The key is what every request reads anyway and
 * no answer shows. It ends when the password of the user changes, or with the token of a caller that is no user.
 */
const sealOf = (
  { uploadId, contentId, image }: UploadLocation,
  version: number,
  { actor, cursorSecret }: Owner,
): Buffer =>
  createHmac('sha256', cursorSecret)
    .update(JSON.stringify(['blob upload', actor.id, uploadId, contentId, image, version]))
    .digest();

/** The state in the address of an upload: its version, sealed. */
export const stateOf = (location: UploadLocation, version: number, owner: Owner): string =>
  `${version}.${sealOf(location, version, owner).toString('base64url')}`;

/** The version in a state; undefined if nobody sealed it for this upload and this caller. */
export const versionIn = (state: string | undefined, location: UploadLocation, owner: Owner): number | undefined => {
  const [, digits = '', seal = ''] = /^(\d{1,9})\.([\w-]{43})$/.exec(state ?? '') ?? [];
  if (digits === '') return undefined;
  const [sent, right] = [Buffer.from(seal, 'base64url'), sealOf(location, Number(digits), owner)];
  return sent.length === right.length && timingSafeEqual(sent, right) ? Number(digits) : undefined;
};
