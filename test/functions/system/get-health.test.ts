import { getHealth } from '../../../functions/system/contracts.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

describe('GET /healthz', () => {
  itAnswers('200 with the version of the release', async () => {
    const answer = await service.client.call(getHealth, {});
    expect(answer.result).toEqual({ status: 'ok', version: packageJson.version });
    return answer;
  });

  itAnswers('200 without any call of the table, and while the table does not answer', async () => {
    service.proxy.forget();
    service.proxy.inject({ fault: 'hang' });
    const answer = await service.client.call(getHealth, {});
    expect(service.proxy.calls).toEqual([]);
    return answer;
  });

  itAnswers('200 whatever credential comes along', async () =>
    Promise.all(['', 'Bearer x', 'Basic !', 'nonsense'].map((as) => service.client.call(getHealth, { as }))),
  );

  itAnswers('400 REQUEST_INVALID for a query parameter that nobody knows', async () =>
    service.client.attempt(getHealth, { query: { verbose: 'true' } }),
  );
});
