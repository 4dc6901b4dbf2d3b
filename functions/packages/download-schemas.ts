import { id, moment, nullable, timestamp } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { packageTypes } from '../../shared/package-types.ts';
import { checkedName, checkedVersion } from './check-schemas.ts';

export const downloadsQuery = object(
  {
    packageType: schema({ type: 'string', enum: packageTypes, examples: packageTypes.slice(0, 1) }),
    packageName: { ...checkedName, description: 'In any spelling of the package type.' },
    version: {
      ...checkedVersion,
      description:
        'One version as the list of versions has it: of a gem with its platform, of Conan with its revisions, of Python with as many numbers as the names of the files have. Of an image, also a tag.',
    },
    since: moment('The default is 30 days ago.'),
    until: moment('The default is now.'),
    limit: schema({
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of downloads per page. The default is 100.',
      examples: [100],
    }),
    cursor: schema({
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      description: 'Where the page starts. Take it from `nextCursor` of the previous page, with the same parameters.',
    }),
  },
  ['since', 'until', 'limit', 'cursor'],
);

const download = schema({
  ...object({
    downloadedAt: timestamp,
    path: schema({
      type: 'string',
      description: 'The path of the request, with the repository in it and, for most types, the name of the file.',
      examples: ['/…/acme/libraries/axios/-/axios-1.14.1.tgz'],
    }),
    principalId: nullable(
      schema({ ...id, description: 'The ID of the user, of the workspace token or of the trust.' }),
    ),
    username: nullable(
      schema({ type: 'string', description: 'The name of the user; null if it is none.', examples: ['robin'] }),
    ),
    tokenId: nullable(schema({ ...id, description: 'Null if the request came with a password.' })),
    sourceAddress: schema({ type: 'string', examples: ['192.0.2.1'] }),
    requestId: schema({ type: 'string', examples: ['6f0c2a51-9d5f-4b3e-8c1e-0f6f0b1f2a3d'] }),
  }),
  title: 'Download',
});

export const downloadPageSchema = {
  ...object({
    downloads: array(download),
    nextCursor: nullable(
      schema({
        type: 'string',
        description:
          'The `cursor` of the next page; null at the end. A page may be empty although there is a next one.',
        examples: [null],
      }),
    ),
  }),
  title: 'DownloadPage',
} as const;
