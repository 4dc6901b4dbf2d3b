import { createHash } from 'node:crypto';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { getSample, inlineBytesMax } from './contracts.ts';
import { readObject, stagingKey } from './objects.ts';

export const handler = endpoint(getSample, async ({ params: { path }, repository, isHead }) => {
  const content = await readObject(stagingKey(repository, path));
  const signedFor = isHead ? 'HEAD' : 'GET';
  if (content.length > inlineBytesMax)
    return {
      kind: 'redirect',
      location: `https://objects.example/${encodeURIComponent(path)}?signed-for=${signedFor}`,
    };
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  return { kind: 'bytes', mediaType: 'application/octet-stream', content, etag };
});
