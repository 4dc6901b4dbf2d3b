import { contract } from '../../shared/http/contract.ts';
import { id, pageParameters } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';
import {
  deletedSchema,
  deletedVersionSchema,
  listedVersionSchema,
  packagePageSchema,
  packageSchema,
  packageVersionSchema,
  usageSchema,
} from './schemas.ts';

const packages = '/1/workspaces/{workspace}/repositories/{repository}/packages';

export const listPackages = contract({
  id: 'packages/list-packages',
  method: 'GET',
  path: packages,
  summary: 'List the packages of a repository',
  description:
    'By name. A virtual repository shows what its repositories hold, of remote ones what is cached. Packages whose versions are all deleted are not listed.',
  access: 'repository-viewer',
  query: object(
    {
      search: schema({
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'How the names begin.',
      }),
      limit: schema({
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        description: 'At most so many packages; 100 when absent.',
        examples: [100],
      }),
      offset: schema({
        type: 'integer',
        minimum: 0,
        maximum: 1000,
        allowed: 'a whole number from 0 to 1000; use cursor to go further',
        description: 'How many packages to pass over, at most 1,000: use `cursor` to go further.',
      }),
      cursor: schema({
        ...pageParameters.cursor,
        description: 'Where the page starts: `nextCursor` of the page before.',
      }),
    },
    ['search', 'limit', 'offset', 'cursor'],
  ),
  answer: { kind: 'json', success: 200, result: packagePageSchema },
  errors: [],
  table: ['Query'],
});

export const getPackage = contract({
  id: 'packages/get-package',
  method: 'GET',
  path: `${packages}/{package}`,
  summary: 'Get a package',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: packageSchema },
  errors: ['PACKAGE_NOT_FOUND'],
  table: [],
});

export const listPackageVersions = contract({
  id: 'packages/list-package-versions',
  method: 'GET',
  path: `${packages}/{package}/versions`,
  summary: 'List the versions of a package',
  description:
    'In the order of their texts. In a virtual repository, a version is that of the first repository that has it.',
  access: 'repository-viewer',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: listedVersionSchema },
  errors: ['PACKAGE_NOT_FOUND'],
  table: ['Query'],
});

export const getPackageVersion = contract({
  id: 'packages/get-package-version',
  method: 'GET',
  path: `${packages}/{package}/versions/{version}`,
  summary: 'Get a version of a package',
  description: 'With its files: of more than 1,000, the first 1,000 by name.',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: packageVersionSchema },
  errors: ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND'],
  table: ['Query'],
});

const deletion = {
  errors: ['PACKAGE_NOT_FOUND', 'REPOSITORY_READ_ONLY'],
  table: ['Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
} as const;

export const deletePackage = contract({
  id: 'packages/delete-package',
  method: 'DELETE',
  path: `${packages}/{package}`,
  summary: 'Delete a package',
  description:
    'All its versions. A deleted version can come back only as the bytes that it had. Of a remote repository, what is cached; of a virtual one, what is in its upload target. When thousands of versions take too long, the answer is 503: send it again to continue.',
  access: 'repository-manager',
  answer: { kind: 'json', success: 200, result: deletedSchema },
  ...deletion,
});

export const deletePackageVersion = contract({
  id: 'packages/delete-package-version',
  method: 'DELETE',
  path: `${packages}/{package}/versions/{version}`,
  summary: 'Delete a version of a package',
  description:
    'With its files, and the tags that name it. It can come back only as the bytes that it had. Of a remote repository, what is cached; of a virtual one, what is in its upload target.',
  access: 'repository-manager',
  answer: { kind: 'json', success: 200, result: deletedVersionSchema },
  ...deletion,
  errors: [...deletion.errors, 'VERSION_NOT_FOUND'],
});

export const deleteContent = contract({
  id: 'packages/delete-content',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/repositories/{repository}/content',
  summary: 'Empty a repository',
  description:
    'Of a remote repository, its cache. What it held is out of reach at once, and no tombstones stay: every version can be published again.',
  access: 'repository-manager',
  answer: {
    kind: 'json',
    success: 200,
    result: object({ repositoryId: id, status: schema({ type: 'string', enum: ['emptied'] }) }),
  },
  errors: ['REPOSITORY_READ_ONLY'],
  table: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
});

export const getRepositoryUsage = contract({
  id: 'packages/get-repository-usage',
  method: 'GET',
  path: '/1/workspaces/{workspace}/repositories/{repository}/usage',
  summary: 'Get the usage of a repository',
  description: 'What is stored in it. Of a virtual repository, what is stored in those that it combines.',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: usageSchema },
  errors: [],
  table: ['Query'],
});

export const getWorkspaceUsage = contract({
  id: 'packages/get-workspace-usage',
  method: 'GET',
  path: '/1/workspaces/{workspace}/usage',
  summary: 'Get the usage of a workspace',
  access: 'workspace-member',
  answer: { kind: 'json', success: 200, result: usageSchema },
  errors: [],
  table: ['Query'],
});
