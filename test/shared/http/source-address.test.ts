import { sourceAddressOf } from '../../../shared/http/source-address.ts';

const cloudFront = '198.51.100.7';
const eventOf = (multiValueHeaders: Record<string, string[]> | null) => ({
  multiValueHeaders,
  requestContext: { identity: { sourceIp: cloudFront } },
});

describe('The address of a request', () => {
  afterEach(() => {
    delete process.env.TRUSTS_EDGE;
  });

  it('is the one that API Gateway sees, whatever a client says', () => {
    expect(sourceAddressOf(eventOf({ 'x-stockroom-viewer': ['203.0.113.9'] }))).toBe(cloudFront);
  });

  it('is the one that CloudFront names, where nobody but CloudFront gets through', () => {
    process.env.TRUSTS_EDGE = 'true';
    expect(sourceAddressOf(eventOf({ 'X-Stockroom-Viewer': ['2001:db8::9'] }))).toBe('2001:db8::9');
    expect(sourceAddressOf(eventOf({}))).toBe(cloudFront);
    expect(sourceAddressOf(eventOf(null))).toBe(cloudFront);
  });
});
