import { endpoint } from '../../shared/http/endpoint.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { listEntriesMax } from '../../shared/limits.ts';
import { pageOf } from '../../shared/table/lists.ts';
import type { OpenSession } from '../../shared/table/packages/open-uploads.ts';
import { listUploads } from './contracts.ts';
import { seenSessions } from './seen-sessions.ts';
import type { openUploadSchema } from './upload-schemas.ts';

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

const record = ({ uploadId, bytes, session, beganAt, expiresAt }: OpenSession): Infer<typeof openUploadSchema> => ({
  id: uploadId,
  sizeInBytes: bytes,
  actor: session?.actor ?? null,
  repositoryId: session?.repositoryId ?? null,
  createdAt: timeOf(beganAt),
  countsUntil: timeOf(expiresAt),
});

export const handler = endpoint(listUploads, async (call) => {
  const entries = (await seenSessions(call)).map(({ position, item }) => ({ position, item: record(item) }));
  return pageOf({ entries, next: undefined }, { ...call.page, limit: call.page.limit ?? listEntriesMax });
});
