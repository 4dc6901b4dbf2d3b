import { endpoint } from '../../../shared/http/endpoint.ts';
import { addSamples } from './contracts.ts';
import { writeObject } from './objects.ts';

export const handler = endpoint(addSamples, async ({ repository, body, table }) => {
  const { repositoryId, workspaceId } = repository;
  const blobKey = (sha256: string): string => `blobs/${workspaceId}/sha256/${sha256}`;
  const { fields, files } = await body.read(({ fileName, stream }) => writeObject(blobKey, fileName, stream, '*'));
  const { label } = fields;
  await table.writeUnrecorded(
    files.map(({ sha256 }) => ({ insert: { pk: `SAMPLE#${repositoryId}`, sk: sha256, label } })),
  );
  return { label, samples: [...files] };
});
