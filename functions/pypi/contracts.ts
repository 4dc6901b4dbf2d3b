import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { passedBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const base = '/pypi/{workspace}/{repository}';

export const getPypiDocument = contract({
  id: 'pypi/get-pypi-document',
  method: 'GET',
  head: true,
  path: `${base}/{path+}`,
  summary: 'Get a page of the index, or a file',
  description:
    'The answers are those of a simple repository of Python (PEP 503, 691, 700, 714): `simple/` lists the projects, `simple/{project}/` the files of a project, in JSON or HTML as `Accept` prefers, and `files/{project}/{version}/{file}` is a file. `{project}/json` and `simple/pypi/{project}/json` lead to `pypi/{project}/json`. Beside a file are `{file}.metadata`, `{file}.asc` and `{file}.provenance`, if its page says so.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: [
        'application/vnd.pypi.simple.v1+json',
        'application/vnd.pypi.simple.v1+html',
        'text/html; charset=utf-8',
        fileMediaType,
      ],
      description: 'The page or the file.',
    },
    fileRedirect('the page with its slash, or of the file'),
  ],
  errors: ['PACKAGE_NOT_FOUND', 'FILE_NOT_FOUND', 'VERSION_HELD', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  isHot: true,
});

export const getPypiProject = contract({
  id: 'pypi/get-pypi-project',
  method: 'GET',
  head: true,
  path: `${base}/pypi/{path+}`,
  summary: 'Get metadata of a project in the form of PyPI',
  description:
    '`pypi/{project}/json` has the releases of a project with their files and hashes, `pypi/{project}/{version}/json` one of them: what the index knows, which pip-tools needs. A release with a file without SHA-256 is left out.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    { kind: 'bytes', success: 200, mediaTypes: ['application/json'], description: 'The metadata.' },
    fileRedirect('the metadata'),
  ],
  errors: ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'FILE_NOT_FOUND', 'LIST_TOO_LONG'],
  ...reads('documents'),
});

const text = (example: string) => schema({ type: 'string', examples: [example] });

export const publishPypiFile = contract({
  id: 'pypi/publish-pypi-file',
  method: 'POST',
  path: base,
  summary: 'Publish a wheel or a source distribution',
  description:
    'What `twine upload` and `uv publish` send: a form with `:action=file_upload` and the file as `content`. Name and version of a wheel come from METADATA in it, and fields of the form that differ from it are refused; those of a source distribution come from the form. A version can have several files; each of them needs a request. `gpg_signature` and `attestations` are kept, if they are sent.',
  access: 'repository-deployer',
  request: {
    kind: 'form',
    fileFields: ['content', 'gpg_signature'],
    bytesMax: requestBytesMax,
    stagedBytesMax: passedBytesMax,
  },
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      name: text('Requests'),
      version: text('2.0.0'),
      file: text('requests-2.0.0-py3-none-any.whl'),
      sizeInBytes: schema({ type: 'integer', minimum: 0, examples: [1024] }),
      sha256: schema({ type: 'string', pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] }),
    }),
  },
  errors: ['BODY_MALFORMED', 'PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
});
