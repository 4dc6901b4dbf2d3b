import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { PostSigner } from '../../shared/post-signatures.ts';
import { Sha256 } from '../../shared/signed-requests.ts';

const services = ['dynamodb', 'kms', 'lambda', 'codedeploy', 'logs', 'secretsmanager'];

/** A value of a header without blanks around it or several in a row. */
const value = fc.stringMatching(/^[!-~]{1,20}(?: [!-~]{1,20}){0,2}$/);

const access = fc.record({
  region: fc.constantFrom('us-east-1', 'eu-central-1'),
  credentials: fc.record(
    { accessKeyId: fc.stringMatching(/^[A-Z0-9]{16}$/), secretAccessKey: value, sessionToken: value },
    { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
  ),
});

/** With the five characters that RFC 3986 reserves, and encodeURIComponent leaves as they are. */
const segment = fc
  .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom("'", '!', '(', ')', '*', ':', 'a') }))
  .filter((text) => !/^\.{0,2}$/.test(text));

const post = fc.record({
  path: fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.map(encodeURIComponent).join('/')}`),
  headers: fc.record({ 'x-amz-target': value, host: value, 'content-type': value }, { requiredKeys: ['host'] }),
  body: fc.string({ unit: 'binary' }),
});

const date = fc.date({
  min: new Date('2024-01-01T00:00:00Z'),
  max: new Date('2030-12-31T23:59:59Z'),
  noInvalidDate: true,
});

type Access = ConstructorParameters<typeof PostSigner>[1];
type Post = Parameters<PostSigner['sign']>[0];

/** What the signer of the SDK makes of the same request. */
const bySdk = async (service: string, its: Access, { path, headers, body }: Post, signingDate: Date) => {
  const signer = new SignatureV4({ service, ...its, sha256: Sha256, applyChecksum: false });
  const request = { method: 'POST', protocol: 'https:', hostname: 'example.com', path, query: {}, headers, body };
  return (await signer.sign(request, { signingDate })).headers;
};

describe('A signed POST', () => {
  it('has the headers and the signature that the SDK gives it', async () => {
    const request = fc.tuple(fc.constantFrom(...services), access, post, date);
    await fc.assert(
      fc.asyncProperty(request, async ([service, its, sent, at]) => {
        expect(new PostSigner(service, its).sign(sent, at)).toEqual(await bySdk(service, its, sent, at));
      }),
      { numRuns: 300 },
    );
  });

  it('of another day has the key of that day', async () => {
    const its = { region: 'us-east-1', credentials: { accessKeyId: 'A', secretAccessKey: 's' } };
    const signer = new PostSigner('dynamodb', its);
    const sent = { path: '/', headers: { host: 'example.com' }, body: '{}' };
    for (const time of ['2026-11-27T23:59:59.999Z', '2026-11-28T00:00:00.000Z', '2026-11-27T23:59:59.999Z']) {
      const at = new Date(time);
      expect(signer.sign(sent, at)).toEqual(await bySdk('dynamodb', its, sent, at));
    }
  });
});
