import type { Call, UseCase } from '../../../shared/http/call.ts';
import { contract } from '../../../shared/http/contract.ts';
import { object, schema } from '../../../shared/http/schema.ts';

// Nobody runs this file. The compiler fails where a line below such a comment compiles, and where another one does not.
const answer = { kind: 'json', success: 200, result: object({ name: schema({ type: 'string' }) }) } as const;
const common = { id: 'a/b', method: 'GET', summary: '', answer, errors: [], table: [] } as const;

export const right = contract({
  ...common,
  path: '/x/{workspace}/{repository}/{path+}',
  access: 'repository-deployer',
  request: { kind: 'bytes', bytesMax: 1 },
  answer: [
    { kind: 'bytes', success: 200, mediaTypes: [], description: '' },
    { kind: 'redirect', description: '' },
  ],
  store: ['GetObject blobs/*'],
});

export const wrong = [
  // @ts-expect-error: no contract has such a field
  contract({ ...common, path: '/x', access: 'user', tabel: [] }),
  // @ts-expect-error: the path names no workspace
  contract({ ...common, path: '/x', access: 'workspace-member' }),
  // @ts-expect-error: the path names no repository
  contract({ ...common, path: '/x/{workspace}', access: 'repository-viewer' }),
  // @ts-expect-error: the path names no user
  contract({ ...common, path: '/x', access: 'oneself' }),
  // @ts-expect-error: the path names a repository, so a role on it is required
  contract({ ...common, path: '/x/{workspace}/{repository}/{path+}', access: 'user' }),
  // @ts-expect-error: nobody may list the store
  contract({ ...common, path: '/x', access: 'user', store: ['ListBucket *'] }),
  // @ts-expect-error: HEAD comes with a GET
  contract({ ...common, path: '/x', access: 'user', method: 'HEAD' }),
];

/** What a use case is called with follows from its contract. */
export const called = ({ params, body, repository, ...call }: Call<typeof right>): unknown[] => [
  params.path.length,
  body.stream(),
  repository.repositoryId,
  call.isHead,
  // @ts-expect-error: the path has no such parameter
  params.name,
  // @ts-expect-error: bytes have no fields
  body.label,
];

export const bytes: UseCase<typeof right> = async () => ({ kind: 'bytes', mediaType: 'a/b', content: 'x' });
export const redirect: UseCase<typeof right> = async () => ({ kind: 'redirect', location: 'https://example.com/' });
// @ts-expect-error: the contract announces no answer of this kind
export const other: UseCase<typeof right> = async () => ({ kind: 'json', name: 'x' });
