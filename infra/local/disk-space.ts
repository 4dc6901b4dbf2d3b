import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { storageFull } from '../../shared/errors.ts';
import { gatewayResponse } from '../api/gateway-responses.ts';
import { sendGatewayResponse } from './response.ts';

/** Room that nothing is stored in, so that the table can still note what is deleted. */
export const reserveBytesDefault = 64 * 1024 * 1024;

/** Whether the disk of a folder has no room for so many bytes beside the reserve. */
export const isFull = (folder: string, reserveBytes: number, bytes = 0): boolean => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < bytes + reserveBytes;
};

/** Whether a write failed because the disk, or what the user may have of it, is full. */
export const isOutOfRoom = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes(String((error as Partial<NodeJS.ErrnoException> | undefined)?.code));

const storing: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH']);

/** Whether a request cannot be answered while the disk is full: it stores something, or asks whether all is well. */
const needsRoom = ({ method, url = '' }: IncomingMessage): boolean =>
  storing.has(method) || /^(?:https?:\/\/[^/]*)?(?:\/api)?\/readyz(?:\?|$)/.test(url);

/** Refuses a request because the disk is full. Its body is not waited for. */
const refuse = (request: IncomingMessage, response: ServerResponse): void => {
  const { code, message, headers } = storageFull(undefined);
  const { responseParameters, ...refusal } = gatewayResponse(code, message);
  const retryAfter = { 'gatewayresponse.header.Retry-After': `'${headers?.['Retry-After']}'` };
  request.resume();
  sendGatewayResponse(response, randomUUID(), {
    ...refusal,
    responseParameters: { ...responseParameters, ...retryAfter },
  });
};

/** Where data is, and how many bytes of its disk stay free. */
export interface DiskSpace {
  /** ':memory:' for no disk at all. */
  readonly dataDir: string;
  readonly reserveBytes?: number;
}

/** Answers as before, but for what needs room while there is none. Reading and deleting go on. */
export const answerWithRoom =
  ({ dataDir, reserveBytes = reserveBytesDefault }: DiskSpace, answer: RequestListener): RequestListener =>
  (request, response) => {
    if (dataDir !== ':memory:' && needsRoom(request) && isFull(dataDir, reserveBytes)) refuse(request, response);
    else answer(request, response);
  };
