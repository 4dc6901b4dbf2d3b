import type { RequestReader } from '../built-contract.ts';
import { readInput } from '../input.ts';
import { smallBodyOf } from '../small-body.ts';

/** Reads no body, and refuses one that is too large or of a media type other than JSON. */
export const read: RequestReader = (contract, event) =>
  readInput(contract, event, () => {
    smallBodyOf(event, ['application/json']);
    return { body: undefined };
  });
