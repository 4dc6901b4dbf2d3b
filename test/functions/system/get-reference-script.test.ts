import { getReferenceScript } from '../../../functions/system/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

describe('GET /docs/swagger-ui-….js', () => {
  itAnswers('200 to anybody, for browsers to keep', async () => {
    const answer = await service.client.call(getReferenceScript, {});
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    return answer;
  });

  it.each(['gzip', undefined, 'identity', 'br, gzip;q=0'])(
    'crosses the wire compressed, in less than 500 kB, for the Accept-Encoding %s',
    async (accepted) => {
      const headers = accepted === undefined ? [] : [['Accept-Encoding', accepted] as const];
      const answer = await service.client.sendTo(getReferenceScript, { headers });
      expect(answer.headers['content-encoding']).toBe('gzip');
      expect(Number(answer.headers['content-length'])).toBeLessThan(500_000);
    },
  );

  it('is the library, once it is decompressed', async () => {
    const response = await fetch(service.runner.url + getReferenceScript.path);
    expect(await response.text()).toContain('SwaggerUIBundle');
  });
});
