import type { APIGatewayProxyEvent } from 'aws-lambda';
import { respond } from '../../../../shared/http/answers/bytes.ts';
import type { Answered } from '../../../../shared/http/built-contract.ts';
import type { BytesResult } from '../../../../shared/http/payloads.ts';

const etag = '"version-2"';

/** The answer to a request for ten digits. */
const answer = (headers: Readonly<Record<string, string>>, more: Partial<BytesResult> = {}, httpMethod = 'GET') => {
  const event = { httpMethod, headers } as unknown as APIGatewayProxyEvent;
  const outcome: BytesResult = { kind: 'bytes', mediaType: 'text/plain', content: '0123456789', etag, ...more };
  const { statusCode, body, headers: sent = {} } = respond({ event, requestId: 'request' } as Answered, outcome);
  return { status: statusCode, text: Buffer.from(body, 'base64').toString(), headers: sent };
};

describe('Bytes with a tag', () => {
  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-4', 206, '4', 'bytes 4-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=7-99', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=5-2', 200, '0123456789', undefined],
    ['bytes=-', 200, '0123456789', undefined],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
  ])('are answered to Range: %s with %i', (Range, status, text, contentRange) => {
    const { headers, ...rest } = answer({ Range });
    expect(rest).toEqual({ status, text });
    expect([headers['Content-Range'], headers.ETag, headers['Accept-Ranges']]).toEqual([contentRange, etag, 'bytes']);
  });

  it.each([
    [etag, 206],
    ['"version-1"', 200],
    [`W/${etag}`, 200],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 200],
  ])('are answered to a range of If-Range: %s with %i', (ifRange, status) => {
    expect(answer({ Range: 'bytes=0-3', 'If-Range': ifRange }).status).toBe(status);
  });

  it.each([
    [etag, 304],
    [`W/${etag}`, 304],
    [`"other", ${etag}`, 304],
    ['*', 304],
    ['"other"', 200],
    ['version-2', 200],
  ])('are answered to If-None-Match: %s with %i', (ifNoneMatch, status) => {
    const { headers, ...rest } = answer({ 'If-None-Match': ifNoneMatch, Range: 'bytes=0-3' }, {}, 'HEAD');
    expect(rest).toEqual({ status, text: status === 304 ? '' : '0123456789' });
    expect(headers.ETag).toBe(etag);
  });

  it.each(['text/plain', 'application/xml', 'image/svg+xml', 'application/vnd.pypi.simple.v1+html', 'application/pdf'])(
    'of %s are saved by browsers, and not shown, whole and in part',
    (mediaType) => {
      expect(answer({}, { mediaType }).headers['Content-Disposition']).toBe('attachment');
      expect(answer({ Range: 'bytes=0-3' }, { mediaType }).headers['Content-Disposition']).toBe('attachment');
    },
  );

  it('of a page with links are shown', () => {
    const { headers } = answer({}, { mediaType: 'text/html; charset=utf-8' });
    expect(Object.keys(headers)).not.toContain('Content-Disposition');
  });

  it('have no range for HEAD', () => {
    expect(answer({ Range: 'bytes=0-3' }, {}, 'HEAD').status).toBe(200);
  });
});

describe('Bytes without a tag, and those of a new resource,', () => {
  it.each([{ etag: '' }, { status: 201 as const }])('have neither ranges nor conditions: %j', (more) => {
    const { etag: tag, ...rest } = { etag, ...more };
    const result = answer({ Range: 'bytes=0-3', 'If-None-Match': '*' }, tag ? rest : { etag: undefined as never });
    expect([result.status, result.text]).toEqual([rest.status ?? 200, '0123456789']);
    expect(result.headers['Accept-Ranges']).toBeUndefined();
  });
});
