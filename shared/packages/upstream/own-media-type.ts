import { UpstreamError } from '../../upstream/upstream-error.ts';
import { isObject, type JsonObject } from '../formats/json-objects.ts';
import type { UpstreamFile } from './upstream-body.ts';

const objectIn = (bytes: Buffer): JsonObject => {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

/**
 * Says the media type of a file of JSON by its `mediaType`, or by a member that it has if it names none. Throws an UpstreamError if that
 * is none that the file may have.
 */
export const ownTypeOf =
  ({ mediaTypes = [], memberTypes = {} }: UpstreamFile): NonNullable<UpstreamFile['typeOf']> =>
  async (received, { context }) => {
    // A document of that kind is never so large that it does not stay in memory.
    const document = received.stagingKey === undefined ? objectIn(await received.bytes()) : {};
    const { mediaType: own } = document;
    const found =
      own === undefined
        ? Object.entries(memberTypes).find(([member]) => member in document)?.[1]
        : mediaTypes.find((each) => each === own);
    if (!found) throw new UpstreamError('protocol', context, 'sent a file of a media type that is not taken');
    return found;
  };
