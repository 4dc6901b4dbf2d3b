import { objectRequestsOf } from '../../../infra/local/access-requests.ts';
import { readAssembly } from '../../../infra/local/assembly.ts';
import { RolePolicy } from '../../../infra/local/role-policy.ts';
import { assemblyDirectory } from '../../harness/assembly.ts';

const { functions, store } = readAssembly(assemblyDirectory());

describe('A function, as the local runner reads it from the stack,', () => {
  const named = (wanted: string) => functions.find(({ id }) => id === wanted);

  it('runs in a session of its role', () => {
    for (const { principal, name } of functions)
      expect([principal, name]).toEqual([
        expect.stringMatching(new RegExp(`^arn:aws:sts::000000000000:assumed-role/[^/]+/${name}$`)),
        name,
      ]);
  });

  it('is tried again on an event as often as the stack says, and loses or keeps one that fails', () => {
    expect(named('sweeper')).toMatchObject({ retries: 2, failureQueue: expect.stringMatching(/^arn:aws:sqs:/) });
    expect(named('fetcher')).toMatchObject({ retries: 0, failureQueue: undefined });
  });
});

describe('The store, as the local runner reads it from the stack,', () => {
  it('has a name that a bucket can have', () => {
    expect(store.bucketName).toMatch(/^stockroom-dev-store[a-z0-9-]{8,40}$/);
  });

  it('removes what is staged after two days, and unfinished uploads after one', () => {
    expect(store.lifecycle).toEqual({ staging: 172_800_000, uploads: 86_400_000 });
  });

  it.each([
    ['PUT', 'blobs/a', { 'if-none-match': '*' }, true],
    ['PUT', 'blobs/a', { 'if-match': '"etag"' }, true],
    ['PUT', 'blobs/a', {}, false],
    ['POST', 'blobs/a?uploads', {}, true],
    ['PUT', 'blobs/a?partNumber=1&uploadId=u', {}, true],
    ['POST', 'blobs/a?uploadId=u', { 'if-none-match': '*' }, true],
    ['POST', 'blobs/a?uploadId=u', {}, false],
    ['PUT', 'staging/a', {}, true],
    ['GET', 'blobs/a', {}, true],
    ['DELETE', 'blobs/a', {}, true],
  ])('lets a role with every right %s %s with the headers %j: %s', (method, object, headers, isAllowed) => {
    const everything = { Effect: 'Allow', Action: 's3:*', Resource: '*' } as const;
    const call = {
      method,
      path: `/${store.bucketName}/${object}`,
      header: (name: string) => (headers as Readonly<Record<string, string>>)[name],
    };
    for (const { statements } of functions) {
      const policy = new RolePolicy([everything, ...statements]);
      expect(objectRequestsOf(call).map((request) => policy.decide(request).isAllowed)).toEqual([isAllowed]);
    }
  });
});
