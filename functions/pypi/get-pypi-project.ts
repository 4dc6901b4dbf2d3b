import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { answerLargeDocument } from '../../shared/packages/serve/document-answers.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { addressedSources, alsoReadIndex, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import { getPypiProject } from './contracts.ts';
import { projectJson } from './project-json.ts';
import { mergeFiles } from './project-pages.ts';
import { parseProjectPath } from './project-path.ts';
import { findProject, urlOf } from './reading.ts';
import { pypi } from './type.ts';
import { pageName } from './upstream-pages.ts';
import { order } from './version-order.ts';

const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const project = parseProjectPath(path);
  return project && { name: project.name, documents: [pageName(project.name)] };
};

export const handler = endpoint(
  getPypiProject,
  async (call) => {
    const sources = addressedSources(call, { ...pypi, order });
    const asked = parseProjectPath(call.params.path);
    if (!asked) throw new ApiError('FILE_NOT_FOUND');
    const { name, version } = asked;
    return orPending(pypi, call, async () => {
      const found = await findProject(call, sources, name);
      return answerLargeDocument(call, {
        ...found,
        // What is said of one version is small.
        sourceBytes: version ? 0 : found.bytes,
        fileName: `${name}.json`,
        revision: version === undefined ? found.revision : `${found.revision}/version/${version}`,
        mediaType: 'application/json',
        render: async () => {
          const described = projectJson({ ...mergeFiles(await found.load()), name }, version, urlOf(call));
          return Buffer.from(JSON.stringify(described));
        },
      });
    });
  },
  { alsoRead: alsoReadIndex(indexIn) },
);
