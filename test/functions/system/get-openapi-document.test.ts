import { getOpenApiDocument } from '../../../functions/system/contracts.ts';
import { openApiText } from '../../../infra/openapi.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

describe('GET /openapi.json', () => {
  itAnswers('200 to anybody, with the document of the contracts', async () => {
    const answer = await service.client.call(getOpenApiDocument, {});
    expect(answer.text === openApiText()).toBe(true);
    expect(answer.headers['content-encoding']).toBeUndefined();
    return answer;
  });

  itAnswers('200 uncompressed when the request refuses gzip', async () => {
    const headers = [['Accept-Encoding', 'br, gzip;q=0']] as const;
    const answer = await service.client.sendTo(getOpenApiDocument, { headers });
    expect(answer.headers['content-encoding']).toBeUndefined();
    return answer;
  });

  it.each(['gzip', 'gzip, deflate, br', 'br;q=1, *;q=0.5'])('is compressed for %s', async (accepted) => {
    const response = await fetch(`${service.runner.url}/openapi.json`, { headers: { 'Accept-Encoding': accepted } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect((await response.text()) === openApiText()).toBe(true);
  });

  itAnswers('400 REQUEST_INVALID with a query parameter', () =>
    service.client.attempt(getOpenApiDocument, { query: { format: 'yaml' } }),
  );
});
