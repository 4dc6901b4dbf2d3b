import { acceptsGzip } from '../../../shared/http/encodings.ts';

describe('Whether gzip is accepted', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['br, gzip;q=0.1', true],
    ['GZIP', true],
    ['*', true],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip ; q=0.000, br', false],
    ['*;q=0', false],
    ['gzip;q=0, *;q=1', false],
    ['*;q=1, gzip;q=0.0', false],
    ['*;q=0, gzip', true],
    ['gzip;q=0.001', true],
  ])('by Accept-Encoding: %s is %s', (header, isAccepted) => {
    expect(acceptsGzip(header)).toBe(isAccepted);
  });
});
