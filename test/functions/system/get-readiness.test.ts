import { getReadiness } from '../../../functions/system/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

const ready = async (as?: string) => service.client.attempt(getReadiness, { as });

describe('GET /readyz', () => {
  itAnswers('200 without a credential, and whatever credential comes', async () =>
    Promise.all([ready(), ready('Bearer nonsense'), ready('Basic !')]),
  );

  it('reads the table once', async () => {
    service.proxy.forget();
    await ready();
    expect(service.proxy.calls.map(({ functionId, operation }) => [functionId, operation])).toEqual([
      ['system/get-readiness', 'BatchGetItem'],
    ]);
  });

  for (const fault of ['drop', 'server-error', 'throttle', 'hang'] as const)
    itAnswers(`503 SERVICE_UNAVAILABLE within 9 s when the table answers no more (${fault})`, async () => {
      service.proxy.inject({ fault, functionId: 'system/get-readiness' });
      const started = Date.now();
      const answer = await ready();
      expect(Date.now() - started).toBeLessThan(9_000);
      return answer;
    });

  itAnswers('200 again once the table is back', async () => {
    service.proxy.inject({ fault: 'drop', functionId: 'system/get-readiness', times: 1 });
    return ready();
  });
});
