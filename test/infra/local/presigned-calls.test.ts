import type { FunctionDefinition } from '../../../infra/local/assembly.ts';
import { presignedCheck } from '../../../infra/local/presigned-calls.ts';

const arn = 'arn:aws:s3:::bucket';

/** A function that may write to the staging area. */
const signer = {
  id: 'packages/create-upload',
  principal: 'arn:aws:sts::000000000000:assumed-role/Role/create-upload',
  statements: [{ Effect: 'Allow', Action: ['s3:PutObject'], Resource: [`${arn}/staging/*`] }],
} as Partial<FunctionDefinition> as FunctionDefinition;

const call = (method: string, key: string, accessKeyId = signer.id) => ({
  accessKeyId,
  method,
  path: `/bucket/${key}?X-Amz-Signature=abc`,
  headers: {},
});

describe('A call with a presigned URL', () => {
  const reported: string[] = [];
  const check = presignedCheck(
    [signer],
    (id) => id,
    ({ action, resource, isAllowed }, functionId) => reported.push(`${functionId} ${action} ${resource} ${isAllowed}`),
  );

  it('has the rights of the function that signed it, which are reported as its own', () => {
    expect(check(call('PUT', 'staging/one'))).toBeUndefined();
    expect(check(call('PUT', 'blobs/one'))).toContain('is not authorized to perform: s3:PutObject');
    expect(check(call('GET', 'staging/one'))).toContain('is not authorized to perform: s3:GetObject');
    expect(reported).toEqual([
      `${signer.id} s3:PutObject ${arn}/staging/one true`,
      `${signer.id} s3:PutObject ${arn}/blobs/one false`,
      `${signer.id} s3:GetObject ${arn}/staging/one false`,
    ]);
  });

  it('is not decided by a key that no function has, or several', () => {
    const shared = presignedCheck(
      [signer, { ...signer, id: 'another' }],
      () => 'key',
      () => {},
    );
    expect(shared(call('PUT', 'blobs/one', 'key'))).toBeUndefined();
    expect(check(call('PUT', 'blobs/one', 'runner'))).toBeUndefined();
  });
});
