import { ApiError, type ErrorCode, errors, invalid } from '../../../shared/errors.ts';
import { bytesResponse, problemResponse, textResponse } from '../../../shared/http/response.ts';

const yearSeconds = 365 * 24 * 60 * 60;

/** When clients should come back, in seconds, by error. Whoever lets another error say so adds it here. */
const retryAfter: Partial<Record<ErrorCode, string>> = {
  RATE_LIMITED: '1',
  SERVICE_UNAVAILABLE: '1',
  FILE_PENDING: '30',
  UPSTREAM_TIMEOUT: '10',
  UPSTREAM_BUSY: '15',
};

describe('A response', () => {
  it.each([
    ['with a text', textResponse(200, 'request', 'text/plain', 'x')],
    ['with bytes', bytesResponse(200, 'request', 'application/gzip', Buffer.from('x'))],
    ['of a refusal', problemResponse(new ApiError('FORBIDDEN'), 'request')],
  ])(
    '%s is kept by no cache, holds browsers to TLS for at least a year, lets them run nothing, and names the request',
    (_, { headers }) => {
      expect(headers).toMatchObject({
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': 'request',
        'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      });
      const [, seconds] =
        /^max-age=(\d+); includeSubDomains$/.exec(String(headers?.['Strict-Transport-Security'])) ?? [];
      expect(Number(seconds)).toBeGreaterThanOrEqual(yearSeconds);
    },
  );

  it('of a refusal shows a hundred violations, and how many there are beyond them', () => {
    const violations = Array.from({ length: 8_187 }, (_, index) => ({
      pointer: `/${index}`,
      rule: 'unknown',
      message: `${index}.`,
    }));
    const { body } = problemResponse(invalid(violations), 'request');
    const problem = JSON.parse(body) as { violations: unknown[]; errors: string[]; detail: string };
    expect([problem.violations.length, problem.errors.length]).toEqual([100, 101]);
    expect(problem.errors.at(-1)).toBe('And 8,087 more.');
    expect(problem.detail.endsWith('99. And 8,087 more.')).toBe(true);
  });

  it.each(Object.keys(errors) as ErrorCode[])('of %s says when to come back if that can help', (code) => {
    const { statusCode, headers } = problemResponse(new ApiError(code), 'request');
    expect([statusCode, headers?.['Retry-After']]).toEqual([errors[code].status, retryAfter[code]]);
  });
});
