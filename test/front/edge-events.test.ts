import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { credentialHeaderVariable } from '../../shared/config.ts';
import { credentialHeader } from '../../shared/edge.ts';
import { clientEventOf } from '../../shared/front/edge-events.ts';

/** What Lambda hands over of a request that CloudFront has signed. */
const handed: object = {
  rawPath: '/npm/a/b/c',
  headers: {
    accept: '*/*',
    authorization: 'AWS4-HMAC-SHA256 Credential=…',
    'x-amz-date': '20260101T000000Z',
    'x-amz-security-token': 'token',
    [credentialHeader]: 'Bearer of the client',
    'x-stockroom-viewer': '203.0.113.9',
  },
  requestContext: { requestId: 'id', http: { method: 'GET', sourceIp: '64.252.64.1' } },
};
const signed = handed as LambdaFunctionURLEvent;

afterEach(() => {
  delete process.env[credentialHeaderVariable];
});

describe('The request that the front answers', () => {
  it('is the event itself where everybody can call the front, whatever a client sends in the header of CloudFront', () => {
    expect(clientEventOf(signed)).toBe(signed);
  });

  it('has, behind CloudFront, the credential and the address of the client, and nothing of the call of CloudFront', () => {
    process.env[credentialHeaderVariable] = credentialHeader;
    expect(clientEventOf(signed)).toEqual({
      rawPath: '/npm/a/b/c',
      headers: { accept: '*/*', authorization: 'Bearer of the client', 'x-stockroom-viewer': '203.0.113.9' },
      requestContext: { requestId: 'id', http: { method: 'GET', sourceIp: '203.0.113.9' } },
    });
  });

  it('has, behind CloudFront, no credential if the client has none', () => {
    process.env[credentialHeaderVariable] = credentialHeader;
    const { [credentialHeader]: _credential, ...headers } = signed.headers;
    expect(clientEventOf({ ...signed, headers }).headers.authorization).toBeUndefined();
  });
});
