import type { Contract } from '../../http/contract.ts';
import { object, schema } from '../../http/schema.ts';
import { passedBytesMax, requestBytesMax } from '../../limits.ts';
import { publishes } from '../types/endpoint-rights.ts';

/** What the addresses for files have in common: clients give the one file of a form various names, or send it as the whole body. */
export const filePublishing = {
  method: 'PUT',
  access: 'repository-deployer',
  request: {
    kind: 'form',
    fileFields: ['package'],
    takesAnyName: true,
    bodyField: 'package',
    bytesMax: requestBytesMax,
    stagedBytesMax: passedBytesMax,
  },
  answer: {
    kind: 'json',
    success: 201,
    result: object({
      id: schema({ type: 'string', examples: ['Acme.Logging'] }),
      version: schema({ type: 'string', examples: ['1.0.0'] }),
    }),
  },
} as const satisfies Partial<Contract>;

/** An address that takes packages. */
export const packagePublishing = {
  ...filePublishing,
  errors: ['BODY_MALFORMED', 'PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
} as const satisfies Partial<Contract>;

/** What taking a version from lists and its opposite have in common. */
const listing = {
  access: 'repository-deployer',
  errors: ['VERSION_NOT_FOUND', 'REPOSITORY_READ_ONLY', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
} as const satisfies Partial<Contract>;

export const listingRemoval = {
  method: 'DELETE',
  summary: 'Unlist a version',
  ...listing,
  answer: { kind: 'bytes', success: 204, mediaTypes: ['application/json'], description: 'The version is not listed.' },
} as const satisfies Partial<Contract>;

export const listingAddition = {
  method: 'POST',
  summary: 'List a version again',
  ...listing,
  answer: { kind: 'json', success: 200, result: object({ listed: schema({ type: 'boolean', examples: [true] }) }) },
} as const satisfies Partial<Contract>;
