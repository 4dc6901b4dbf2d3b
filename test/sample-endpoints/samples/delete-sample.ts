import { Readable } from 'node:stream';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { workspacesList } from '../../../shared/table/keys.ts';
import { deleteSample } from './contracts.ts';
import { deleteObject, stagingKey, writeObject } from './objects.ts';

export const handler = endpoint(deleteSample, async ({ params: { path }, query, repository, table }) => {
  if (query.of === 'store') await deleteObject(stagingKey(repository, path));
  if (query.of === 'table') await table.query(workspacesList);
  // It has the right to write blobs, but it does not say that there must be none yet.
  if (query.of === 'blob') await writeObject((sha256) => `blobs/${sha256}`, path, Readable.from(['x']));
  return {};
});
