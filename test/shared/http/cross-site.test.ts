import { refuseCrossSite } from '../../../shared/http/cross-site.ts';

const refused = (
  headers: Readonly<Record<string, string>>,
  { method = 'POST', baseUrl = 'https://packages.example.com/prod' } = {},
): boolean => {
  try {
    refuseCrossSite({ method, header: (name) => headers[name], baseUrl });
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'CROSS_SITE_REQUEST' });
    return true;
  }
};

describe('A request that changes something', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is refused with %s from a page of another site', (method) => {
    expect(refused({ origin: 'https://evil.example' }, { method })).toBe(true);
    expect(refused({ 'sec-fetch-site': 'cross-site' }, { method })).toBe(true);
    expect(refused({ 'sec-fetch-site': 'same-site' }, { method })).toBe(true);
  });

  it.each([
    'http://packages.example.com',
    'https://packages.example.com:8443',
    'https://example.com',
    'https://packages.example.com.evil.example',
    'https://packages.example.com/prod',
    'null',
    '',
  ])('is refused from the origin %j, which is not that of the service', (origin) => {
    expect(refused({ origin, 'sec-fetch-site': 'same-origin' })).toBe(true);
  });

  it.each([
    ['https://packages.example.com', 'https://packages.example.com/prod'],
    ['https://packages.example.com', 'https://Packages.Example.com:443'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000/api'],
  ])('is accepted from the origin %s of %s', (origin, baseUrl) => {
    expect(refused({ origin, 'sec-fetch-site': 'same-origin' }, { baseUrl })).toBe(false);
  });

  it('is refused where the service knows no address of its own', () => {
    expect(refused({ origin: 'https://evil.example' }, { baseUrl: 'https://' })).toBe(true);
  });

  it('is accepted from a client that is no browser, and from what a person enters', () => {
    expect(refused({})).toBe(false);
    expect(refused({ 'sec-fetch-site': 'none' })).toBe(false);
  });
});

it('A request that only reads is accepted from every page: its answer cannot be read there', () => {
  for (const method of ['GET', 'HEAD'])
    expect(refused({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, { method })).toBe(false);
});
