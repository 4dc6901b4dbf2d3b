import { getReferenceScript } from '../../../functions/system/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

describe('GET /docs/swagger-ui-….js', () => {
  itAnswers('200 to anybody, for browsers to keep', async () => {
    const answer = await service.client.call(getReferenceScript, {});
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.text).toContain('SwaggerUIBundle');
    return answer;
  });

  it('crosses the wire compressed, in less than 500 kB', async () => {
    const response = await fetch(service.runner.url + getReferenceScript.path, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(500_000);
    await response.body?.cancel();
  });
});
