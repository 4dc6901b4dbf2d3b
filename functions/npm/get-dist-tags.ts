import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/package-address.ts';
import { getDistTags } from './contracts.ts';
import { parsePath } from './paths.ts';
import { answerDocument, findPackage } from './reading.ts';

export const handler = endpoint(
  getDistTags,
  async (call) => {
    const sources = addressedSources(call, 'npm');
    const path = parsePath(`-/package/${call.params.path}`);
    if (path.kind !== 'dist-tags') throw new ApiError('PACKAGE_NOT_FOUND');
    const found = await findPackage(call, sources, path.name);
    const tags = { ...found, revision: `${found.revision}/tags` };
    return answerDocument(call, tags, 'application/json', async () => Buffer.from(JSON.stringify(found.tags)));
  },
  { alsoRead: alsoReadSources },
);
