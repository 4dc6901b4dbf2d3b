import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { passedBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const base = '/helm/{workspace}/{repository}';

export const getHelmDocument = contract({
  id: 'helm/get-helm-document',
  method: 'GET',
  head: true,
  path: `${base}/{path+}`,
  summary: 'Get the index or a chart',
  description:
    '`index.yaml` lists all versions of all charts, the newest first. It is JSON, which is YAML. `charts/{file}` is a chart or its provenance file, as the index names it.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: ['application/yaml', fileMediaType],
      description: 'The index or the file.',
    },
    fileRedirect('the index or the file'),
  ],
  errors: ['FILE_NOT_FOUND', 'VERSION_HELD', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  isHot: true,
});

const saved = object({ saved: schema({ type: 'boolean', examples: [true] }) });

export const publishChart = contract({
  id: 'helm/publish-chart',
  method: 'POST',
  path: `${base}/api/charts`,
  summary: 'Publish a chart',
  description:
    'The API of ChartMuseum, which `helm cm-push` uses. The chart is the file `chart` of a form, which may also have its provenance file as `prov`, or the whole body. Name and version come from its Chart.yaml. A version never changes, so `force` is refused.',
  access: 'repository-deployer',
  request: {
    kind: 'form',
    fileFields: ['chart', 'prov'],
    bodyField: 'chart',
    bytesMax: requestBytesMax,
    stagedBytesMax: passedBytesMax,
  },
  answer: { kind: 'json', success: 201, result: saved },
  errors: ['BODY_MALFORMED', 'PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
});

export const publishProvenance = contract({
  id: 'helm/publish-provenance',
  method: 'POST',
  path: `${base}/api/prov`,
  summary: 'Publish the provenance file of a chart',
  description:
    'The file `prov` of a form, or the whole body. The chart must have been published, and the provenance file must contain its hash.',
  access: 'repository-deployer',
  request: { kind: 'form', fileFields: ['prov'], bodyField: 'prov', bytesMax: requestBytesMax },
  answer: { kind: 'json', success: 201, result: saved },
  errors: [
    'BODY_MALFORMED',
    'PACKAGE_INVALID',
    'PACKAGE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'REPOSITORY_READ_ONLY',
    'VERSION_EXISTS',
    'QUOTA_EXCEEDED',
  ],
  ...publishes(),
});

export const deleteChartVersion = contract({
  id: 'helm/delete-chart-version',
  method: 'DELETE',
  path: `${base}/api/charts/{package}/{version}`,
  summary: 'Delete a version of a chart',
  description:
    'A deleted version can only be published again with the same bytes. In a remote repository, the cached file is deleted; in a virtual one, the version in its upload target.',
  access: 'repository-manager',
  answer: {
    kind: 'json',
    success: 200,
    result: object({ deleted: schema({ type: 'boolean', examples: [true] }) }),
  },
  errors: ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'REPOSITORY_READ_ONLY'],
  table: ['Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
});
